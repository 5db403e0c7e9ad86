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

  // The standard library provides these two methods, which only throw.
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }

  @inline(__always)
  private mutating func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
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
