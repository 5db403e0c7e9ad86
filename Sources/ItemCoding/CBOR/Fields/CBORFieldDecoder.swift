// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A decoder of the fields of one ``CBORFieldCodable`` value from the entries of a map.
///
/// Use it only during the call that receives it. `decodeIfPresent` treats a field that is `null` or `undefined` as
/// missing.
public struct CBORFieldDecoder: ~Copyable {
  let input: UnsafeMutablePointer<CBORInput>
  let frame: CBORDecodingFrame.Pointer
  /// The session, which the call in progress retains.
  let unownedSession: Unmanaged<CBORDecodingSession>

  /// Begins the value at `offset`, a part of `parent`'s value.
  ///
  /// ``end()`` or ``leave()`` must end it.
  init(_ session: Unmanaged<CBORDecodingSession>, _ parent: CBORDecodingFrame.Pointer, at offset: Int) throws {
    (input, frame) = try session._withUnsafeGuaranteedRef {
      ($0.input, try $0.fieldFrame(in: parent, at: offset))
    }
    unownedSession = session
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
  public var codingPath: [any CodingKey] { frame.path() }

  /// Returns the error for a missing field that the value needs.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - reason: The problem in words.
  /// - Returns: `DecodingError.keyNotFound` with the path and the byte offset of the value.
  public func notFound(_ name: StaticString, _ reason: String) -> DecodingError {
    .keyNotFound(
      CBORCodingKey(stringValue: "\(name)"),
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: session.located(reason, at: frame.pointee.start)))
  }

  @inline(__always)
  private func read<Value>(
    _ name: StaticString, _ type: Value.Type, _ body: (inout Int) throws(CBORFault) -> Value
  ) throws -> Value {
    do throws(CBORFault) {
      guard var offset = try find(name) else { throw missing }
      let value = try body(&offset)
      pass(field: name, to: offset)
      return value
    } catch {
      throw failure(error, name, type)
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
  public mutating func decode(_ type: Int8.Type, forKey name: StaticString) throws -> Int8 {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: Int16.Type, forKey name: StaticString) throws -> Int16 {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: Int32.Type, forKey name: StaticString) throws -> Int32 {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: Int64.Type, forKey name: StaticString) throws -> Int64 {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: UInt.Type, forKey name: StaticString) throws -> UInt {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: UInt8.Type, forKey name: StaticString) throws -> UInt8 {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: UInt16.Type, forKey name: StaticString) throws -> UInt16 {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: UInt32.Type, forKey name: StaticString) throws -> UInt32 {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is missing, null or not a value of this type.
  public mutating func decode(_ type: UInt64.Type, forKey name: StaticString) throws -> UInt64 {
    try read(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field of any type, by `Codable` or by its fields.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if the field is missing, null or cannot be decoded as
  ///   this type, and errors of the value.
  public mutating func decode<Value: Decodable>(_ type: Value.Type, forKey name: StaticString) throws -> Value {
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
