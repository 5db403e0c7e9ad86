// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A JSON value that was converted to CBOR items, which the CBOR coders decode and encode fast.
///
/// ```
///   JSON text ──> JSONTranscoder ──> CBOR items ──> CBORDecoder ──> value
///   value ──> CBOREncoder ──> CBOR items ──> JSONPrinter ──> JSON text
/// ```
///
/// It is an optimisation of `JSONDecoder` and `JSONEncoder`, and not a replacement: it gives the same result or none.
package final class JSONItems: @unchecked Sendable {
  // The memory is accessed without exclusivity checks. Only ``convert(_:prefixOf:depthLimit:)`` changes it, and only
  // through the sole reference.
  private let transcoder = UnsafeMutablePointer<JSONTranscoder>.allocate(capacity: 1)

  /// Creates an instance without a value.
  package init() {
    transcoder.initialize(to: JSONTranscoder())
  }

  deinit {
    transcoder.pointee.writer.deallocate()
    transcoder.deinitialize(count: 1)
    transcoder.deallocate()
  }

  /// The maximum size of items whose memory is reused.
  private static let retainedByteCount = 1 << 16

  /// Converts the JSON value at the start of `text`, in place of the earlier value.
  ///
  /// If `items` has other references or a large value, a new object replaces it.
  ///
  /// - Returns: The length of the value in bytes; `nil` if the text does not begin with a complete JSON value, or if the
  ///   value is rare or has more than `depthLimit` nested arrays and objects.
  package static func convert(
    _ items: inout JSONItems, prefixOf text: UnsafeRawBufferPointer, depthLimit: Int = JSONGrammar.maximumDepth
  ) -> Int? {
    if !isKnownUniquelyReferenced(&items) || items.transcoder.pointee.writer.count > retainedByteCount {
      items = JSONItems()
    }
    return items.transcoder.pointee.transcode(text, depthLimit: depthLimit)
  }

  /// Returns whether the value is an object with `count` entries, fewer than 24.
  package func isObject(ofCount count: UInt8) -> Bool {
    transcoder.pointee.writer.bytes.first == CBORByte.emptyMap | count
  }

  /// Decodes the value.
  ///
  /// A type must not catch the errors of its values: some values decode only by `JSONDecoder`, such as numbers with a
  /// fraction or of 19 digits, and dates.
  ///
  /// - Returns: The value; `nil` if it is rare or cannot be decoded as this type. The caller then needs `JSONDecoder`, for
  ///   the value or for the error.
  package func decode<Value: Decodable>(_ type: Value.Type) -> Value? {
    var options = CBORDecoder.Options()
    options.isFromJSON = true
    let session = CBORDecodingSessionPool.take()
    session.begin(transcoder.pointee.writer.bytes, at: 0, options)
    defer { CBORDecodingSessionPool.give(session) }
    var offset = 0
    return try? session.decodeOutermost(type, &offset)
  }

  /// Decodes the only JSON value of `text`, as ``decode(_:)`` does.
  package static func decode<Value: Decodable>(_ type: Value.Type, from text: UnsafeRawBufferPointer) -> Value? {
    var items = JSONItems()
    guard let length = convert(&items, prefixOf: text), JSONText.isBlank(text, from: length) else { return nil }
    return items.decode(type)
  }

  /// Encodes a value as `JSONEncoder` does with sorted keys and unescaped slashes, and appends the bytes to `text`.
  ///
  /// The value must be of a type that is ``CBORFieldCodable``, with the same fields as its `Codable` conformance.
  ///
  /// - Returns: Whether the bytes were appended. If not, the caller needs `JSONEncoder`, for the bytes or for the error.
  package static func append<Value: Encodable>(_ value: Value, to text: inout Data) -> Bool {
    var options = CBOREncoder.Options()
    options.isForJSON = true
    // `JSONEncoder` refuses the 512th level, unlike `JSONDecoder`.
    options.limits.depth = 511
    let session = CBOREncodingSessionPool.take()
    defer { CBOREncodingSessionPool.give(session) }
    session.begin(options)
    guard (try? session.encodeOutermost(value)) != nil else { return false }
    var printer = JSONPrinter()
    defer { printer.writer.deallocate() }
    guard printer.print(session.writer.pointee.bytes) else { return false }
    text.append(printer.writer.base.assumingMemoryBound(to: UInt8.self), count: printer.writer.count)
    return true
  }
}

