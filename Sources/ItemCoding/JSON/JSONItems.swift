// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The fast decoding and encoding of JSON by the CBOR coders.
///
/// ```
///   JSON text ──> JSONTranscoder ──> CBOR items ──> CBORDecoder ──> value
///   value ──> CBOREncoder ──> CBOR items ──> JSONPrinter ──> JSON text
/// ```
///
/// It is an optimisation of `JSONDecoder` and `JSONEncoder`, and not a replacement: it gives the same result or none.
package enum JSONItems {
  /// Decodes the JSON value at the start of `text`.
  ///
  /// A type must not catch the errors of its values: some values decode only by `JSONDecoder`, such as numbers with a
  /// fraction or of 19 digits, and dates.
  ///
  /// - Returns: The value and its length in bytes. `nil` if the text does not begin with a complete JSON value, or if
  ///   the value has more than `depthLimit` nested arrays and objects. Also if the value is rare, or cannot be decoded
  ///   as this type. The caller then needs `JSONDecoder`, for the value or for the error.
  package static func decodePrefix<Value: Decodable>(
    _ type: Value.Type, of text: UnsafeRawBufferPointer, depthLimit: Int
  ) -> (value: Value, length: Int)? {
    let transcoder = JSONTranscoder()
    defer { transcoder.deallocate() }
    guard let length = transcoder.transcode(text, depthLimit: depthLimit) else { return nil }
    var options = CBORDecoder.Options()
    options.isFromJSON = true
    let session = CBORDecodingSessionPool.take()
    session.begin(transcoder.writer.pointee.bytes, at: 0, options)
    defer { CBORDecodingSessionPool.give(session) }
    var offset = 0
    guard let value = try? session.decodeOutermost(type, &offset) else { return nil }
    return (value, length)
  }

  /// Encodes a value as `JSONEncoder` does with sorted keys and unescaped slashes, and appends the bytes to `text`.
  ///
  /// The value must be of a type that is ``CBORFieldCodable``, with the same fields as its `Codable` conformance.
  ///
  /// - Returns: Whether the bytes were appended. If not, the caller needs `JSONEncoder`, for the bytes or for the error.
  package static func append<Value: Encodable>(_ value: Value, to text: inout Data) -> Bool {
    var options = CBOREncoder.Options()
    options.isForJSON = true
    // `JSONEncoder` refuses the 512th level, unlike `JSONDecoder`.
    options.limits.depth = 511
    let session = CBOREncodingSessionPool.take()
    defer { CBOREncodingSessionPool.give(session) }
    session.begin(options)
    guard (try? session.encodeOutermost(value)) != nil else { return false }
    var printer = JSONPrinter()
    defer { printer.writer.deallocate() }
    guard printer.print(session.writer.pointee.bytes) else { return false }
    text.append(printer.writer.base.assumingMemoryBound(to: UInt8.self), count: printer.writer.count)
    return true
  }
}
