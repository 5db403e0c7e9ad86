// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Methods for optional values, because the default implementations look up each key three times.
extension CBORKeyedDecodingContainer {
  @inline(__always)
  private func readIfPresent<Value>(
    _ key: Key, _ type: Value.Type, _ body: (inout Int) throws(CBORFault) -> Value
  ) throws -> Value? {
    do throws(CBORFault) {
      guard var offset = try find(key) else { return nil }
      let isNull = try input.pointee.null(&offset)
      let value = isNull ? nil : try body(&offset)
      pass(frame.pointee.key.place, to: offset)
      return value
    } catch {
      throw failure(error, key, type)
    }
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.boolean(&offset) }
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try readIfPresent(key, type) { offset throws(CBORFault) in
      try input.pointee.text(&offset)
    }
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.double(&offset) }
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.float(&offset) }
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try readIfPresent(key, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
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
