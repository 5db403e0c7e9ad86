// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A plan that encodes the values of one type, in most cases without calling their `encode(to:)`.
class CBOREncodingPlan {
  /// Encodes the value at `value`, which has the plan's type, as a part of `parent`'s value.
  func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    fatalError("a subclass must override this method")
  }

  /// Returns the plan for `type`; `nil` if its values use `encode(to:)`.
  static func plan<Value>(for type: Value.Type) -> CBOREncodingPlan? {
    if let item = type as? any CBORWritableItem.Type { return item.encodingPlan }
    if let fields = type as? any CBORFieldCodable.Type { return fields.fieldEncodingPlan }
    if let composite = type as? any CBORWritableComposite.Type { return composite.encodingPlan }
    return nil
  }
}

extension CBORWritableItem {
  fileprivate static var encodingPlan: CBOREncodingPlan { CBORItemEncodingPlan<Self>() }
}

private final class CBORItemEncodingPlan<Item: CBORWritableItem>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    let item = value.assumingMemoryBound(to: Item.self)
    do throws(CBORUnwritable) {
      try item.pointee.write(to: &session.writer.pointee, session.options)
    } catch {
      throw EncodingError.invalidValue(error.value, session.context(parent, error.text))
    }
  }
}

/// A type with its own plan, whose values contain values of other types.
protocol CBORWritableComposite {
  static var encodingPlan: CBOREncodingPlan { get }
}

extension Optional: CBORWritableComposite where Wrapped: Encodable {
  static var encodingPlan: CBOREncodingPlan { OptionalPlan<Wrapped>() }
}

private final class OptionalPlan<Wrapped: Encodable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    if let wrapped = value.assumingMemoryBound(to: Wrapped?.self).pointee {
      try session.encode(wrapped, in: parent)
    } else {
      session.writer.pointee.write(byte: CBORByte.null)
    }
  }
}

extension Array: CBORWritableComposite where Element: Encodable {
  static var encodingPlan: CBOREncodingPlan { ArrayPlan<Element>() }
}

private final class ArrayPlan<Element: Encodable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    try value.assumingMemoryBound(to: [Element].self).pointee.withUnsafeBufferPointer { elements in
      session.writer.pointee.write(.array, UInt64(elements.count))
      let frame = try session.containerFrame(in: parent)
      defer { session.leaveOwn(frame) }
      guard let base = elements.baseAddress, elements.count > 0 else { return }
      frame.pointee.kind = .array
      let plan = session.plan(for: Element.self)
      // There are two loops because one loop would retain the plan for each element.
      guard let plan else {
        for index in 0..<elements.count {
          frame.pointee.count = index
          let element = UnsafeMutablePointer(mutating: base + index)
          try session.encodePlain(inPlace: &element.pointee, in: try session.frame(in: frame))
        }
        return
      }
      for index in 0..<elements.count {
        frame.pointee.count = index
        try plan.encode(UnsafeRawPointer(base + index), session, frame)
      }
    }
  }
}

/// A type of dictionary keys that become the keys of a map: text or integers.
protocol CBORWritableKey: CBORDictionaryKey {
  func write(to writer: inout CBORWriter)
}

extension String: CBORWritableKey {
  func write(to writer: inout CBORWriter) { writer.write(self) }
}

extension Int: CBORWritableKey {
  func write(to writer: inout CBORWriter) { writer.write(self) }
}

extension Dictionary: CBORWritableComposite where Key: Encodable, Value: Encodable {
  static var encodingPlan: CBOREncodingPlan {
    if Key.self == String.self { return DictionaryPlan<String, Value>() }
    if Key.self == Int.self { return DictionaryPlan<Int, Value>() }
    // The standard library converts such keys to text, so the dictionary becomes a map.
    if Key.self is any CodingKeyRepresentable.Type { return CBORSelfEncodingPlan<Self>() }
    return CBORPairsEncodingPlan<Key, Value>()
  }
}

private final class DictionaryPlan<Key: CBORWritableKey, Value: Encodable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    let dictionary = value.assumingMemoryBound(to: [Key: Value].self).pointee
    let frame = try session.containerFrame(in: parent)
    defer {
      // The text may be long, and must not outlive the dictionary because the frame is reused.
      frame.pointee.key.text = ""
      session.leaveOwn(frame)
    }
    frame.pointee.kind = .map
    session.writer.pointee.write(byte: CBORByte.emptyMap)
    for (key, value) in dictionary {
      frame.beginEntry(frame.pointee.count, at: session.writer.pointee.count)
      key.write(to: &session.writer.pointee)
      key.note(in: &frame.pointee.key)
      try session.encode(value, in: frame)
      frame.pointee.count &+= 1
    }
    try session.complete(frame)
  }
}

// The standard library encodes sets, and dictionaries whose keys cannot become text or integers, as arrays in hash
// order, which differs between runs. These plans encode the same arrays, and sort them if the key order is
// `deterministic`.

extension Set: CBORWritableComposite where Element: Encodable {
  static var encodingPlan: CBOREncodingPlan { CBORSetEncodingPlan<Element>() }
}

