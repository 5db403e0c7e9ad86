// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A reader of an untrusted payload of fields.
///
/// A field is a tag, a length of four bytes and a value.
///
/// A reader may ignore a field that it does not know if the high bit of its tag is set.
struct FieldReader {
  static let headerLength = 5

  /// The owner of the fields for error messages, with its article, such as `an offer`.
  let owner: String
  let frameOffset: UInt64

  /// Calls `body` for each field.
  ///
  /// - Parameters:
  ///   - payload: The fields, one after another.
  ///   - body: Takes the tag and the value of a field, and returns whether it knows the tag.
  /// - Throws: `damaged` for malformed fields, `unsupported` for an unknown field that must not be ignored.
  func forEachField(
    in payload: ArraySlice<UInt8>, _ body: (UInt8, ArraySlice<UInt8>) throws(DropStreamError) -> Bool
  ) throws(DropStreamError) {
    var rest = payload
    while let tag = rest.first {
      guard rest.count >= Self.headerLength else { throw malformed("a truncated field header") }
      let length = rest.withUnsafeBytes { $0.littleEndian(at: 1, as: UInt32.self) }
      rest = rest.dropFirst(Self.headerLength)
      guard UInt64(length) <= UInt64(rest.count) else {
        throw malformed("a field whose length of \(length) bytes exceeds the \(rest.count) bytes left")
      }
      let isKnown = try body(tag, rest.prefix(Int(length)))
      guard isKnown || tag & 0x80 != 0 else {
        throw error(.unsupported, "\(owner) has a field \(tag), which is unknown and must not be skipped")
      }
      rest = rest.dropFirst(Int(length))
    }
  }

  /// Returns the integer at the start of a payload.
  ///
  /// Fields of later versions may follow it.
  func leadingInteger<Value: FixedWidthInteger>(
    _ payload: [UInt8], as type: Value.Type = Value.self
  ) throws(DropStreamError) -> Value {
    let width = MemoryLayout<Value>.size
    guard payload.count >= width else { throw error(.damaged, "corrupt: \(owner) has a wrong length") }
    try forEachField(in: payload[width...]) { _, _ in false }
    return payload.withUnsafeBytes { $0.littleEndian(at: 0) }
  }

  /// Returns the string in the value of a field.
  ///
  /// - Throws: `limitExceeded` if the value is longer than `limit`; `refusal` if it is empty or not UTF-8.
  func text(
    _ bytes: ArraySlice<UInt8>, limit: Int, what: String, refusal: DropStreamError.Code
  ) throws(DropStreamError) -> String {
    guard bytes.count <= limit else { throw error(.limitExceeded, "a \(what) of \(bytes.count) bytes") }
    guard !bytes.isEmpty, let text = bytes.withUnsafeBytes({ String(utf8: $0) }) else {
      throw error(refusal, bytes.isEmpty ? "an empty \(what)" : "a \(what) that is not UTF-8")
    }
    return text
  }

  func malformed(_ reason: String) -> DropStreamError {
    error(.damaged, "corrupt: \(owner) has \(reason)")
  }

  func error(_ code: DropStreamError.Code, _ reason: String) -> DropStreamError {
    DropStreamError(code, reason, at: frameOffset)
  }
}

extension [UInt8] {
  mutating func appendField(_ tag: UInt8, value: (inout [UInt8]) -> Void) {
    append(tag)
    let lengthOffset = count
    append(littleEndian: UInt32(0))
    value(&self)
    let length = UInt32(count - lengthOffset - 4)
    Swift.withUnsafeBytes(of: length.littleEndian) { bytes in
      for index in 0..<4 { self[lengthOffset + index] = bytes[index] }
    }
  }
}