/// A converter of JSON text to CBOR items, in one pass of a ``JSONGrammar``.
///
/// Objects become maps with text keys, and arrays become arrays. A container with fewer than 24 entries gets a definite
/// length, which is stored into its header at its end; a longer one ends with a break. Integers of up to 18 digits stay
/// integers. Any other number becomes ``otherNumber``, which no type can be decoded from.
///
/// The converter has no errors. A caller that gets no result uses another parser for the text, which also reports the
/// fault. The owner of the converter frees the memory of its items.
struct JSONTranscoder {
  /// The items of the text.
  private(set) var writer = CBORWriter()
  /// The open arrays and objects: the offset of the header among the items, and the number of values and of keys before
  /// it.
  private var levels: [(header: Int, values: Int, keys: Int)] = []
  /// The keys of the open objects: their offsets among the items, and their first eight bytes.
  ///
  /// Only the first ``keyCount`` are in use; to remove elements from the array would take longer.
  private var keys: [(start: Int, end: Int, word: UInt64)] = []
  private var keyCount = 0

  /// The item for a number with a fraction or an exponent, for `-0`, and for an integer of more than 18 digits: the
  /// unassigned simple value 16.
  static let otherNumber: UInt8 = 0xF0

  /// Converts the value at the start of `text`, in place of earlier items, and returns its length in bytes.
  ///
  /// - Returns: The length; `nil` if the text does not begin with a complete JSON value, or if the value has more than
  ///   `depthLimit` nested arrays and objects. It is also `nil` for a string that is not Unicode text, a repeated key,
  ///   and a number at the end of the text.
  mutating func transcode(_ text: UnsafeRawBufferPointer, depthLimit: Int) -> Int? {
    writer.count = 0
    if !levels.isEmpty { levels.removeAll(keepingCapacity: true) }
    keyCount = 0
    var grammar = JSONGrammar(depthLimit: depthLimit, reportDepth: .max)
    var position = 0
    // The position after the first byte of the last key or value, and the kind of the last value.
    var start = 0
    var kind = JSONGrammar.Kind.null
    // The number of complete values in the innermost array or object.
    var count = 0
    while true {
      switch grammar.advance(over: text, from: &position) {
      case .more, .fault: return nil
      case .keyBegin:
        start = position
        guard let end = grammar.passPlainString(text, &position) else { continue }
        let offset = writer.count
        write(text, start..<end)
        noteKey(at: offset)
      case .keyEnd:
        let offset = writer.count
        guard writeUnescaped(text[start..<position &- 1]) else { return nil }
        noteKey(at: offset)
      case .begin(let begun, _):
        (start, kind) = (position, begun)
        if kind == .object || kind == .array {
          levels.append((writer.count, count, keyCount))
          count = 0
          writer.write(byte: kind == .object ? CBORByte.emptyMap : CBORByte.emptyArray)
        } else if kind == .string, let end = grammar.passPlainString(text, &position) {
          write(text, start..<end)
          guard grammar.depth > 0 else { return position }
          count &+= 1
        }
      case .end(let depth):
        if levels.count > depth {
          let level = levels.removeLast()
          if keyCount &- level.keys > 1, repeatsKey(from: level.keys) { return nil }
          keyCount = level.keys
          close(level.header, count)
          count = level.values
        } else {
          switch kind {
          case .string: guard writeUnescaped(text[start..<position &- 1]) else { return nil }
          case .number: writeNumber(text, start &- 1..<position)
          case .boolean: writer.write(text[start &- 1] == UInt8(ascii: "t"))
          case .null, .object, .array: writer.write(byte: CBORByte.null)
          }
        }
        guard depth > 0 else { return position }
        count &+= 1
      }
    }
  }

