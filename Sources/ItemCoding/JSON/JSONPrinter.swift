// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A printer of CBOR items as JSON, with sorted keys and unescaped slashes, byte for byte as `JSONEncoder` writes them.
///
/// ```
///   value ──> CBOREncoder ──> CBOR items ──> print ──> JSON text
/// ```
///
/// Entries of a map are printed in their order and then sorted by their text. Each entry ends with a comma, and the last
/// comma becomes the closing bracket.
///
/// The printer has no errors. It refuses tags, floating-point numbers and keys that are unusual, because `JSONEncoder`
/// may print the value in another way. The caller then uses `JSONEncoder`.
///
/// The owner of the printer frees the memory of its text.
struct JSONPrinter {
  /// The text.
  private(set) var writer = CBORWriter()
  /// The offsets of the entries of all open maps.
  private var starts: [Int] = []

  /// Prints the items that an encoder wrote, and returns whether JSON can represent them.
  mutating func print(_ items: UnsafeRawBufferPointer) -> Bool {
    guard let base = items.bindMemory(to: UInt8.self).baseAddress else { return false }
    var offset = 0
    return print(CBORInput(base: base, count: items.count), &offset)
  }

  private mutating func print(_ input: CBORInput, _ offset: inout Int) -> Bool {
    guard let header = try? input.header(&offset), !header.isIndefinite else { return false }
    // An encoder's lengths are correct, and at most the length of its output.
    let argument = header.argument
    switch header.major {
    case .textString:
      printText(input, offset, Int(argument))
      offset &+= Int(argument)
    case .unsignedInteger: printInteger(argument, isNegative: false)
    case .negativeInteger:
      guard argument < .max else { return false }
      printInteger(argument &+ 1, isNegative: true)
    case .map: return printMap(input, &offset, Int(argument))
    case .array: return printArray(input, &offset, Int(argument))
    case .byteString:
      let bytes = Data(bytes: input.base + offset, count: Int(argument))
      printQuoted(bytes.base64EncodedData())
      offset &+= Int(argument)
    case .simple: return printSimple(header.initialByte)
    case .tag: return false
    }
    return true
  }

  private mutating func printSimple(_ byte: UInt8) -> Bool {
    switch byte {
    case CBORByte.null: put("null")
    case CBORByte.true: put("true")
    case CBORByte.false: put("false")
    default: return false
    }
    return true
  }

  private mutating func put(_ literal: StaticString) {
    let text = UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
    writer.reserve(text.count)
    writer.put(text)
  }

  // MARK: Containers

  private mutating func printArray(_ input: CBORInput, _ offset: inout Int, _ count: Int) -> Bool {
    writer.write(byte: UInt8(ascii: "["))
    for _ in 0..<count {
      guard print(input, &offset) else { return false }
      writer.write(byte: UInt8(ascii: ","))
    }
    end(count, with: UInt8(ascii: "]"))
    return true
  }

  private mutating func printMap(_ input: CBORInput, _ offset: inout Int, _ count: Int) -> Bool {
    writer.write(byte: UInt8(ascii: "{"))
    let first = starts.count
    for _ in 0..<count {
      starts.append(writer.count)
      guard printKey(input, &offset), print(input, &offset) else { return false }
      writer.write(byte: UInt8(ascii: ","))
    }
    writer.sortEntries(at: starts[first...])
    starts.removeSubrange(first...)
    end(count, with: UInt8(ascii: "}"))
    return true
  }

  /// Replaces the comma after the last of `count` entries by a bracket, or writes the bracket.
  @inline(__always)
  private mutating func end(_ count: Int, with bracket: UInt8) {
    if count > 0 { writer.count &-= 1 }
    writer.write(byte: bracket)
  }

  /// Prints a key and a colon.
  ///
  /// Entries are sorted by their printed text, in which a quote ends a key. This is the order of the keys only if all
  /// characters of the keys are greater than a quote and are not escaped. Other keys are refused.
  @inline(__always)
  private mutating func printKey(_ input: CBORInput, _ offset: inout Int) -> Bool {
    guard let header = try? input.header(&offset), header.major == .textString, !header.isIndefinite else {
      return false
    }
    let length = Int(header.argument)
    let all = UnsafeRawBufferPointer(start: input.base, count: input.count)
    let end = offset &+ length
    let least = UInt8(ascii: "\"") + 1
    guard JSONText.search(in: all, from: offset, to: end, checksText: false, least: least) >= end else { return false }
    let text = UnsafeRawBufferPointer(rebasing: all[offset..<end])
    writer.reserve(length &+ 3)
    writer.put(UInt8(ascii: "\""))
    writer.put(text)
    writer.put(UInt8(ascii: "\""))
    writer.put(UInt8(ascii: ":"))
    offset &+= length
    return true
  }

  // MARK: Scalars

  private mutating func printInteger(_ magnitude: UInt64, isNegative: Bool) {
    writer.reserve(20)
    if isNegative { writer.put(UInt8(ascii: "-")) }
    var length = 1
    var rest = magnitude / 10
    while rest > 0 {
      length &+= 1
      rest /= 10
    }
    var place = writer.base + (writer.count &+ length)
    rest = magnitude
    repeat {
      place -= 1
      place.storeBytes(of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10), as: UInt8.self)
      rest /= 10
    } while rest > 0
    writer.count &+= length
  }

  /// Prints the text of `length` bytes at `start`.
  @inline(__always)
  private mutating func printText(_ input: CBORInput, _ start: Int, _ length: Int) {
    // The search may pass the end of the text, which makes it faster for short texts.
    let all = UnsafeRawBufferPointer(start: input.base, count: input.count)
    let end = start &+ length
    writer.reserve(length &+ 2)
    writer.put(UInt8(ascii: "\""))
    var place = start
    while true {
      let next = min(JSONText.search(in: all, from: place, to: end, checksText: false), end)
      writer.put(UnsafeRawBufferPointer(rebasing: all[place..<next]))
      guard next < end else { break }
      writer.reserve(end &- next &+ 8)
      putEscape(of: all[next])
      place = next &+ 1
    }
    writer.put(UInt8(ascii: "\""))
  }

  /// Prints a quote, a backslash or a control character, in at most 6 bytes.
  private mutating func putEscape(of byte: UInt8) {
    writer.put(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): writer.put(byte)
    case 0x08: writer.put(UInt8(ascii: "b"))
    case 0x0C: writer.put(UInt8(ascii: "f"))
    case 0x0A: writer.put(UInt8(ascii: "n"))
    case 0x0D: writer.put(UInt8(ascii: "r"))
    case 0x09: writer.put(UInt8(ascii: "t"))
    default:
      writer.put(UInt8(ascii: "u"))
      writer.put(UInt8(ascii: "0"))
      writer.put(UInt8(ascii: "0"))
      writer.put(UInt8(ascii: "0") + byte >> 4)
      let low = byte & 15
      writer.put(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    }
  }

  private mutating func printQuoted(_ text: Data) {
    writer.reserve(text.count + 2)
    writer.put(UInt8(ascii: "\""))
    text.withUnsafeBytes { writer.put($0) }
    writer.put(UInt8(ascii: "\""))
  }
}
