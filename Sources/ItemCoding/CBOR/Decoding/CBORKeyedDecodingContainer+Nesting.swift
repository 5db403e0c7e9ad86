// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Containers and decoders of values inside.
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

  /// The decoder of the value under `key`; on request, of null where there is none.
  private func level(_ key: Key, orNull: Bool) throws -> CBORDecodingLevel {
    var start = -1
    do throws(CBORFault) {
      if let found = try find(key) {
        start = found
        // The next key is behind the value, whether and whenever the program reads that.
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
