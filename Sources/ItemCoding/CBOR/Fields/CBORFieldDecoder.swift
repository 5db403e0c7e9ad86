// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A decoder of the fields of one ``CBORFieldCodable`` value from the entries of a map.
///
/// Use it only during the call that receives it. `decodeIfPresent` treats a field that is `null` or `undefined` as
/// missing.
public struct CBORFieldDecoder: ~Copyable {
  /// The position in the input of a ``CBORDecoder``, in a session that the call in progress retains.
  private struct Target {
    let session: Unmanaged<CBORDecodingSession>
    let input: UnsafeMutablePointer<CBORInput>
    let frame: CBORDecodingFrame.Pointer
  }

  /// The container of another decoder.
  ///
  /// This is an object because the compiler does not know the layout of the container.
  private final class Other {
    let container: KeyedDecodingContainer<CBORCodingKey>

    init(_ container: KeyedDecodingContainer<CBORCodingKey>) {
      self.container = container
    }
  }

  // One of these is `nil`.
  private let target: Target?
  private let other: Other?

  private var input: UnsafeMutablePointer<CBORInput> { target.unsafelyUnwrapped.input }
  private var frame: CBORDecodingFrame.Pointer { target.unsafelyUnwrapped.frame }
  private var unownedSession: Unmanaged<CBORDecodingSession> { target.unsafelyUnwrapped.session }

  /// Begins the value of any decoder.
  init(_ decoder: any Decoder) throws {
    target = nil
    other = Other(try decoder.container(keyedBy: CBORCodingKey.self))
  }

  /// Begins the value at `offset`, a part of `parent`'s value.
  ///
  /// ``end()`` or ``leave()`` must end it.
  init(_ session: Unmanaged<CBORDecodingSession>, _ parent: CBORDecodingFrame.Pointer, at offset: Int) throws {
    target = try session._withUnsafeGuaranteedRef {
      Target(session: session, input: $0.input, frame: try $0.fieldFrame(in: parent, at: offset))
    }
    other = nil
  }

  var session: CBORDecodingSession { unownedSession.takeUnretainedValue() }

  /// Passes the session to `body`, without retaining the session.
  @inline(__always)
  func withSession<Result>(_ body: (CBORDecodingSession) throws -> Result) rethrows -> Result {
    try unownedSession._withUnsafeGuaranteedRef(body)
  }

  /// Ends a decoded value and returns the offset after it.
  @usableFromInline
  mutating func end() throws -> Int {
    try withSession { session in
      defer { session.leaveOwn(frame) }
      do throws(CBORFault) {
        return try session.end(of: frame)
      } catch {
        throw session.error(error, [String: Any].self, path: codingPath)
      }
    }
  }

  /// Returns the fields of a nested value.
  @usableFromInline
  func fields(at start: Int) throws -> CBORFieldDecoder {
    try CBORFieldDecoder(unownedSession, frame, at: start)
  }

  /// Returns the offset of a field's value; `nil` if it is missing or null.
  @usableFromInline
  mutating func start(ofField name: StaticString) throws -> Int? {
    try start(of: name, [String: Any].self, isNullMissing: true)
  }

  /// Moves past a field that was decoded, to the offset `end`.
  @usableFromInline
  mutating func pass(_ name: StaticString, to end: Int) {
    pass(field: name, to: end)
  }

  /// Ends a value that could not be decoded.
  @usableFromInline
  mutating func leave() {
    withSession { $0.leaveOwn(frame) }
  }

  /// The path of the value that has these fields.
  public var codingPath: [any CodingKey] { other?.container.codingPath ?? frame.path() }

