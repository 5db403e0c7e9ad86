// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A destination for the bytes of a query.
protocol DynamicQueryWriter {
  mutating func write(_ byte: UInt8)
}

extension Base32.Writer: DynamicQueryWriter {}

extension DynamicIdentifier {
  /// Returns the identifier, written without an intermediate value or text.
  @inline(__always)
  static func identifier(supertypes: some Collection<String>, tags: some Collection<Tag>) -> String {
    // Each name, escaped, with a separator on each side.
    var longest = 4
    for name in supertypes { longest += 2 * name.utf8.count + 2 }
    for tag in tags { longest += 2 * (tag.tagClass.rawValue.utf8.count + tag.value.utf8.count) + 4 }
    let start = prefix.utf8.count
    let capacity = start + Base32.digitCount(ofBytes: longest)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
      _ = buffer.update(fromContentsOf: prefix.utf8)
      var writer = Base32.Writer(UnsafeMutableBufferPointer(rebasing: buffer[start...]))
      writeQuery(supertypes, tags, to: &writer)
      writer.finish()
      return String(decoding: UnsafeBufferPointer(rebasing: buffer[..<(start + writer.count)]), as: UTF8.self)
    }
  }

  /// Writes the query byte by byte.
  @inline(__always)
  static func writeQuery(
    _ supertypes: some Collection<String>, _ tags: some Collection<Tag>, to writer: inout some DynamicQueryWriter
  ) {
    var separator: UInt8?
    if !supertypes.isEmpty {
      writer.write(UInt8(ascii: "?"))
      writer.write(UInt8(ascii: "0"))
      separator = UInt8(ascii: "=")
      for name in supertypes {
        if let separator { writer.write(separator) }
        writeAbbreviated(name, in: types, to: &writer)
        separator = UInt8(ascii: ",")
      }
      separator = UInt8(ascii: ":")
    }
    for tag in tags {
      if let separator { writer.write(separator) }
      writeAbbreviated(tag.tagClass.rawValue, in: classes, to: &writer)
      writer.write(UInt8(ascii: "="))
      writeEscaped(tag.value, to: &writer)
      separator = UInt8(ascii: ":")
    }
  }

  /// Writes a name, or its digit if it is well-known.
  ///
  /// A well-known name outside of `range` is written out, as its digit would be malformed.
  private static func writeAbbreviated(
    _ name: String, in range: Range<Int>, to writer: inout some DynamicQueryWriter
  ) {
    for index in range where wellKnown[index].isEqualIgnoringASCIICase(to: name) {
      return writer.write(UInt8(index < 10 ? index + 0x30 : index - 10 + 0x41))
    }
    // A name of one character may equal a digit.
    if name.utf8.count == 1, let byte = name.utf8.first, isDigit(byte) { writer.write(UInt8(ascii: "\\")) }
    writeEscaped(name, to: &writer)
  }

  private static func writeEscaped(_ text: String, to writer: inout some DynamicQueryWriter) {
    let bytes = text.utf8Span.span
    for index in bytes.indices {
      let byte = bytes[unchecked: index]
      switch byte {
      case UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "\\"):
        writer.write(UInt8(ascii: "\\"))
      default: break
      }
      writer.write(byte)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte
  }
}
