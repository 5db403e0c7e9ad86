// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How all values of one type are written, where it is not by themselves.
class CBOREncodingPlan: CBORTypePlan {
  typealias Base = CBOREncodingPlan

  /// Writes the value at `value`, which is of the type the plan was made for, as a part of `parent`'s.
  func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    fatalError("a plan is for one type")
  }

  /// The plan for `type`; `nil` where its values write themselves.
  static func plan<Value>(for type: Value.Type) -> CBOREncodingPlan? {
    if let item = type as? any CBORWritableItem.Type { return item.encodingPlan }
    if let fields = type as? any CBORFieldCodable.Type { return fields.fieldEncodingPlan }
    if let composite = type as? any CBORWritableComposite.Type { return composite.encodingPlan }
    return nil
  }
}

/// A type whose values are one data item.
protocol CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options)
}

extension CBORWritableItem {
  fileprivate static var encodingPlan: CBOREncodingPlan { CBORItemEncodingPlan<Self>() }
}

private final class CBORItemEncodingPlan<Item: CBORWritableItem>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) {
    value.assumingMemoryBound(to: Item.self).pointee.write(to: &session.writer.pointee, session.options)
  }
}

/// A type whose values hold others, of types this module does not know.
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
  static var encodingPlan: CBOREncodingPlan {
    (Element.self as? any CBORWritableElement.Type)?.arrayEncodingPlan ?? ArrayPlan<Element>()
  }
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
      let plan = session.plans.plan(for: Element.self)
      // Two loops: in one, the plan would be retained for each element.
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

/// The keys of a dictionary that become the keys of a map: text, and integers as what they are.
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
    // The standard library finds the text of such keys, which then are those of a map.
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
      // It may be long, and the frame lasts.
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
