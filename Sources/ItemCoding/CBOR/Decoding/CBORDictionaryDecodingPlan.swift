// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
