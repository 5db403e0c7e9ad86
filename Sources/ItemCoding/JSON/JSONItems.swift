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
  private static let transcoders = CBORSessionPool<JSONTranscoder>()
  private static let printers = CBORSessionPool<PrintingSession>()
  /// The maximum capacity of the buffer of an idle converter or printer, in bytes.
  private static let retainedCapacity = 1 << 16

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
    let transcoder = transcoders.take() ?? JSONTranscoder()
    defer { give(transcoder) }
    guard let length = transcoder.transcode(text, depthLimit: depthLimit) else { return nil }
    let items = UnsafeRawBufferPointer(
      start: transcoder.writer.pointee.base, count: transcoder.writer.pointee.count)
    var options = CBORDecoder.Options()
    options.isFromJSON = true
    let session = CBORDecodingSessionPool.take()
    session.begin(items, at: 0, options)
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
    let session = CBOREncodingSessionPool.take()
    defer { CBOREncodingSessionPool.give(session) }
    var options = CBOREncoder.Options()
    options.isForJSON = true
    // `JSONEncoder` refuses the 512th level, unlike `JSONDecoder`.
    options.limits.depth = 511
    session.begin(options)
    guard (try? session.encodeOutermost(value)) != nil else { return false }
    let printing = printers.take() ?? PrintingSession()
    defer { give(printing) }
    return printing.append(session.writer.pointee, to: &text)
  }

  private static func give(_ transcoder: JSONTranscoder) {
    tidy(&transcoder.writer.pointee)
    _ = transcoders.put(transcoder)
  }

  private static func give(_ session: PrintingSession) {
    tidy(&session.printer.writer)
    session.printer.rest()
    _ = printers.put(session)
  }

  /// Frees a large buffer.
  private static func tidy(_ writer: inout CBORWriter) {
    guard writer.capacity > retainedCapacity else { return }
    writer.deallocate()
    writer = CBORWriter()
  }
}

/// A printer that later calls reuse.
private final class PrintingSession {
  var printer = JSONPrinter()

  deinit {
    printer.deallocate()
  }

  /// Prints `items` and appends the text; returns whether JSON can represent the items.
  func append(_ items: CBORWriter, to text: inout Data) -> Bool {
    guard printer.print(UnsafeRawBufferPointer(start: items.base, count: items.count)) else { return false }
    text.append(printer.writer.base.assumingMemoryBound(to: UInt8.self), count: printer.writer.count)
    return true
  }
}