  /// Records the key at `offset`, the last item.
  @inline(__always)
  private mutating func noteKey(at offset: Int) {
    let end = writer.count
    writer.reserve(8)
    let word = UInt64(littleEndian: writer.base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    let key = (offset, end, end &- offset < 8 ? word & ((1 &<< UInt64((end &- offset) &* 8)) &- 1) : word)
    if keyCount < keys.count { keys[keyCount] = key } else { keys.append(key) }
    keyCount &+= 1
  }

  /// Returns whether an object, whose first key has the index `first`, repeats a key.
  private func repeatsKey(from first: Int) -> Bool {
    let own = keys[first..<keyCount]
    let mayRepeat = own.withUnsafeBufferPointer { keys in
      if keys.count > 16 { return true }
      for later in keys.indices {
        for earlier in 0..<later where keys[earlier].word == keys[later].word { return true }
      }
      return false
    }
    guard mayRepeat else { return false }
    func bytes(_ key: (start: Int, end: Int, word: UInt64)) -> Slice<UnsafeRawBufferPointer> {
      writer.bytes[key.start..<key.end]
    }
    // Sorting makes the time proportional to n log n.
    let sorted = own.sorted { bytes($0).lexicographicallyPrecedes(bytes($1)) }
    return zip(sorted, sorted.dropFirst()).contains { bytes($0).elementsEqual(bytes($1)) }
  }

  /// Stores the number of entries in the header of a container.
  private mutating func close(_ offset: Int, _ count: Int) {
    let header = writer.base + offset
    let kind = header.load(as: UInt8.self)
    if count < 24 {
      header.storeBytes(of: kind | UInt8(truncatingIfNeeded: count), as: UInt8.self)
    } else {
      // A longer header would move all entries.
      header.storeBytes(of: kind | 31, as: UInt8.self)
      writer.write(byte: CBORByte.break)
    }
  }

  private mutating func writeNumber(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) {
    let isNegative = text[range.lowerBound] == UInt8(ascii: "-")
    var value: UInt64 = 0
    var isOther = range.count > (isNegative ? 19 : 18)
    for index in range.dropFirst(isNegative ? 1 : 0) {
      let digit = text[index] &- UInt8(ascii: "0")
      if digit > 9 { isOther = true }
      value = value &* 10 &+ UInt64(digit)
    }
    if isOther || isNegative && value == 0 { return writer.write(byte: Self.otherNumber) }
    writer.write(isNegative ? .negativeInteger : .unsignedInteger, isNegative ? value &- 1 : value)
  }

  @inline(__always)
  private mutating func write(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) {
    writer.write(.textString, UnsafeRawBufferPointer(rebasing: text[range]))
  }

  /// Writes a string with its escapes resolved, and returns whether all surrogates are parts of pairs.
  private mutating func writeUnescaped(_ string: Slice<UnsafeRawBufferPointer>) -> Bool {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(string.count)
    var rest = string
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0C)
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "u"):
        var units = [Self.popUnit(&rest)]
        if UTF16.isLeadSurrogate(units[0]), rest.starts(with: #"\u"#.utf8) {
          rest = rest.dropFirst(2)
          units.append(Self.popUnit(&rest))
        }
        guard let character = String(validating: units, as: UTF16.self) else { return false }
        bytes += character.utf8
      default: bytes.append(escape)
      }
    }
    bytes.withUnsafeBytes { writer.write(.textString, $0) }
    return true
  }

  /// Passes four hexadecimal digits, which the grammar has checked.
  private static func popUnit(_ rest: inout Slice<UnsafeRawBufferPointer>) -> UInt16 {
    defer { rest = rest.dropFirst(4) }
    return UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) ?? 0
  }
}

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
