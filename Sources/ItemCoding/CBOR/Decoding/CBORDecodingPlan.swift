// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A plan that decodes the values of one type, in most cases without calling their `init(from:)`.
class CBORDecodingPlan {
  /// Decodes the value at `offset`, a part of `parent`'s value, and moves the offset past it.
  ///
  /// Initialises a value of the plan's type at `value`, unless it throws.
  func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    fatalError("a subclass must override this method")
  }

  /// Returns the plan for `type`; `nil` if its values use `init(from:)`.
  static func plan<Value>(for type: Value.Type) -> CBORDecodingPlan? {
    if let item = type as? any CBORReadableItem.Type { return item.decodingPlan }
    if let fields = type as? any CBORFieldCodable.Type { return fields.fieldDecodingPlan }
    if let composite = type as? any CBORReadableComposite.Type { return composite.decodingPlan }
    return nil
  }
}

/// A type whose values are single data items.
protocol CBORReadableItem {
  static func read(_ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options) throws(CBORFault) -> Self
}

extension CBORReadableItem {
  fileprivate static var decodingPlan: CBORDecodingPlan { CBORItemDecodingPlan<Self>() }
}

private final class CBORItemDecodingPlan<Item: CBORReadableItem>: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    do throws(CBORFault) {
      value.initializeMemory(as: Item.self, to: try Item.read(session.input.pointee, &offset, session.options))
    } catch {
      throw session.error(error, Item.self, in: parent)
    }
  }
}

/// A type with its own plan, whose values contain values of other types.
protocol CBORReadableComposite {
  static var decodingPlan: CBORDecodingPlan { get }
}

extension Optional: CBORReadableComposite where Wrapped: Decodable {
  static var decodingPlan: CBORDecodingPlan { OptionalPlan<Wrapped>() }
}

private final class OptionalPlan<Wrapped: Decodable>: CBORDecodingPlan {
  private let keepsTags = Wrapped.self is any CBORTagKeeping.Type

  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    let isNull: Bool
    do throws(CBORFault) {
      // Without this check, every level of nested tags would skip all tags inside it again.
      isNull =
        keepsTags && session.input.pointee.isTag(at: offset)
        ? false : try session.null(&offset, insteadOf: Wrapped.self)
    } catch {
      throw session.error(error, Wrapped.self, in: parent)
    }
    value.initializeMemory(
      as: Wrapped?.self, to: isNull ? nil : try session.decode(Wrapped.self, &offset, in: parent))
  }
}

extension Array: CBORReadableComposite where Element: Decodable {
  static var decodingPlan: CBORDecodingPlan { Element.self == UInt8.self ? ByteArrayPlan() : ArrayPlan<Element>() }
}

/// A plan that decodes `[UInt8]` from a byte string or an array of integers.
private final class ByteArrayPlan: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    var content = offset
    // `array` reports a fault of the header.
    let header = try? session.input.pointee.untaggedHeader(&content)
    let bytes =
      header?.major == .byteString
      ? [UInt8](try session.decode(Data.self, &offset, in: parent))
      : try session.array(&offset, in: parent, of: UInt8.self)
    value.initializeMemory(as: [UInt8].self, to: bytes)
  }
}

private final class ArrayPlan<Element: Decodable>: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    let array = try session.array(&offset, in: parent, of: Element.self)
    value.initializeMemory(as: [Element].self, to: array)
  }
}

extension CBORDecodingSession {
  /// Decodes the array at `offset`, a part of `parent`'s value, and moves the offset past it.
  @inline(__always)
  func array<Element: Decodable>(
    _ offset: inout Int, in parent: Frame, of type: Element.Type
  ) throws -> [Element] {
    try elements(&offset, in: parent, [Element].self) { frame, offset in
      let total = frame.pointee.total
      // All threads share the empty array, so its count must not be written.
      if total == 0 { return [] }
      let reserved = total > 0 ? reserve(total, stride: MemoryLayout<Element>.stride) : 0
      guard total >= 0, reserved == total else {
        return try growingArray(frame, &offset, reserved)
      }
      let plan = plan(for: Element.self)
      return try Array(unsafeUninitializedCapacity: total) { elements, count in
        guard let base = elements.baseAddress else { return }
        // There are two loops because one loop would retain the plan for each element.
        guard let plan else {
          while count < total {
            frame.pointee.key.place = count
            (base + count).initialize(to: try decodePlain(Element.self, &offset, in: frame))
            count &+= 1
          }
          return
        }
        while count < total {
          frame.pointee.key.place = count
          try plan.decode(into: UnsafeMutableRawPointer(base + count), &offset, self, frame)
          count &+= 1
        }
      }
    }
  }

