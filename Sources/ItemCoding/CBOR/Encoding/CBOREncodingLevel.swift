// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The encoder for the values of one frame.
final class CBOREncodingLevel: Encoder {
  let session: CBOREncodingSession
  let frame: CBOREncodingFrame.Pointer

  init(_ session: CBOREncodingSession, _ frame: CBOREncodingFrame.Pointer) {
    self.session = session
    self.frame = frame
  }

  var codingPath: [any CodingKey] { frame.path() }

  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    begin(.map)
    // The tables contain the text of the keys.
    let names = session.options.changesKeys ? nil : session.names(of: type)
    return KeyedEncodingContainer(CBORKeyedEncodingContainer<Key>(level: self, names: names))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    begin(.array)
    return CBORUnkeyedEncodingContainer(level: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    self
  }

  /// Begins a map or array, and reserves a byte for its header.
  ///
  /// A second container of the same kind continues the first container.
  @inline(__always)
  private func begin(_ kind: CBOREncodingFrame.Kind) {
    if _slowPath(frame.pointee.nesting >= session.depthLimit) {
      frame.pointee.misuse = "more nested maps and arrays than the limit"
    }
    if _fastPath(frame.pointee.kind == .empty) {
      frame.pointee.kind = kind
      session.writer.pointee.write(byte: kind == .map ? CBORByte.emptyMap : CBORByte.emptyArray)
    } else if frame.pointee.kind != kind {
      frame.pointee.misuse = "a value encoded itself as more than one kind of item"
    }
  }
}

extension CBOREncodingLevel: SingleValueEncodingContainer {
  /// Makes `value` the single value of the frame, or throws if the frame already has a value.
  @inline(__always)
  private func beginValue(_ value: some Any) throws {
    if _slowPath(frame.pointee.kind != .empty || frame.isWaiting) { throw session.refusal(of: value, frame) }
    frame.pointee.kind = .value
  }

  func encodeNil() throws { try write(Never?.none) }

  // The standard library provides these two methods, which only throw.
  func encode(_ value: Int128) throws { try write(value) }
  func encode(_ value: UInt128) throws { try write(value) }

  func encode<Value: Encodable>(_ value: Value) throws { try write(value) }

  @inline(__always)
  private func write<Value: Encodable>(_ value: Value) throws {
    let start = session.writer.pointee.count
    try beginValue(value)
    do {
      try session.encode(value, in: frame)
    } catch {
      // The program may encode another value instead.
      session.writer.pointee.count = start
      frame.pointee.kind = .empty
      throw error
    }
  }
}