  /// Returns the error for a missing field that the value needs.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - reason: The problem in words.
  /// - Returns: `DecodingError.keyNotFound` with the path of the value and, from a ``CBORDecoder``, its byte offset.
  public func notFound(_ name: StaticString, _ reason: String) -> DecodingError {
    .keyNotFound(
      CBORCodingKey(stringValue: "\(name)"),
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: other == nil ? session.located(reason, at: frame.pointee.start) : reason))
  }

  /// Returns whether the next entry of the map has the key `name`, of fewer than 24 bytes.
  ///
  /// A value with fields in several orders can decode them in the order of the map, which is faster.
  package func isNext(_ name: StaticString) -> Bool {
    guard target != nil, frame.pointee.passed != frame.pointee.total else { return false }
    return input.pointee.hasText(name.utf8Start, name.utf8CodeUnitCount, at: frame.pointee.cursor)
  }

  @inline(__always)
  private func read<Value: Decodable>(
    _ name: StaticString, _ type: Value.Type, _ body: (inout Int) throws(CBORFault) -> Value
  ) throws -> Value {
    if _slowPath(other != nil), let value = try decodeOtherScalar(name, { try $0.decode(type, forKey: $1) }) {
      return value
    }
    do throws(CBORFault) {
      guard var offset = try find(name) else { throw missing }
      let value = try body(&offset)
      pass(field: name, to: offset)
      return value
    } catch {
      throw failure(error, name, type)
    }
  }

  /// Decodes a field from the container of another decoder; `nil` if there is no such container.
  @inline(never)
  func decodeOther<Value>(
    _ name: StaticString, _ decode: (KeyedDecodingContainer<CBORCodingKey>, CBORCodingKey) throws -> Value?
  ) throws -> Value? {
    try other.flatMap { try decode($0.container, CBORCodingKey(stringValue: "\(name)")) }
  }

  /// Decodes a string, number or Boolean from the container of another decoder.
  ///
  /// `JSONDecoder` throws an error without a path for a string or number that it cannot convert.
  @inline(never)
  func decodeOtherScalar<Value>(
    _ name: StaticString, _ decode: (KeyedDecodingContainer<CBORCodingKey>, CBORCodingKey) throws -> Value?
  ) throws -> Value? {
    do {
      return try decodeOther(name, decode)
    } catch let error as DecodingError {
      throw error
    } catch {
      let path = codingPath + [CBORCodingKey(stringValue: "\(name)")]
      let isText = Value.self == String.self
      let reason = isText ? "a string that is not Unicode text" : "a number with a fraction, or out of range"
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: path, debugDescription: reason, underlyingError: error))
    }
  }

  private var missing: CBORFault { CBORFault(.missing, at: frame.pointee.start, "") }

  @inline(never)
  func failure(_ fault: CBORFault, _ name: StaticString, _ type: Any.Type) -> DecodingError {
    if fault.kind == .missing { return notFound(name, "a map without the key \"\(name)\"") }
    return session.error(fault, type, at: CBORCodingKey(stringValue: "\(name)"), in: frame)
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: Bool.Type, forKey name: StaticString) throws -> Bool {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.boolean(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: String.Type, forKey name: StaticString) throws -> String {
    try read(name, type) { offset throws(CBORFault) in
      try input.pointee.text(&offset)
    }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: Double.Type, forKey name: StaticString) throws -> Double {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.double(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: Float.Type, forKey name: StaticString) throws -> Float {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.float(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: Int.Type, forKey name: StaticString) throws -> Int {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode<Number: FixedWidthInteger & Decodable>(
    _ type: Number.Type, forKey name: StaticString
  ) throws -> Number {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field of any type, by `Codable` or by its fields.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if the field is missing, null or cannot be decoded as
  ///   this type, and errors of the value.
  public mutating func decode<Value: Decodable>(_ type: Value.Type, forKey name: StaticString) throws -> Value {
    if other != nil, let value = try decodeOther(name, { try $0.decode(type, forKey: $1) }) { return value }
    guard let value = try find(type, name, isNullMissing: false) else { throw failure(missing, name, type) }
    return value
  }

  @inline(__always)
  func find<Value: Decodable>(
    _ type: Value.Type, _ name: StaticString, isNullMissing: Bool
  ) throws -> Value? {
    guard var offset = try start(of: name, type, isNullMissing: isNullMissing) else { return nil }
    let value = try withSession { try $0.decode(type, &offset, in: frame) }
    pass(field: name, to: offset)
    return value
  }

  /// Returns the offset of a field's value; `nil` if it is missing or, with `isNullMissing`, null.
  @inline(__always)
  private func start(of name: StaticString, _ type: Any.Type, isNullMissing: Bool) throws -> Int? {
    do throws(CBORFault) {
      guard var offset = try find(name) else { return nil }
      if isNullMissing, try session.null(&offset, insteadOf: type) {
        pass(field: name, to: offset)
        return nil
      }
      frame.pointee.key.name = name
      return offset
    } catch {
      throw failure(error, name, type)
    }
  }
}

/// The search for fields by name.
extension CBORFieldDecoder {
  /// Returns the offset of the value of a field; `nil` if the map does not have that key.
  @inline(__always)
  func find(_ name: StaticString) throws(CBORFault) -> Int? {
    let length = name.utf8CodeUnitCount
    if _fastPath(!frame.pointee.index.isMade) {
      if frame.pointee.passed == frame.pointee.total {
        if frame.pointee.passedNames & Self.bit(of: name) == 0 { return nil }
      } else if _fastPath(length < 24 && input.pointee.hasText(name.utf8Start, length, at: frame.pointee.cursor)) {
        if _slowPath(frame.pointee.passedNames & Self.bit(of: name) != 0) { try refuseRepetition(of: name) }
        return frame.pointee.cursor &+ length &+ 1
      }
    }
    return try findOutOfOrder(name)
  }

  @inline(never)
  private func findOutOfOrder(_ name: StaticString) throws(CBORFault) -> Int? {
    let text = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    if !frame.pointee.index.isMade { try session.makeIndex(frame) }
    if _slowPath(frame.pointee.index.hasOthers) { return try session.findInIndex(text, nil, frame) }
    return frame.pointee.index.value(of: text, input.pointee)
  }

  /// Throws if `name`, which is the next key, is also the key of a field that was already decoded.
  ///
  /// The search is needed because a field with the same hash was already decoded.
  @inline(never)
  private func refuseRepetition(of name: StaticString) throws(CBORFault) {
    let length = name.utf8CodeUnitCount
    var offset = frame.pointee.content
    while offset < frame.pointee.cursor {
      if input.pointee.hasText(name.utf8Start, length, at: offset) {
        throw CBORMapIndex.repeatedKey(at: frame.pointee.cursor)
      }
      try session.skip(&offset)
      try session.skip(&offset)
    }
  }

  /// Moves past the value of a field that was found, to the offset `end`.
  @inline(__always)
  func pass(field name: StaticString, to end: Int) {
    if _fastPath(!frame.pointee.index.isMade) {
      frame.pointee.cursor = end
      frame.pointee.passed &+= 1
      frame.pointee.passedNames |= Self.bit(of: name)
    }
  }

  /// Returns one of 64 bits for a name, by a hash of its length and its first and last bytes.
  @inline(__always)
  private static func bit(of name: StaticString) -> UInt64 {
    let length = name.utf8CodeUnitCount
    guard length > 0 else { return 1 }
    let (first, last) = (UInt64(name.utf8Start[0]), UInt64(name.utf8Start[length &- 1]))
    return 1 &<< (first &* 5 &+ last &* 11 &+ UInt64(length) &* 23)
  }
}

/// Optional fields.
extension CBORFieldDecoder {
  @inline(__always)
  private func readIfPresent<Value: Decodable>(
    _ name: StaticString, _ type: Value.Type, _ body: (inout Int) throws(CBORFault) -> Value
  ) throws -> Value? {
    if _slowPath(other != nil) { return try decodeOtherScalar(name) { try $0.decodeIfPresent(type, forKey: $1) } }
    do throws(CBORFault) {
      guard var offset = try find(name) else { return nil }
      let isNull = try input.pointee.null(&offset)
      let value = isNull ? nil : try body(&offset)
      pass(field: name, to: offset)
      return value
    } catch {
      throw failure(error, name, type)
    }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Bool.Type, forKey name: StaticString) throws -> Bool? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.boolean(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: String.Type, forKey name: StaticString) throws -> String? {
    try readIfPresent(name, type) { offset throws(CBORFault) in
      try input.pointee.text(&offset)
    }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Double.Type, forKey name: StaticString) throws -> Double? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.double(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Float.Type, forKey name: StaticString) throws -> Float? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.float(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Int.Type, forKey name: StaticString) throws -> Int? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent<Number: FixedWidthInteger & Decodable>(
    _ type: Number.Type, forKey name: StaticString
  ) throws -> Number? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field of any type; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type, and errors of
  ///   the value.
  public mutating func decodeIfPresent<Value: Decodable>(
    _ type: Value.Type, forKey name: StaticString
  ) throws -> Value? {
    if other != nil { return try decodeOther(name) { try $0.decodeIfPresent(type, forKey: $1) } }
    return try find(type, name, isNullMissing: true)
  }
}

/// Methods for fields whose values are themselves field codable, specialised where they are called.
extension CBORFieldDecoder {
  /// Decodes a field codable value; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is not a valid map, and errors of the value.
  @inlinable
  public mutating func decodeIfPresent<Value: CBORFieldCodable>(
    _ type: Value.Type, forKey name: StaticString
  ) throws -> Value? {
    if hasOtherDecoder { return try decodeOther(type, name) }
    guard let start = try start(ofField: name) else { return nil }
    var fields = try self.fields(at: start)
    let value: Value
    do {
      value = try Value(fields: &fields)
    } catch {
      fields.leave()
      throw error
    }
    pass(name, to: try fields.end())
    return value
  }

  /// Decodes an array of field codable values; `nil` if it is missing or null.
  ///
  /// - Parameters:
  ///   - type: The type of the array.
  ///   - name: The name of the field.
  ///   - substitute: The value for null elements. Without it, a null element is an error.
  /// - Returns: The array; `nil` if it is missing or null.
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type, and errors of an
  ///   element.
  @inlinable
  public mutating func decodeIfPresent<Element: CBORFieldCodable>(
    _ type: [Element].Type, forKey name: StaticString, nullAs substitute: Element? = nil
  ) throws -> [Element]? {
    if hasOtherDecoder { return try decodeOther(type, name, nullAs: substitute) }
    guard let start = try start(ofField: name) else { return nil }
    var cursor = try elements(at: start, stride: MemoryLayout<Element>.stride)
    var elements: [Element] = []
    if cursor.reservation > 0 { elements.reserveCapacity(cursor.reservation) }
    do {
      while try advance(&cursor) {
        // `if let` would copy the substitute for each element.
        if substitute != nil, try takeNull(&cursor) {
          if let substitute { elements.append(substitute) }
          continue
        }
        var fields = try self.fields(at: cursor)
        do {
          elements.append(try Element(fields: &fields))
        } catch {
          fields.leave()
          throw error
        }
        cursor.offset = try fields.end()
      }
    } catch {
      leave(cursor)
      throw error
    }
    pass(name, to: leave(cursor))
    return elements
  }
}

/// The fields of decoders other than ``CBORDecoder``.
extension CBORFieldDecoder {
  @usableFromInline var hasOtherDecoder: Bool { other != nil }

  @usableFromInline
  func decodeOther<Value: Decodable>(_ type: Value.Type, _ name: StaticString) throws -> Value? {
    try decodeOther(name) { try $0.decodeIfPresent(type, forKey: $1) }
  }

  @usableFromInline
  func decodeOther<Element: Decodable>(
    _ type: [Element].Type, _ name: StaticString, nullAs substitute: Element?
  ) throws -> [Element]? {
    try decodeOther(name) { container, key in
      guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
      var list = try container.nestedUnkeyedContainer(forKey: key)
      var elements: [Element] = []
      while !list.isAtEnd {
        if let substitute, try list.decodeNil() {
          elements.append(substitute)
        } else {
          elements.append(try list.decode(Element.self))
        }
      }
      return elements
    }
  }
}

/// The position of the decoder in an array of field codable values.
@usableFromInline
struct CBORFieldElements {
  let frame: CBORDecodingFrame.Pointer
  var count = 0
  @usableFromInline var offset: Int
  /// The number of elements to reserve memory for.
  @usableFromInline let reservation: Int
}

extension CBORFieldDecoder {
  @usableFromInline
  func elements(at start: Int, stride: Int) throws -> CBORFieldElements {
    try withSession { session in
      let inner = try session.frame(in: frame, at: start)
      do throws(CBORFault) {
        try session.open(inner, as: .array)
      } catch {
        session.leaveOwn(inner)
        throw session.error(error, [Any].self, in: frame)
      }
      let total = inner.pointee.total
      let reservation = total > 0 ? session.reserve(total, stride: stride) : 0
      return CBORFieldElements(frame: inner, offset: inner.pointee.content, reservation: reservation)
    }
  }

  /// Returns the fields of the next element.
  @usableFromInline
  func fields(at elements: CBORFieldElements) throws -> CBORFieldDecoder {
    try CBORFieldDecoder(unownedSession, elements.frame, at: elements.offset)
  }

  /// Moves to the next element, and returns whether there is one.
  @usableFromInline
  func advance(_ elements: inout CBORFieldElements) throws -> Bool {
    if try withSession({ try $0.isAtEnd(elements.frame, elements.count, elements.offset, [Any].self) }) { return false }
    elements.frame.pointee.key.place = elements.count
    elements.count += 1
    return true
  }

  /// Skips the element if it is null, and returns whether it is.
  @usableFromInline
  func takeNull(_ elements: inout CBORFieldElements) throws -> Bool {
    do throws(CBORFault) {
      return try input.pointee.null(&elements.offset)
    } catch {
      throw session.error(error, [String: Any].self, in: elements.frame)
    }
  }

  /// Ends the array and returns the offset after it.
  @discardableResult
  @usableFromInline
  func leave(_ elements: CBORFieldElements) -> Int {
    withSession { $0.leaveOwn(elements.frame) }
    return elements.frame.pointee.total < 0 ? elements.offset + 1 : elements.offset
  }
}

extension CBORDecodingSession {
  /// Begins a value that decodes its fields itself.
  @inline(__always)
  func fieldFrame(in parent: Frame, at offset: Int) throws -> Frame {
    let frame = try frame(in: parent, at: offset)
    do throws(CBORFault) {
      try open(frame, as: .map)
    } catch {
      leaveOwn(frame)
      throw self.error(error, [String: Any].self, in: parent)
    }
    frame.pointee.key.place = CBORCurrentKey.namePlace
    return frame
  }
}