  /// Decodes an array whose count is missing or exceeds the reservation.
  private func growingArray<Element: Decodable>(
    _ frame: Frame, _ offset: inout Int, _ reserved: Int
  ) throws -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(reserved)
    while try !isAtEnd(frame, elements.count, offset, [Element].self) {
      frame.pointee.key.place = elements.count
      elements.append(try decode(Element.self, &offset, in: frame))
    }
    return elements
  }
}

extension CBORDecodingSession {
  /// Opens the array at `offset`, lets `body` decode its elements, and moves the offset past the array.
  @inline(__always)
  func elements<Elements>(
    _ offset: inout Int, in parent: Frame, _ type: Elements.Type, _ body: (Frame, inout Int) throws -> Elements
  ) throws -> Elements {
    let frame = try frame(in: parent, at: offset)
    defer { leaveOwn(frame) }
    do throws(CBORFault) {
      try open(frame, as: .array)
    } catch {
      throw self.error(error, type, in: parent)
    }
    var next = frame.pointee.content
    let elements = try body(frame, &next)
    charge(next &- frame.pointee.content)
    offset = frame.pointee.total < 0 ? next + 1 : next
    return elements
  }

  /// Calls ``isAtEnd(_:_:_:)`` and converts its fault to a `DecodingError`.
  @inline(__always)
  func isAtEnd(_ frame: Frame, _ passed: Int, _ offset: Int, _ type: Any.Type) throws -> Bool {
    do throws(CBORFault) {
      return try isAtEnd(frame, passed, offset)
    } catch {
      throw self.error(error, type, path: frame.path())
    }
  }
}

/// A type of dictionary keys that are decoded from the keys of a map.
protocol CBORReadableKey: CBORDictionaryKey {
  static func readKey(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Self
}

extension String: CBORReadableKey {
  static func readKey(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> String {
    try input.text(&offset)
  }
}

extension Int: CBORReadableKey {
  /// Decodes an integer, or text that contains an integer.
  ///
  /// Encoders of formats whose keys are always text write integers as text.
  static func readKey(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Int {
    let start = offset
    let header = try input.untaggedHeader(&offset)
    offset = start
    guard header.major == .textString else { return try input.integer(&offset) }
    guard let number = Int(try input.text(&offset)) else {
      throw CBORFault(.mismatch, at: start, "expected an integer as a key, found other text")
    }
    return number
  }
}

extension Dictionary: CBORReadableComposite where Key: Decodable, Value: Decodable {
  static var decodingPlan: CBORDecodingPlan {
    // The standard library decodes dictionaries with other keys.
    if Key.self == String.self { return DictionaryPlan<String, Value>() }
    if Key.self == Int.self { return DictionaryPlan<Int, Value>() }
    return SelfReadPlan<Self>()
  }
}

private final class DictionaryPlan<Key: CBORReadableKey, Value: Decodable>: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    let frame = try session.frame(in: parent, at: offset)
    defer {
      // The text may be long, and must not outlive the dictionary because the frame is reused.
      frame.pointee.key.text = ""
      session.leaveOwn(frame)
    }
    do throws(CBORFault) {
      try session.open(frame, as: .map)
    } catch {
      throw session.error(error, [Key: Value].self, in: parent)
    }
    let total = frame.pointee.total
    var next = frame.pointee.content
    var dictionary: [Key: Value] = [:]
    if total > 0 {
      // A dictionary takes up to 8/3 of the memory of its entries.
      let room = session.reserve(total, stride: MemoryLayout<(Key, Value)>.stride * 8 / 3)
      dictionary.reserveCapacity(room)
    }
    var count = 0
    while try !session.isAtEnd(frame, count, next, [Key: Value].self) {
      let start = next
      let key: Key
      do throws(CBORFault) {
        key = try Key.readKey(session.input.pointee, &next)
      } catch {
        throw session.error(error, Key.self, path: frame.path())
      }
      key.note(in: &frame.pointee.key)
      let value = try session.decode(Value.self, &next, in: frame)
      if dictionary.updateValue(value, forKey: key) != nil {
        let fault = CBORFault(at: start, "a key that equals an earlier key of the map")
        throw session.error(fault, Key.self, path: frame.path())
      }
      count += 1
    }
    offset = total < 0 ? next + 1 : next
    value.initializeMemory(as: [Key: Value].self, to: dictionary)
  }
}

/// A plan that calls `init(from:)`, for dictionaries with other keys than `String` and `Int`.
private final class SelfReadPlan<Value: Decodable>: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    value.initializeMemory(as: Value.self, to: try session.decodePlain(Value.self, &offset, in: parent))
  }
}

