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
    // The tables contain text.
    let names = session.options.usesIntegerKeys ? nil : session.names(of: type)
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
  @inline(__always)
  private func write(_ value: some Any, _ body: (inout CBORWriter) -> Void) throws {
    try beginValue(value)
    body(&session.writer.pointee)
  }

  /// Makes `value` the single value of the frame, or throws if the frame already has a value.
  @inline(__always)
  private func beginValue(_ value: some Any) throws {
    if _slowPath(frame.pointee.kind != .empty || frame.isWaiting) { throw session.refusal(of: value, frame) }
    frame.pointee.kind = .value
  }

  func encodeNil() throws { try write(()) { $0.write(byte: CBORByte.null) } }
  func encode(_ value: Bool) throws { try write(value) { $0.write(value) } }
  func encode(_ value: String) throws { try write(value) { $0.write(value) } }
  func encode(_ value: Double) throws { try write(value) { $0.write(value) } }
  func encode(_ value: Float) throws { try write(value) { $0.write(value) } }
  func encode(_ value: Int) throws { try write(value) { $0.write(value) } }
  func encode(_ value: Int8) throws { try write(value) { $0.write(value) } }
  func encode(_ value: Int16) throws { try write(value) { $0.write(value) } }
  func encode(_ value: Int32) throws { try write(value) { $0.write(value) } }
  func encode(_ value: Int64) throws { try write(value) { $0.write(value) } }
  func encode(_ value: Int128) throws { try write(value) { $0.write(value) } }
  func encode(_ value: UInt) throws { try write(value) { $0.write(value) } }
  func encode(_ value: UInt8) throws { try write(value) { $0.write(value) } }
  func encode(_ value: UInt16) throws { try write(value) { $0.write(value) } }
  func encode(_ value: UInt32) throws { try write(value) { $0.write(value) } }
  func encode(_ value: UInt64) throws { try write(value) { $0.write(value) } }
  func encode(_ value: UInt128) throws { try write(value) { $0.write(value) } }

  func encode<Value: Encodable>(_ value: Value) throws {
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
