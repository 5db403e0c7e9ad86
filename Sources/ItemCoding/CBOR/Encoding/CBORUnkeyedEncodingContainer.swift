// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