/// A type whose values include the tags of an item.
///
/// Other types ignore tags.
protocol CBORTagKeeping {}

extension CBORValue: CBORTagKeeping {}
extension CBORTagged: CBORTagKeeping {}

extension CBORDecodingSession {
  /// Returns whether the item decodes as `nil` for a `Value?`.
  ///
  /// Moves the offset only in that case.
  ///
  /// A tagged null is `nil` unless `Value` keeps tags. Undefined is `nil` unless `Value` is `CBORValue`.
  @inline(__always)
  func null<Value>(_ offset: inout Int, insteadOf type: Value.Type) throws(CBORFault) -> Bool {
    let start = offset
    guard try input.pointee.null(&offset) else { return false }
    let first = input.pointee.base[start]
    if _fastPath(first == CBORByte.null) { return true }
    let isKept = first == CBORByte.undefined ? type == CBORValue.self : type is any CBORTagKeeping.Type
    if isKept { offset = start }
    return !isKept
  }
}

extension CBORInput {
  func isTag(at offset: Int) -> Bool {
    offset < count && base[offset] >> 5 == CBORMajorType.tag.rawValue
  }
}

extension Bool: CBORReadableItem {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Bool { try input.boolean(&offset) }
}

extension String: CBORReadableItem {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> String { try input.text(&offset) }
}

extension Double: CBORReadableItem {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Double { try input.double(&offset) }
}

extension Float: CBORReadableItem {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Float { try input.float(&offset) }
}

extension CBORReadableItem where Self: FixedWidthInteger {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Self { try input.integer(&offset) }
}

extension Int: CBORReadableItem {}
extension Int8: CBORReadableItem {}
extension Int16: CBORReadableItem {}
extension Int32: CBORReadableItem {}
extension Int64: CBORReadableItem {}
extension Int128: CBORReadableItem {}
extension UInt: CBORReadableItem {}
extension UInt8: CBORReadableItem {}
extension UInt16: CBORReadableItem {}
extension UInt32: CBORReadableItem {}
extension UInt64: CBORReadableItem {}
extension UInt128: CBORReadableItem {}

extension Data: CBORReadableItem {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Data {
    let start = offset
    let header = try input.untaggedHeader(&offset)
    if options.isFromJSON, header.major == .textString, !header.isIndefinite {
      let length = try input.length(header, start, offset)
      defer { offset += length }
      return try base64(UnsafeRawBufferPointer(start: input.base + offset, count: length), start)
    }
    guard header.major == .byteString else { throw input.mismatch(header, "a byte string", start) }
    var data = Data()
    try input.forEachByteRun(.byteString, header, start, &offset) { bytes, start throws(CBORFault) in
      let length = data.count + bytes.count
      if length > input.lengthLimit { throw input.tooLong(length, start) }
      guard let source = bytes.baseAddress else { return }
      if data.isEmpty {
        data = Data(bytes: source, count: bytes.count)
      } else {
        data.append(contentsOf: bytes)
      }
    }
    return data
  }

  private static func base64(_ text: UnsafeRawBufferPointer, _ start: Int) throws(CBORFault) -> Data {
    guard let source = text.baseAddress else { return Data() }
    // The view does not outlive this call, and the bytes are not copied.
    let view = Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: source), count: text.count, deallocator: .none)
    guard let data = Data(base64Encoded: view) else { throw CBORFault(at: start, "text that is not base64") }
    return data
  }
}

