// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A converter of JSON text to CBOR items, in one pass that validates every byte.
///
/// ```
///   JSON text ──> transcode ──> CBOR items in a reused buffer ──> CBORDecoder ──> value
/// ```
///
/// Objects become maps with text keys, and arrays become arrays. A container with fewer than 24 entries gets a definite
/// length, which is stored into its header at its end; a longer one ends with a break. Integers of 64 bits stay
/// integers. Any other number becomes ``otherNumber``, which no type can be decoded from.
///
/// The converter has no errors. A caller that gets no result uses another parser for the text, which also reports the
/// fault. The converter therefore never accepts text that is not JSON, but it may refuse rare forms of JSON.
final class JSONTranscoder {
  /// The items of the last text.
  let writer: UnsafeMutablePointer<CBORWriter>
  private let levels = UnsafeMutablePointer<Level>.allocate(capacity: maximumDepth)

  /// The maximum depth of nested arrays and objects.
  static let maximumDepth = 512

  /// The item for a number with a fraction or an exponent, for `-0`, and for an integer of more than 64 bits: the
  /// unassigned simple value 16.
  static let otherNumber: UInt8 = 0xF0

  /// An open array or object.
  private struct Level {
    /// The offset of the container's header among the items.
    let header: Int
    let isObject: Bool
    /// The number of complete values.
    var count = 0
  }

  init() {
    writer = .allocate(capacity: 1)
    writer.initialize(to: CBORWriter())
  }

  deinit {
    writer.pointee.deallocate()
    writer.deallocate()
    levels.deallocate()
  }

  /// Converts the value at the start of `text`, and returns its length in bytes.
  ///
  /// - Returns: The length; `nil` if the text does not begin with a complete JSON value of at most `depthLimit` nested
  ///   arrays and objects, or if a string is not Unicode text. Also for a number at the end of the text.
  func transcode(_ text: UnsafeRawBufferPointer, depthLimit: Int) -> Int? {
    writer.pointee.count = 0
    let limit = min(depthLimit, Self.maximumDepth)
    var scan = Scan(text: text, writer: writer)
    var depth = 0
    while true {
      // A value begins here.
      guard let byte = scan.nextToken() else { return nil }
      switch byte {
      case UInt8(ascii: "\""):
        guard scan.string() else { return nil }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < limit else { return nil }
        let isObject = byte == UInt8(ascii: "{")
        levels[depth] = Level(header: writer.pointee.count, isObject: isObject)
        depth &+= 1
        writer.pointee.write(byte: isObject ? CBORByte.emptyMap : CBORByte.emptyArray)
        guard let next = scan.peekToken() else { return nil }
        if next != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if isObject { guard scan.key() else { return nil } }
          continue
        }
        scan.position &+= 1
        depth &-= 1
      case UInt8(ascii: "t"):
        guard scan.literal(0x6575_7274, 4, CBORByte.true) else { return nil }
      case UInt8(ascii: "f"):
        guard scan.literal(0x6573_6C61, 5, CBORByte.false) else { return nil }
      case UInt8(ascii: "n"):
        guard scan.literal(0x6C6C_756E, 4, CBORByte.null) else { return nil }
      default:
        guard scan.number() else { return nil }
      }
      // A value ended here. Each closing bracket ends a further value.
      while true {
        guard depth > 0 else { return scan.position }
        let level = levels + (depth &- 1)
        level.pointee.count &+= 1
        guard let byte = scan.nextToken() else { return nil }
        if byte == UInt8(ascii: ",") {
          if level.pointee.isObject { guard scan.key() else { return nil } }
          break
        }
        guard byte == (level.pointee.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return nil }
        close(level.pointee)
        depth &-= 1
      }
    }
  }

  /// Stores the number of entries in the header of a container.
  @inline(__always)
  private func close(_ level: Level) {
    let header = writer.pointee.base + level.header
    let kind: UInt8 = level.isObject ? CBORByte.emptyMap : CBORByte.emptyArray
    if _fastPath(level.count < 24) {
      header.storeBytes(of: kind | UInt8(truncatingIfNeeded: level.count), as: UInt8.self)
    } else {
      // A longer header would move all entries.
      header.storeBytes(of: kind | 31, as: UInt8.self)
      writer.pointee.write(byte: CBORByte.break)
    }
  }
}

/// The position of a converter in its text.
private struct Scan {
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
    let end = JSONText.search(in: text, from: position, checksText: true)
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
      if end < text.count { end = JSONText.search(in: text, from: end, checksText: true) }
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
      let next = min(JSONText.search(in: text, from: place, checksText: false), range.upperBound)
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

/// The escapes in JSON strings.
private enum JSONEscape {
  /// Returns the character of the escape at `place`, and passes the escape.
  ///
  /// - Returns: The character; `nil` if the escape is not valid or not complete, or if a surrogate is not part of a
  ///   pair.
  static func scalar(in text: UnsafeRawBufferPointer, at place: inout Int) -> Unicode.Scalar? {
    guard place + 1 < text.count, text[place] == UInt8(ascii: "\\") else { return nil }
    let byte = text[place + 1]
    guard byte == UInt8(ascii: "u") else {
      place += 2
      return switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): Unicode.Scalar(byte)
      case UInt8(ascii: "b"): "\u{8}"
      case UInt8(ascii: "f"): "\u{C}"
      case UInt8(ascii: "n"): "\n"
      case UInt8(ascii: "r"): "\r"
      case UInt8(ascii: "t"): "\t"
      default: nil
      }
    }
    guard let first = unit(in: text, at: &place) else { return nil }
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard UTF16.isLeadSurrogate(first), let second = unit(in: text, at: &place), UTF16.isTrailSurrogate(second) else {
      return nil
    }
    return Unicode.Scalar(0x1_0000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  /// Returns the UTF-16 code unit of the escape at `place`, and passes the escape.
  private static func unit(in text: UnsafeRawBufferPointer, at place: inout Int) -> UInt16? {
    guard place + 6 <= text.count, text[place] == UInt8(ascii: "\\"), text[place + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var unit: UInt16 = 0
    for byte in text[place + 2..<place + 6] {
      guard let digit = hexDigit(byte) else { return nil }
      unit = unit << 4 | digit
    }
    place += 6
    return unit
  }

  private static func hexDigit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
