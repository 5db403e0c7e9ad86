// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The position of a ``JSONTranscoder`` in its text, and the conversion of scalars.
///
/// After a method has returned `false` or `nil`, the position is undefined.
struct JSONScan {
  let text: UnsafeRawBufferPointer
  let writer: UnsafeMutablePointer<CBORWriter>
  var position = 0

  /// Returns the next byte that is not whitespace, without passing it.
  @inline(__always)
  mutating func peekToken() -> UInt8? {
    while position < text.count {
      let byte = text[position]
      guard byte <= 0x20 else { return byte }
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return nil }
      position &+= 1
    }
    return nil
  }

  /// Returns and passes the next byte that is not whitespace.
  @inline(__always)
  mutating func nextToken() -> UInt8? {
    guard let byte = peekToken() else { return nil }
    position &+= 1
    return byte
  }

  /// Converts a key and passes the colon.
  @inline(__always)
  mutating func key() -> Bool {
    nextToken() == UInt8(ascii: "\"") && string() && nextToken() == UInt8(ascii: ":")
  }

  /// Converts a literal whose first byte was passed.
  ///
  /// - Parameters:
  ///   - word: The last four bytes of the literal, the first of them as the lowest byte.
  ///   - length: The length of the literal.
  ///   - item: The item for the literal.
  /// - Returns: Whether the text has this literal.
  @inline(__always)
  mutating func literal(_ word: UInt32, _ length: Int, _ item: UInt8) -> Bool {
    let end = position &- 1 &+ length
    guard end <= text.count,
      UInt32(littleEndian: text.loadUnaligned(fromByteOffset: end &- 4, as: UInt32.self)) == word
    else { return false }
    position = end
    writer.pointee.write(byte: item)
    return true
  }

  // MARK: Numbers

  /// Converts a number whose first byte was passed.
  @inline(__always)
  mutating func number() -> Bool {
    var index = position &- 1
    let isNegative = text[index] == UInt8(ascii: "-")
    if isNegative { index &+= 1 }
    let first = index
    var value: UInt64 = 0
    while index < text.count, case let digit = text[index] &- UInt8(ascii: "0"), digit < 10 {
      value = value &* 10 &+ UInt64(digit)
      index &+= 1
    }
    let length = index &- first
    // A number at the end of the text may continue after it.
    guard length > 0, index < text.count, length == 1 || text[first] != UInt8(ascii: "0") else { return false }
    position = index
    let next = text[index]
    // A number of 18 digits has at most 60 bits.
    if _slowPath(next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") || length > 18) {
      return otherNumber()
    }
    if _slowPath(isNegative && value == 0) { return otherNumber() }
    writer.pointee.reserve(CBORWriter.headerCapacity)
    writer.pointee.put(isNegative ? .negativeInteger : .unsignedInteger, isNegative ? value &- 1 : value)
    return true
  }

  /// Passes the fraction and the exponent of a number.
  @inline(never)
  private mutating func otherNumber() -> Bool {
    if text[position] == UInt8(ascii: ".") {
      position += 1
      guard digits() else { return false }
    }
    if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < text.count, text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") {
        position += 1
      }
      guard digits() else { return false }
    }
    writer.pointee.write(byte: JSONTranscoder.otherNumber)
    return position < text.count
  }

  /// Passes at least one digit.
  private mutating func digits() -> Bool {
    let start = position
    while position < text.count, text[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    return position > start
  }

  // MARK: Strings

  /// Converts a string whose opening quote was passed.
  @inline(__always)
  mutating func string() -> Bool {
    let end = JSONText.search(in: text, from: position, to: text.count, checksText: true)
    guard _fastPath(end < text.count && text[end] == UInt8(ascii: "\"")) else { return otherString(from: end) }
    write(position..<end)
    position = end &+ 1
    return true
  }

  @inline(__always)
  private func write(_ range: Range<Int>) {
    writer.pointee.write(.textString, UnsafeRawBufferPointer(rebasing: text[range]))
  }

  /// Converts a string with escapes, or with a character that needs a check at `place`.
  @inline(never)
  private mutating func otherString(from place: Int) -> Bool {
    var end = place
    var hasEscapes = false
    while true {
      guard end < text.count else { return false }
      let byte = text[end]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        // The escape is checked when it is resolved. The second byte may be a quote or a backslash.
        hasEscapes = true
        end += 2
      } else {
        let length = byte < 0x80 ? 0 : UTF8Continuation.lengthOfCharacter(in: text, at: end)
        guard length > 0 else { return false }
        end += length
      }
      if end < text.count { end = JSONText.search(in: text, from: end, to: text.count, checksText: true) }
    }
    defer { position = end + 1 }
    if hasEscapes { return writeUnescaped(position..<end) }
    write(position..<end)
    return true
  }

  /// Writes a string with its escapes resolved, which make it shorter.
  private func writeUnescaped(_ range: Range<Int>) -> Bool {
    writer.pointee.reserve(range.count + CBORWriter.headerCapacity)
    let start = writer.pointee.base + writer.pointee.count
    // The text is moved to the end of the header once its length is known.
    let content = start + CBORWriter.headerCapacity
    var target = content
    var place = range.lowerBound
    while place < range.upperBound {
      let end = range.upperBound
      let next = min(JSONText.search(in: text, from: place, to: end, checksText: false), end)
      if next > place, let source = text.baseAddress {
        target.copyMemory(from: source + place, byteCount: next - place)
        target += next - place
      }
      place = next
      guard place < range.upperBound else { break }
      guard let scalar = JSONEscape.scalar(in: text, at: &place) else { return false }
      for byte in UTF8.encode(scalar).unsafelyUnwrapped {
        target.storeBytes(of: byte, as: UInt8.self)
        target += 1
      }
    }
    let length = target - content
    writer.pointee.put(.textString, UInt64(length))
    (writer.pointee.base + writer.pointee.count).copyMemory(from: content, byteCount: length)
    writer.pointee.count += length
    return true
  }
}
