// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Reads the fields of one ``CBORFieldCodable`` value from the entries of a map.
///
/// Good for the one call it is passed to. A `null`, or `undefined`, stands for a field that is not there.
public struct CBORFieldDecoder: ~Copyable {
  let session: CBORDecodingSession
  let frame: CBORDecodingFrame.Pointer

  /// Begins the fields of the value at `offset`, a part of `parent`'s, to be ended by ``end()`` or ``leave()``.
  init(_ session: CBORDecodingSession, _ parent: CBORDecodingFrame.Pointer, at offset: Int) throws {
    self.session = session
    frame = try session.fieldFrame(in: parent, at: offset)
  }

  /// Ends a value that was read, and returns where it ends.
  @usableFromInline
  mutating func end() throws -> Int {
    defer { session.leaveOwn(frame) }
    do throws(CBORFault) {
      return try session.end(of: frame)
    } catch {
      throw session.error(error, [String: Any].self, path: codingPath)
    }
  }

  /// The fields of a value inside.
  @usableFromInline
  func fields(at start: Int) throws -> CBORFieldDecoder {
    try CBORFieldDecoder(session, frame, at: start)
  }

  /// Where the value of a field is; `nil` where there is none, or null.
  @usableFromInline
  mutating func start(ofField name: StaticString) throws -> Int? {
    try start(of: name, [String: Any].self, isNullMissing: true)
  }

  /// The field has been read up to `end`.
  @usableFromInline
  mutating func pass(_ name: StaticString, to end: Int) {
    session.pass(frame, name, to: end)
  }

  /// Ends a value that could not be read.
  @usableFromInline
  mutating func leave() {
    session.leaveOwn(frame)
  }

  /// The steps to the value whose fields these are.
  public var codingPath: [any CodingKey] { frame.pointee.codingPath }

  /// The error of a value that cannot do without a field.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - reason: Why it cannot, in words.
  /// - Returns: `DecodingError.keyNotFound`, with the path to the value and the byte at which it starts.
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
      guard var offset = try session.find(name, in: frame) else { throw missing }
      let value = try body(&offset)
      session.pass(frame, name, to: offset)
      return value
    } catch {
      throw failure(error, name, type)
    }
  }

  private var missing: CBORFault { CBORFault(.missing, at: frame.pointee.start, "") }

  @inline(never)
  func failure(_ fault: CBORFault, _ name: StaticString, _ type: Any.Type) -> DecodingError {
    if fault.kind == .missing { return notFound(name, "a map without the key \"\(name)\"") }
    return session.error(fault, type, path: codingPath + [CBORCodingKey(stringValue: "\(name)")])
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: Bool.Type, forKey name: StaticString) throws -> Bool {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.boolean(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: String.Type, forKey name: StaticString) throws -> String {
    try read(name, type) { offset throws(CBORFault) in
      try session.input.pointee.text(&offset)
    }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: Double.Type, forKey name: StaticString) throws -> Double {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.double(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: Float.Type, forKey name: StaticString) throws -> Float {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.float(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: Int.Type, forKey name: StaticString) throws -> Int {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: Int8.Type, forKey name: StaticString) throws -> Int8 {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: Int16.Type, forKey name: StaticString) throws -> Int16 {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: Int32.Type, forKey name: StaticString) throws -> Int32 {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: Int64.Type, forKey name: StaticString) throws -> Int64 {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: UInt.Type, forKey name: StaticString) throws -> UInt {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: UInt8.Type, forKey name: StaticString) throws -> UInt8 {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: UInt16.Type, forKey name: StaticString) throws -> UInt16 {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: UInt32.Type, forKey name: StaticString) throws -> UInt32 {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  /// Reads a field.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else.
  public mutating func decode(_ type: UInt64.Type, forKey name: StaticString) throws -> UInt64 {
    try read(name, type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  /// Reads a field of any type, in its own way or by its fields.
  ///
  /// - Throws: `DecodingError`, with the path and the byte, where it is missing, null or something else, and what the
  ///   value throws.
  public mutating func decode<Value: Decodable>(_ type: Value.Type, forKey name: StaticString) throws -> Value {
    guard let value = try find(type, name, isNullMissing: false) else { throw failure(missing, name, type) }
    return value
  }

  @inline(__always)
  func find<Value: Decodable>(
    _ type: Value.Type, _ name: StaticString, isNullMissing: Bool
  ) throws -> Value? {
    guard var offset = try start(of: name, type, isNullMissing: isNullMissing) else { return nil }
    let value = try session.decode(type, &offset, in: frame)
    session.pass(frame, name, to: offset)
    return value
  }

  /// Where the value of a field is; `nil` where there is none, or, on request, null.
  @inline(__always)
  private func start(of name: StaticString, _ type: Any.Type, isNullMissing: Bool) throws -> Int? {
    do throws(CBORFault) {
      guard var offset = try session.find(name, in: frame) else { return nil }
      if isNullMissing, try session.null(&offset, insteadOf: type) {
        session.pass(frame, name, to: offset)
        return nil
      }
      frame.pointee.key.name = name
      return offset
    } catch {
      throw failure(error, name, type)
    }
  }
}