extension URL: CBORReadableItem {
  /// Decodes text, with or without tag 32.
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> URL {
    let start = offset
    guard let url = URL(string: try input.text(&offset)) else {
      throw CBORFault(at: start, "text that is not a URL")
    }
    return url
  }
}

extension UUID: CBORReadableItem {
  /// Decodes 16 bytes, with or without tag 37, or text of 36 characters.
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> UUID {
    let start = offset
    let header = try input.untaggedHeader(&offset)
    offset = start
    if header.major == .textString {
      let text = try input.text(&offset)
      if let uuid = UUID(uuidString: text) { return uuid }
      throw CBORFault(at: start, "text that is not a UUID")
    }
    let bytes = try Data.read(input, &offset, options)
    guard bytes.count == 16 else { throw CBORFault(at: start, "\(bytes.count) bytes; a UUID has 16") }
    return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
}

extension Decimal: CBORReadableItem {
  /// Decodes tag 4 with an exponent of ten and an integer, or a number without this tag.
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Decimal {
    let start = offset
    let (header, tag) = try input.taggedHeader(&offset)
    guard tag == CBORTag.decimalFraction else {
      offset = start
      return try number(header, input, &offset)
    }
    let count = header.major == .array && !header.isIndefinite ? header.argument : 0
    guard count == 2 else { throw CBORFault(at: start, "a decimal fraction that is not an array of two integers") }
    let exponent: Int = try input.integer(&offset)
    // Decimal has 128 bits of digits and an exponent of 8 bits.
    guard (-128...127).contains(exponent) else {
      throw CBORFault(at: start, "10^\(exponent) is out of the range of Decimal")
    }
    return try integer(input, &offset, exponent: exponent, start)
  }

  private static func number(
    _ header: CBORHeader, _ input: CBORInput, _ offset: inout Int
  ) throws(CBORFault) -> Decimal {
    guard header.major == .simple, !header.isNull else { return try integer(input, &offset, exponent: 0, offset) }
    let start = offset
    let number = try input.double(&offset)
    if number.isNaN { return .nan }
    // `description` has the fewest digits that identify the number.
    guard number.isFinite, let decimal = Decimal(string: number.description) else {
      throw CBORFault(at: start, "\(number) is out of the range of Decimal")
    }
    return decimal
  }

  private static func integer(
    _ input: CBORInput, _ offset: inout Int, exponent: Int, _ start: Int
  ) throws(CBORFault) -> Decimal {
    let (isNegative, argument) = try input.wideInteger(&offset)
    // Decimal gives access to its 128 bits only as digits.
    let (magnitude, overflow) = argument.addingReportingOverflow(isNegative ? 1 : 0)
    let sign = isNegative ? "-" : ""
    if overflow { throw CBORFault(at: start, "-2^128 is out of the range of Decimal") }
    guard let significand = Decimal(string: magnitude.description) else {
      throw CBORFault(at: start, "\(sign)\(magnitude) is out of the range of Decimal")
    }
    let decimal = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    guard !decimal.isNaN else {
      throw CBORFault(at: start, "\(sign)\(magnitude) · 10^\(exponent) is out of the range of Decimal")
    }
    return decimal
  }
}

extension Date: CBORReadableItem {
  /// Decodes a date with tag 0 or 1, or seconds without a tag if the options allow them.
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Date {
    let start = offset
    let (header, tag) = try input.taggedHeader(&offset)
    offset = start
    switch tag {
    case CBORTag.dateText:
      let text = try input.text(&offset)
      if let date = CBORDateText.date(from: text) { return date }
      throw CBORFault(at: start, "text that is not a date with a time and an offset (RFC 3339)")
    case CBORTag.epochDate:
      return Date(timeIntervalSince1970: try seconds(input, &offset))
    default:
      switch options.dateDecodingStrategy {
      case .tagged: throw input.mismatch(header, "a date with tag 0 or 1", start)
      case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try seconds(input, &offset))
      case .secondsSince1970: return Date(timeIntervalSince1970: try seconds(input, &offset))
      }
    }
  }

  private static func seconds(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Double {
    let start = offset
    let seconds = try input.double(&offset)
    guard seconds.isFinite else {
      throw CBORFault(at: start, "a date at \(seconds) seconds, which is not a finite number")
    }
    return seconds
  }
}
