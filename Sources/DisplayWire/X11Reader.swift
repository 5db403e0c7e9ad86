// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A fault in the bytes that a server sent.
package struct X11SyntaxError: Error, Sendable, Hashable {
  /// The offset of the fault in the message, in bytes.
  package let offset: Int
  /// The problem.
  package let reason: String

  /// Creates an error.
  package init(_ offset: Int, _ reason: String) {
    self.offset = offset
    self.reason = reason
  }
}

/// A reader of bytes from a server.
///
/// Numbers are in little-endian order.
///
/// Each length is checked against the remaining bytes before memory is reserved.
package struct X11Reader: Sendable {
  private let bytes: [UInt8]
  /// The offset of the next byte.
  package private(set) var offset: Int

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - offset: The offset of the first byte to read, at most the number of bytes.
  package init(_ bytes: [UInt8], at offset: Int = 0) {
    self.bytes = bytes
    self.offset = min(offset, bytes.count)
  }

  /// The number of bytes that are not read yet.
  package var remaining: Int { bytes.count - offset }

  /// Reads `count` bytes.
  ///
  /// - Throws: `X11SyntaxError` if fewer bytes remain.
  package mutating func read(_ count: Int) throws(X11SyntaxError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else {
      throw X11SyntaxError(offset, "\(count) bytes are declared and \(remaining) remain")
    }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// Skips `count` bytes.
  package mutating func skip(_ count: Int) throws(X11SyntaxError) {
    _ = try read(count)
  }

  /// Skips bytes up to a multiple of four.
  package mutating func skipPadding() throws(X11SyntaxError) {
    try skip(-offset & 3)
  }

  /// Reads a number of 8 bits.
  package mutating func read8() throws(X11SyntaxError) -> UInt8 {
    guard remaining >= 1 else { throw X11SyntaxError(offset, "1 byte is missing") }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads a Boolean value of 8 bits.
  ///
  /// Every value except zero is true.
  package mutating func readBool() throws(X11SyntaxError) -> Bool {
    try read8() != 0
  }

  /// Reads a number of 16 bits.
  package mutating func read16() throws(X11SyntaxError) -> UInt16 {
    guard remaining >= 2 else { throw X11SyntaxError(offset, "2 bytes are declared and \(remaining) remain") }
    defer { offset += 2 }
    return UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
  }

  /// Reads a signed number of 16 bits.
  package mutating func readSigned16() throws(X11SyntaxError) -> Int16 {
    Int16(bitPattern: try read16())
  }

  /// Reads a number of 32 bits.
  package mutating func read32() throws(X11SyntaxError) -> UInt32 {
    guard remaining >= 4 else { throw X11SyntaxError(offset, "4 bytes are declared and \(remaining) remain") }
    let low = try read16()
    return UInt32(low) | UInt32(try read16()) << 16
  }

  /// Reads the identifier of a resource.
  package mutating func readIdentifier() throws(X11SyntaxError) -> X11Identifier {
    X11Identifier(try read32())
  }

  /// Reads an atom.
  package mutating func readAtom() throws(X11SyntaxError) -> X11Atom {
    X11Atom(try read32())
  }

  /// Reads a time.
  package mutating func readTime() throws(X11SyntaxError) -> X11Time {
    X11Time(try read32())
  }

  /// Reads values of a property or message.
  ///
  /// - Parameters:
  ///   - format: The number of bits of each value: 8, 16 or 32.
  ///   - count: The number of values.
  /// - Returns: The values.
  /// - Throws: `X11SyntaxError` for an unknown format, or if fewer bytes remain.
  package mutating func readData(format: UInt8, count: UInt32) throws(X11SyntaxError) -> X11Data {
    let count = Int(count)
    switch format {
    case 8: return .bytes(try read(count))
    case 16:
      let values = try read(2 * count)
      return .words16(
        stride(from: values.startIndex, to: values.endIndex, by: 2).map { index in
          UInt16(values[index]) | UInt16(values[index + 1]) << 8
        })
    case 32: return .words32(try readWords(count))
    default: throw X11SyntaxError(offset, "the format is \(format) bits instead of 8, 16 or 32")
    }
  }

  /// Reads `count` numbers of 32 bits.
  ///
  /// - Throws: `X11SyntaxError` if fewer bytes remain.
  package mutating func readWords(_ count: Int) throws(X11SyntaxError) -> [UInt32] {
    guard count >= 0, count <= remaining / 4 else {
      throw X11SyntaxError(offset, "\(count) values of 4 bytes are declared and \(remaining) bytes remain")
    }
    var values: [UInt32] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(try read32()) }
    return values
  }

  /// Decodes a string of the server: as UTF-8 or, if the bytes are not UTF-8, as ISO 8859-1.
  static func text(_ bytes: some Collection<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