/// A container that encodes the entries of a map: for each entry a key, then a value.
struct CBORKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  // The other references are unowned, because the standard library copies the container for each call.
  private let writer: UnsafeMutablePointer<CBORWriter>
  private let frame: CBOREncodingFrame.Pointer
  private let unownedSession: Unmanaged<CBOREncodingSession>
  private let names: Unmanaged<CBORKeyNames>?
  /// The level, whose reference count shows whether the program retains the container.
  private let level: CBOREncodingLevel

  init(level: CBOREncodingLevel, names: CBORKeyNames?) {
    writer = level.session.writer
    unownedSession = .passUnretained(level.session)
    frame = level.frame
    self.names = names.map(Unmanaged.passUnretained)
    self.level = level
  }

  private var session: CBOREncodingSession { unownedSession.takeUnretainedValue() }

  var codingPath: [any CodingKey] { frame.path() }

  // MARK: Entries

  @inline(__always)
  private func beginEntry(_ key: Key, _ value: some Any) throws {
    if _slowPath(!canBeginEntry) { throw session.refusal(of: value, frame) }
    frame.beginEntry(frame.pointee.count, at: writer.pointee.count)
    guard let names else { return beginUnnamedEntry(key) }
    let name = names._withUnsafeGuaranteedRef { $0.name(of: key) }
    // Keys with ascending ranks in one table are different. The properties are accessed one by one, because a method
    // would copy the key.
    let last = frame.pointee.key.place
    let isOfOtherTable = last >= 0 && frame.pointee.key.names?.toOpaque() != names.toOpaque()
    if _slowPath(Int(name.place) <= last || isOfOtherTable) { frame.pointee.mayRepeatKeys = true }
    frame.pointee.key.place = Int(name.place)
    frame.pointee.key.names = names
    writer.pointee.write(name)
  }

  @inline(never)
  private func beginUnnamedEntry(_ key: Key) {
    session.requireTidying()
    frame.pointee.key.place = -1
    frame.pointee.key.other = key
    frame.pointee.mayRepeatKeys = true
    if session.options.usesIntegerKeys, let number = key.intValue {
      writer.pointee.write(number)
    } else if session.options.keyEncodingStrategy == .convertToSnakeCase {
      writer.pointee.write(key.stringValue.convertedToSnakeCase)
    } else {
      writer.pointee.write(key.stringValue)
    }
  }

  // MARK: Values

  func encodeNil(forKey key: Key) throws { try write(Never?.none, key) }

  // The standard library provides these two methods, which only throw.
  func encode(_ value: Int128, forKey key: Key) throws { try write(value, key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try write(value, key) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try write(value, key) }

  @inline(__always)
  private func write<Value: Encodable>(_ value: Value, _ key: Key) throws {
    let start = writer.pointee.count
    try beginEntry(key, value)
    do {
      try session.encode(value, in: frame)
    } catch {
      // The program may continue without the entry.
      writer.pointee.count = start
      throw error
    }
    frame.pointee.count &+= 1
  }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    level(forKey: key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    level(forKey: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    session.settleLast(frame)
    if canBeginEntry {
      frame.beginEntry(frame.pointee.count, at: writer.pointee.count)
      writer.pointee.write(CBORCodingKey.super.stringValue)
      frame.pointee.mayRepeatKeys = true
    }
    return level(for: CBORCodingKey.super)
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    level(forKey: key)
  }

  private func level(forKey key: Key) -> CBOREncodingLevel {
    session.settleLast(frame)
    // If no entry can begin, the nested container throws.
    try? beginEntry(key, ())
    return level(for: key)
  }

  private var canBeginEntry: Bool { frame.pointee.kind == .map && !frame.isWaiting }

  private func level(for key: any CodingKey) -> CBOREncodingLevel {
    guard canBeginEntry else { return CBOREncodingSession.finishedLevel() }
    defer { frame.pointee.count &+= 1 }
    return session.nestedLevel(in: frame, key: key)
  }
}

/// A container that encodes the elements of an array.
struct CBORUnkeyedEncodingContainer: UnkeyedEncodingContainer {
  /// The level, whose reference count shows whether the program retains the container.
  let level: CBOREncodingLevel

  private var session: CBOREncodingSession { level.session }
  private var frame: CBOREncodingFrame.Pointer { level.frame }

  var codingPath: [any CodingKey] { frame.path() }

  var count: Int { frame.pointee.count }

  func encodeNil() throws { try write(Never?.none) }

  // The standard library provides these two methods, which only throw.
  func encode(_ value: Int128) throws { try write(value) }
  func encode(_ value: UInt128) throws { try write(value) }

  func encode<Value: Encodable>(_ value: Value) throws { try write(value) }

  @inline(__always)
  private func write<Value: Encodable>(_ value: Value) throws {
    if _slowPath(frame.pointee.kind != .array || frame.isWaiting) { throw session.refusal(of: value, frame) }
    let start = session.writer.pointee.count
    do {
      try session.encode(value, in: frame)
    } catch {
      // The program may continue without the element.
      session.writer.pointee.count = start
      throw error
    }
    frame.pointee.count &+= 1
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    nestedLevel().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    nestedLevel().unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    nestedLevel()
  }

  private func nestedLevel() -> CBOREncodingLevel {
    guard frame.pointee.kind == .array, !frame.isWaiting else { return CBOREncodingSession.finishedLevel() }
    session.settleLast(frame)
    defer { frame.pointee.count &+= 1 }
    return session.nestedLevel(in: frame, key: CBORCodingKey(index: frame.pointee.count))
  }
}
