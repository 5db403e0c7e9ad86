// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
  @inline(__always)
  private func read<Value>(
    _ type: Value.Type, _ body: (inout Int) throws(CBORFault) -> Value
  ) throws -> Value {
    var offset = frame.pointee.start
    do throws(CBORFault) {
      if _slowPath(offset < 0) { throw CBORFault(.null, at: 0, "expected \(type), found nothing") }
      let value = try body(&offset)
      frame.pointee.end = offset
      return value
    } catch {
      throw session.error(error, type, of: frame)
    }
  }

  func decodeNil() -> Bool {
    var offset = frame.pointee.start
    guard offset >= 0 else { return true }
    guard let isNull = try? session.input.pointee.null(&offset), isNull else { return false }
    frame.pointee.end = offset
    return true
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.boolean(&offset) }
  }

  func decode(_ type: String.Type) throws -> String {
    try read(type) { offset throws(CBORFault) in
      try session.input.pointee.text(&offset)
    }
  }

  func decode(_ type: Double.Type) throws -> Double {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.double(&offset) }
  }

  func decode(_ type: Float.Type) throws -> Float {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.float(&offset) }
  }

  func decode(_ type: Int.Type) throws -> Int {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: Int8.Type) throws -> Int8 {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: Int16.Type) throws -> Int16 {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: Int32.Type) throws -> Int32 {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: Int64.Type) throws -> Int64 {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: Int128.Type) throws -> Int128 {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: UInt.Type) throws -> UInt {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: UInt8.Type) throws -> UInt8 {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: UInt16.Type) throws -> UInt16 {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: UInt32.Type) throws -> UInt32 {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: UInt64.Type) throws -> UInt64 {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try read(type) { offset throws(CBORFault) in try session.input.pointee.integer(&offset) }
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
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
