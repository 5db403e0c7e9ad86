// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The position of the encoder in a value at one depth.
///
/// The session owns the memory of frames. A container throws after its value is complete, even if the program retains
/// it; its pointer to the frame stays valid. Frames form a list from the outermost depth inwards.
struct CBOREncodingFrame: CBORPathStep {
  typealias Pointer = UnsafeMutablePointer<CBOREncodingFrame>

  enum Kind: UInt8 {
    /// The program has encoded nothing yet.
    case empty
    case map
    case array
    /// The program encodes a single value.
    case value
    /// The value is complete; encoding to it throws.
    case finished
  }

  var kind = Kind.empty
  /// Whether keys were out of order, so that a key may be repeated.
  var mayRepeatKeys = false
  /// Whether the entries will be sorted, so that their offsets must be recorded.
  var sortsEntries = false
  /// Whether a value of this depth is in progress.
  var isBusy = false
  /// An error that the program made in a call that cannot throw; a later call throws it.
  var misuse: StaticString?
  /// The offset of the value; for a map or array, the offset of its header.
  var start = 0
  /// The number of entries or elements.
  var count = 0
  /// The number of maps and arrays around the value, and of the tags of ``CBORTagged``.
  var nesting = 0
  /// The number of nested encoders when the value began.
  var insertCount = 0
  /// The key of the current entry.
  var key = CBORCurrentKey()
  /// The last step of the path of a nested encoder; the parent's current entry may have changed since.
  var ownKey: (any CodingKey)?

  /// The path of a value whose encoder or container the program retains; it replaces the path through ``parent``.
  var keptPath: [any CodingKey]?

  var parent: Pointer?
  /// The frame of nested values.
  var inner: Pointer?
  /// The encoder of this depth's values; `nil` after the session was dissolved.
  var level: CBOREncodingLevel?
  /// The level as an existential, which is passed to `encode(to:)`.
  ///
  /// The existential does not retain the level, and is valid as long as the level exists.
  let encoder = UnsafeMutablePointer<any Encoder>.allocate(capacity: 1)
  /// The offsets of the entries that will be sorted.
  ///
  /// A failed entry is overwritten by the next.
  var entryStarts: [Int] = []

  /// The step of the coding path from this value to the nested value in progress.
  var currentKey: (any CodingKey)? {
    @inline(__always) mutating get {
      switch kind {
      case .map: key.key
      case .array: CBORCodingKey(index: count)
      case .empty, .value, .finished: nil
      }
    }
  }
}

extension UnsafeMutablePointer<CBOREncodingFrame> {
  /// Whether a nested value is in progress, so that nothing can be encoded to this value.
  ///
  /// This is a property of the pointer, because access to a property of the frame would copy the frame.
  @inline(__always) var isWaiting: Bool {
    if let inner = pointee.inner { inner.pointee.isBusy } else { false }
  }

  /// Records that entry `number` starts at `offset`.
  @inline(__always)
  func beginEntry(_ number: Int, at offset: Int) {
    guard _slowPath(pointee.sortsEntries) else { return }
    if number < pointee.entryStarts.count {
      pointee.entryStarts[number] = offset
    } else {
      pointee.entryStarts.append(offset)
    }
  }
}

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
