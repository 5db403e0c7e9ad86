// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A strict reader of the values in a D-Bus message.
///
/// Each length is checked against the remaining bytes before memory is reserved. Padding must be zero.
struct BusReader: Sendable {
  private let bytes: [UInt8]
  private let isBigEndian: Bool
  /// The offset of the next byte in the message.
  private(set) var offset: Int

  /// Creates a reader of a message, whose first byte is the byte order.
  init(_ message: [UInt8], at offset: Int) throws(DisplayError) {
    bytes = message
    self.offset = min(offset, message.count)
    isBigEndian = message.first == UInt8(ascii: "B")
    guard isBigEndian || message.first == UInt8(ascii: "l") else { throw Self.fault(0, "unknown byte order") }
  }

  /// The number of bytes that are not read yet.
  var remaining: Int { bytes.count - offset }

  /// Returns the error for an invalid byte.
  static func fault(_ offset: Int, _ reason: String) -> DisplayError {
    .violation("byte \(offset) of a message from the session bus: \(reason)")
  }

  func fault(_ reason: String) -> DisplayError { Self.fault(offset, reason) }

  private mutating func read(_ count: Int) throws(DisplayError) -> ArraySlice<UInt8> {
    guard count <= remaining else { throw fault("\(count) bytes are declared and \(remaining) remain") }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// Skips the padding before a value.
  mutating func align(_ alignment: Int) throws(DisplayError) {
    let padding = try read(-offset & (alignment - 1))
    guard padding.allSatisfy({ $0 == 0 }) else { throw fault("padding that is not zero") }
  }

  mutating func read8() throws(DisplayError) -> UInt8 {
    try read(1).reduce(0) { $0 | $1 }
  }

  mutating func read32() throws(DisplayError) -> UInt32 {
    try align(4)
    let bytes = try read(4)
    let ordered = isBigEndian ? Array(bytes) : bytes.reversed()
    return ordered.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Reads a string or an object path.
  mutating func readString() throws(DisplayError) -> String {
    try readText(byteCount: Int(try read32()))
  }

  /// Reads a signature, whose grammar is not checked.
  mutating func readSignature() throws(DisplayError) -> String {
    try readText(byteCount: Int(try read8()))
  }

  private mutating func readText(byteCount: Int) throws(DisplayError) -> String {
    let start = offset
    let content = try read(byteCount)
    guard try read8() == 0, !content.contains(0), let text = String(validating: content, as: UTF8.self) else {
      throw Self.fault(start, "a text of \(byteCount) bytes is not UTF-8, contains a NUL or has no NUL after it")
    }
    return text
  }

  /// Reads the elements of an array.
  ///
  /// - Parameters:
  ///   - alignment: The alignment of the elements.
  ///   - element: Reads one element.
  /// - Throws: `protocolViolation` if the array or its last element is too long; the errors of `element`.
  mutating func readArray(
    alignment: Int, _ element: (inout BusReader) throws(DisplayError) -> Void
  ) throws(DisplayError) {
    // The limit of a message is far below the limit of an array.
    let count = Int(try read32())
    try align(alignment)
    guard count <= remaining else { throw fault("an array of \(count) bytes, and \(remaining) remain") }
    let end = offset + count
    while offset < end {
      try align(alignment)
      try element(&self)
    }
    guard offset == end else { throw fault("an element exceeds its array by \(offset - end) bytes") }
  }

  /// Skips a value of a type that has no other types as parts.
  mutating func skip(_ type: String) throws(DisplayError) {
    switch type {
    case "s", "o": _ = try readString()
    case "g": _ = try readSignature()
    case "y": _ = try read8()
    case "n", "q":
      try align(2)
      _ = try read(2)
    case "b", "h", "i", "u": _ = try read32()
    case "x", "t", "d":
      try align(8)
      _ = try read(8)
    default: throw fault("a header field with a value of the type \(type.escapedForDisplay(limit: 40))")
    }
  }
}
