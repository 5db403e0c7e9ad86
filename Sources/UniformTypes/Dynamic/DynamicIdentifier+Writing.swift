// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A destination for the bytes of a dynamic identifier's query.
protocol DynamicQueryWriter {
  mutating func write(_ byte: UInt8)
}

extension Base32.Writer: DynamicQueryWriter {}

extension DynamicIdentifier {
  /// Returns the identifier for supertypes and tags, without creating an intermediate string.
  @inline(__always)
  static func identifier(supertypes: some Collection<String>, tags: some Collection<Tag>) -> String {
    // The maximum length of the query: every byte of a name may be escaped, and each name may have two separators.
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

  /// Writes the query, such as `?0=6:1=psd1`, without its encoding in base 32.
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

  /// Writes a name, abbreviated to its digit if the name is well-known.
  ///
  /// A well-known name whose index is not in `range` is written in full, because decoding rejects its digit in this
  /// position.
  private static func writeAbbreviated(
    _ name: String, in range: Range<Int>, to writer: inout some DynamicQueryWriter
  ) {
    for index in range where wellKnown[index].isEqualIgnoringASCIICase(to: name) {
      return writer.write(UInt8(index < 10 ? index + 0x30 : index - 10 + 0x41))
    }
    // The backslash distinguishes a name of one character from the digit of a well-known name.
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
