// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The decoder for the values of one frame.
final class CBORDecodingLevel: Decoder {
  let session: CBORDecodingSession
  let frame: CBORDecodingFrame.Pointer

  init(_ session: CBORDecodingSession, _ frame: CBORDecodingFrame.Pointer) {
    self.session = session
    self.frame = frame
  }

  deinit {
    session.levelEnded(frame)
  }

  var codingPath: [any CodingKey] { frame.path() }

  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    do {
      try session.open(frame, as: .map)
    } catch {
      throw session.error(error, [String: Any].self, of: frame)
    }
    if _slowPath(session.convertsKeys) {
      // The tables contain keys as they are in the input.
      return KeyedDecodingContainer(CBORKeyedDecodingContainer<Key>(level: self, names: nil))
    }
    return KeyedDecodingContainer(CBORKeyedDecodingContainer<Key>(level: self, names: session.names(of: type)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    do {
      try session.open(frame, as: .array)
    } catch {
      throw session.error(error, [Any].self, of: frame)
    }
    return CBORUnkeyedDecodingContainer(level: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    self
  }
}

extension CBORDecodingLevel: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    var offset = frame.pointee.start
    guard offset >= 0 else { return true }
    guard let isNull = try? session.input.pointee.null(&offset), isNull else { return false }
    frame.pointee.end = offset
    return true
  }

  // The standard library provides these two methods, which only throw.
  func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }

  @inline(__always)
  private func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    var offset = frame.pointee.start
    if offset < 0 {
      throw session.error(CBORFault(.null, at: 0, "expected \(type), found nothing"), type, of: frame)
    }
    let kind = frame.pointee.kind
    frame.pointee.kind = .value
    defer { frame.pointee.kind = kind }
    let value = try session.decode(type, &offset, in: frame)
    frame.pointee.end = offset
    return value
  }
}

/// A container that decodes the entries of a map.
struct CBORKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  // The other references are unowned, because the standard library copies the container for each call.
  let input: UnsafeMutablePointer<CBORInput>
  let frame: CBORDecodingFrame.Pointer
  private let unownedSession: Unmanaged<CBORDecodingSession>
  private let names: Unmanaged<CBORKeyNames>?
  /// The level, whose reference count shows whether the program retains the container.
  private let level: CBORDecodingLevel

  init(level: CBORDecodingLevel, names: CBORKeyNames?) {
    input = level.session.input
    unownedSession = .passUnretained(level.session)
    frame = level.frame
    self.names = names.map(Unmanaged.passUnretained)
    self.level = level
  }

  var session: CBORDecodingSession { unownedSession.takeUnretainedValue() }

  var codingPath: [any CodingKey] { frame.path() }

  var allKeys: [Key] {
    // A map with a repeated key lists each key once. Methods that can throw refuse the map.
    let isRefused = (try? session.makeIndex(frame)) == nil
    var names: Set<String> = []
    var keys: [Key] = []
    keys.reserveCapacity(frame.pointee.index.count)
    // `compactMap` would look up generic types for each key.
    for place in 0..<frame.pointee.index.count {
      var key: Key?
      do throws(CBORFault) {
        switch try session.key(at: place, of: frame) {
        case .text(let text): key = Key(stringValue: text)
        case .number(let number): key = Key(intValue: number)
        case nil: break
        }
      } catch {
        // This property cannot throw, but the end of the map and further keys do.
        frame.pointee.index.refuse(error)
      }
      guard let key, !isRefused || names.insert(key.stringValue).inserted else { continue }
      keys.append(key)
    }
    return keys
  }

  // MARK: Finding keys

  /// Returns the offset of the value for `key`; `nil` if the map does not have that key.
  @inline(__always)
  func find(_ key: Key) throws(CBORFault) -> Int? {
    guard let names else { return try findUnnamed(key) }
    let name = names._withUnsafeGuaranteedRef { $0.name(of: key) }
    // Only ranks in the same table can be compared.
    let isNext =
      Int(name.place) > frame.pointee.lastKeyPlace
      && (frame.pointee.lastKeyPlace < 0 || frame.pointee.lastKeyNames == UnsafeRawPointer(names.toOpaque()))
    frame.pointee.key.place = Int(name.place)
    frame.pointee.key.names = names
    if _fastPath(isNext && !frame.pointee.index.isMade) {
      // All entries have been decoded, with keys that precede this key.
      if frame.pointee.passed == frame.pointee.total { return nil }
      if _fastPath(input.pointee.hasBytes(name, at: frame.pointee.cursor)) { return frame.pointee.cursor &+ name.count }
    }
    return try findOutOfOrder(key, name)
  }

  @inline(never)
  private func findOutOfOrder(_ key: Key, _ name: CBORKeyNames.Name) throws(CBORFault) -> Int? {
    if !frame.pointee.index.isMade { try session.makeIndex(frame) }
    if _slowPath(frame.pointee.index.hasOthers) { return try findNumbered(key) }
    return frame.pointee.index.value(of: name.text, input.pointee)
  }

  @inline(never)
  private func findUnnamed(_ key: Key) throws(CBORFault) -> Int? {
    frame.pointee.key.place = -1
    frame.pointee.key.other = key
    session.requireTidying()
    return try findNumbered(key)
  }

  @inline(never)
  private func findNumbered(_ key: Key) throws(CBORFault) -> Int? {
    try session.find(key.stringValue, number: key.intValue, in: frame)
  }

  @inline(__always)
  func pass(_ place: Int, to end: Int) {
    frame.pointee.pass(key: place, of: names, to: end)
  }

  /// The fault of a missing key; the error adds the key.
  var missing: CBORFault { CBORFault(.missing, at: max(0, frame.pointee.start), "") }

  @inline(never)
  func failure(_ fault: CBORFault, _ key: Key, _ type: Any.Type) -> DecodingError {
    if fault.kind != .missing { return session.error(fault, type, at: key, in: frame) }
    let name = key.stringValue.escapedForDisplay()
    return .keyNotFound(
      key,
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: session.located("a map without the key \"\(name)\"", at: fault.offset)))
  }

  func contains(_ key: Key) -> Bool {
    ((try? find(key)) ?? nil) != nil
  }

  // MARK: Values

  func decodeNil(forKey key: Key) throws -> Bool {
    do throws(CBORFault) {
      guard var offset = try find(key) else { throw missing }
      guard try input.pointee.null(&offset) else { return false }
      pass(frame.pointee.key.place, to: offset)
      return true
    } catch {
      throw failure(error, key, Never?.self)
    }
  }

  // The standard library provides these two methods, which only throw.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(type, key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(type, key) }

  @inline(__always)
  private func value<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
    var offset: Int
    do throws(CBORFault) {
      guard let start = try find(key) else { throw missing }
      offset = start
    } catch {
      throw failure(error, key, type)
    }
    let (place, cursor) = (frame.pointee.key.place, frame.pointee.cursor)
    let value = try session.decode(type, &offset, in: frame)
    // If the cursor has moved, the value has itself decoded further entries of this map.
    if _fastPath(frame.pointee.cursor == cursor) { pass(place, to: offset) }
    return value
  }
}

