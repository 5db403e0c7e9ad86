// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A container that decodes the elements of an array.
struct CBORUnkeyedDecodingContainer: UnkeyedDecodingContainer {
  private let level: CBORDecodingLevel
  /// The offset of the next element.
  private var offset: Int
  private(set) var currentIndex = 0

  /// Creates a container at the start of `level`'s array.
  init(level: CBORDecodingLevel) {
    self.level = level
    offset = level.frame.pointee.content
  }

  private var frame: CBORDecodingFrame.Pointer { level.frame }
  private var session: CBORDecodingSession { level.session }

  var codingPath: [any CodingKey] { frame.path() }

  var count: Int? { frame.pointee.total >= 0 ? frame.pointee.total : nil }

  var isAtEnd: Bool {
    // The next call that decodes an element throws the fault.
    (try? session.isAtEnd(frame, currentIndex, offset)) ?? false
  }

  @inline(__always)
  private func begin() throws(CBORFault) {
    frame.pointee.key.place = currentIndex
    if try session.isAtEnd(frame, currentIndex, offset) {
      throw CBORFault(.null, at: offset, "expected an element, found the end of the array")
    }
  }

  @inline(__always)
  private mutating func pass(to end: Int) {
    offset = end
    currentIndex &+= 1
    if currentIndex > frame.pointee.passed {
      frame.pointee.passed = currentIndex
      frame.pointee.cursor = end
    }
  }

  @inline(__always)
  private mutating func read<Value>(
    _ type: Value.Type, _ body: (inout Int) throws(CBORFault) -> Value
  ) throws -> Value {
    do throws(CBORFault) {
      try begin()
      var end = offset
      let value = try body(&end)
      pass(to: end)
      return value
    } catch {
      throw failure(error, type)
    }
  }

  private func failure(_ fault: CBORFault, _ type: Any.Type) -> DecodingError {
    session.error(fault, type, at: CBORCodingKey(index: currentIndex), in: frame)
  }

  mutating func decodeNil() throws -> Bool {
    do throws(CBORFault) {
      try begin()
      var end = offset
      guard try session.input.pointee.null(&end) else { return false }
      pass(to: end)
      return true
    } catch {
      throw failure(error, Never?.self)
    }
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.boolean(&offset) }
  }

  mutating func decode(_ type: String.Type) throws -> String {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.text(&offset) }
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.double(&offset) }
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.float(&offset) }
  }

  mutating func decode(_ type: Int.Type) throws -> Int {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: Int8.Type) throws -> Int8 {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: Int16.Type) throws -> Int16 {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: Int32.Type) throws -> Int32 {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: Int64.Type) throws -> Int64 {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: UInt.Type) throws -> UInt {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    let input = session.input
    return try read(type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do throws(CBORFault) {
      try begin()
    } catch {
      throw failure(error, type)
    }
    var end = offset
    let value = try session.decode(type, &end, in: frame)
    pass(to: end)
    return value
  }

  // MARK: Nested containers

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let (nested, end) = try nestedLevel()
    let container = try nested.container(keyedBy: type)
    pass(to: end)
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let (nested, end) = try nestedLevel()
    let container = try nested.unkeyedContainer()
    pass(to: end)
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let (nested, end) = try nestedLevel()
    pass(to: end)
    return nested
  }

  private func nestedLevel() throws -> (CBORDecodingLevel, end: Int) {
    var end = offset
    do throws(CBORFault) {
      try begin()
      try session.skip(&end)
    } catch {
      throw failure(error, [Any].self)
    }
    return (try session.nestedLevel(in: frame, at: offset, key: CBORCodingKey(index: currentIndex)), end)
  }
}