private final class CBORSetEncodingPlan<Element: Encodable & Hashable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    let set = value.assumingMemoryBound(to: Set<Element>.self).pointee
    session.writer.pointee.write(.array, UInt64(set.count))
    let frame = try session.containerFrame(in: parent)
    defer { session.leaveOwn(frame) }
    frame.pointee.kind = .array
    for element in set {
      frame.beginEntry(frame.pointee.count, at: session.writer.pointee.count)
      try session.encode(element, in: frame)
      frame.pointee.count &+= 1
    }
    if frame.pointee.sortsEntries { session.sortEntries(frame, count: set.count) }
  }
}

/// A plan that encodes a dictionary as an array of alternating keys and values.
final class CBORPairsEncodingPlan<Key: Encodable & Hashable, Value: Encodable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    let dictionary = value.assumingMemoryBound(to: [Key: Value].self).pointee
    session.writer.pointee.write(.array, UInt64(dictionary.count) * 2)
    let frame = try session.containerFrame(in: parent)
    defer { session.leaveOwn(frame) }
    frame.pointee.kind = .array
    for (number, (key, value)) in dictionary.enumerated() {
      frame.beginEntry(number, at: session.writer.pointee.count)
      try session.encode(key, in: frame)
      frame.pointee.count &+= 1
      try session.encode(value, in: frame)
      frame.pointee.count &+= 1
    }
    if frame.pointee.sortsEntries { session.sortEntries(frame, count: dictionary.count) }
  }
}

/// A plan that calls `encode(to:)`, for dictionaries whose keys the standard library converts to text.
final class CBORSelfEncodingPlan<Value: Encodable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    try session.encodePlain(value.assumingMemoryBound(to: Value.self).pointee, in: try session.frame(in: parent))
  }
}

/// A type whose values are single data items.
protocol CBORWritableItem {
  /// Writes the item, or throws before it has written a byte.
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) throws(CBORUnwritable)
}

/// The reason why an item cannot be encoded, reported as an `EncodingError`.
struct CBORUnwritable: Error {
  let value: any Sendable
  let text: String
}

extension String: CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) { writer.write(self) }
}

extension Bool: CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) { writer.write(self) }
}

extension Double: CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) { writer.write(self) }
}

extension Float: CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) { writer.write(self) }
}

extension CBORWritableItem where Self: FixedWidthInteger {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) { writer.write(self) }
}

extension Int: CBORWritableItem {}
extension Int8: CBORWritableItem {}
extension Int16: CBORWritableItem {}
extension Int32: CBORWritableItem {}
extension Int64: CBORWritableItem {}
extension Int128: CBORWritableItem {}
extension UInt: CBORWritableItem {}
extension UInt8: CBORWritableItem {}
extension UInt16: CBORWritableItem {}
extension UInt32: CBORWritableItem {}
extension UInt64: CBORWritableItem {}
extension UInt128: CBORWritableItem {}

extension Data: CBORWritableItem {
  /// Writes a byte string.
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) {
    withUnsafeBytes { writer.write(.byteString, $0) }
  }
}

extension URL: CBORWritableItem {
  /// Writes the absolute string as text with tag 32.
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) {
    writer.write(.tag, CBORTag.url)
    writer.write(absoluteString)
  }
}

extension UUID: CBORWritableItem {
  /// Writes 16 bytes with tag 37.
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) {
    writer.write(.tag, CBORTag.uuid)
    withUnsafeBytes(of: uuid) { writer.write(.byteString, $0) }
  }
}

extension Decimal: CBORWritableItem {
  /// Writes tag 4 with an exponent of ten and an integer (RFC 8949, section 3.4.4), or a floating-point number for NaN.
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) {
    guard !isNaN else { return writer.write(Double.nan) }
    writer.write(.tag, CBORTag.decimalFraction)
    writer.write(.array, 2)
    // Decimal gives access to its 128 bits only as digits.
    let magnitude = UInt128(significand.magnitude.description) ?? 0
    // Zero has the same value with any exponent, so the exponent 0 is written.
    writer.write(magnitude == 0 ? 0 : exponent)
    let isNegative = sign == .minus && magnitude > 0
    writer.writeInteger(isNegative: isNegative, argument: isNegative ? magnitude - 1 : magnitude)
  }
}

extension Date: CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) throws(CBORUnwritable) {
    let seconds = timeIntervalSinceReferenceDate
    guard seconds.isFinite else {
      // The error contains the number and not the date, whose description would trap.
      throw CBORUnwritable(value: seconds, text: "a date at \(seconds) seconds, which is not a finite number")
    }
    let strategy = options.dateEncodingStrategy
    switch strategy {
    case .deferredToDate:
      return writer.write(seconds)
    case .untaggedSecondsSince1970:
      return writeSeconds(to: &writer)
    case .iso8601,
      .tagged where Date(timeIntervalSince1970: timeIntervalSince1970) != self:
      if let text = CBORDateText.text(of: self) {
        writer.write(.tag, CBORTag.dateText)
        return writer.write(text)
      }
    case .tagged, .secondsSince1970: break
    }
    writer.write(.tag, CBORTag.epochDate)
    writeSeconds(to: &writer)
  }

  /// Writes seconds since 1970: an integer for a whole second, otherwise a floating-point number.
  private func writeSeconds(to writer: inout CBORWriter) {
    let seconds = timeIntervalSince1970
    if let whole = Int64(exactly: seconds) {
      writer.write(whole)
    } else {
      writer.write(seconds)
    }
  }
}