/// Nested containers and decoders.
extension CBORKeyedDecodingContainer {
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try level(key, orNull: false).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try level(key, orNull: false).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let start: Int?
    do throws(CBORFault) {
      start = try session.find("super", in: frame)
    } catch {
      throw session.error(error, Any.self, path: codingPath + [CBORCodingKey.super])
    }
    return try session.nestedLevel(in: frame, at: start ?? -1, key: CBORCodingKey.super)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try level(key, orNull: true)
  }

  /// Returns the decoder of the value for `key`.
  ///
  /// With `orNull`, a missing value decodes as null.
  private func level(_ key: Key, orNull: Bool) throws -> CBORDecodingLevel {
    var start = -1
    do throws(CBORFault) {
      if let found = try find(key) {
        start = found
        // The next key follows the value, whether or not the program decodes the value.
        var end = start
        try session.skip(&end)
        pass(frame.pointee.key.place, to: end)
      } else if !orNull {
        throw missing
      }
    } catch {
      throw failure(error, key, [String: Any].self)
    }
    return try session.nestedLevel(in: frame, at: start, key: key)
  }
}

extension CBORKeyedDecodingContainer {
  // The default implementations return `nil` for a map with a fault, which then has an error without the key.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try valueIfPresent(type, key) }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try valueIfPresent(type, key)
  }

  @inline(__always)
  private func valueIfPresent<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
    var offset: Int
    do throws(CBORFault) {
      guard let start = try find(key) else { return nil }
      offset = start
      if try session.null(&offset, insteadOf: type) {
        pass(frame.pointee.key.place, to: offset)
        return nil
      }
    } catch {
      throw failure(error, key, type)
    }
    let (place, cursor) = (frame.pointee.key.place, frame.pointee.cursor)
    let value = try session.decode(type, &offset, in: frame)
    // If the cursor has moved, the value has itself decoded further entries of this map.
    if _fastPath(frame.pointee.cursor == cursor) { pass(place, to: offset) }
    return value
  }
}

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
