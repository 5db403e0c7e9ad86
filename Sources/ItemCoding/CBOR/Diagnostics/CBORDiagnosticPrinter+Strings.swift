// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Byte and text strings, whole and in chunks.
extension CBORDiagnosticPrinter {
  /// Writes the string whose `header` is before ``offset``.
  mutating func printString(_ header: CBORHeader, at start: Int) throws(CBORFault) {
    guard header.isIndefinite else { return try printDefiniteString(header, at: start) }
    var isFirst = true
    while try !input.isBreak(at: offset) {
      let start = offset
      let chunk = try input.header(&offset)
      guard chunk.major == header.major, !chunk.isIndefinite else {
        throw CBORFault(at: start, "\(chunk.name) as a chunk of a string of another kind")
      }
      output.write(isFirst ? "(_ " : ", ")
      isFirst = false
      try printDefiniteString(chunk, at: start)
    }
    offset += 1
    // Without chunks nothing else would say of which kind the string is.
    output.write(isFirst ? (header.major == .textString ? "\"\"_" : "''_") : ")")
  }

  private mutating func printDefiniteString(_ header: CBORHeader, at start: Int) throws(CBORFault) {
    let left = input.count - offset
    let isCut = isPrefix && header.argument > UInt64(left)
    let length = isCut ? left : try input.length(header, start, offset)
    let bytes = UnsafeRawBufferPointer(start: input.base + offset, count: length)
    output.write(header.major == .textString ? "\"" : "h'")
    if header.major == .textString {
      try printText(bytes, isCut: isCut)
    } else {
      output.writeHexadecimal(bytes)
    }
    offset += length
    guard !isCut else { throw CBORFault.truncated(at: start, missing: header.argument - UInt64(left)) }
    output.write((header.major == .textString ? "\"" : "'") + indicator(header))
  }

  /// Writes and checks the UTF-8 text at ``offset``, all of it even where there is no room to write.
  private mutating func printText(_ bytes: UnsafeRawBufferPointer, isCut: Bool) throws(CBORFault) {
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var position = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        position += encoded.count
        output.writeEscaped(Unicode.UTF8.decode(encoded), escapesNonASCII: notation.escapesNonASCII)
      case .emptyInput:
        return
      case .error:
        // The cut may have gone through a character, which has four bytes at most.
        if isCut, bytes.count - position < 4 { return }
        throw CBORFault(at: offset + position, "text that is not valid UTF-8")
      }
    }
  }
}
