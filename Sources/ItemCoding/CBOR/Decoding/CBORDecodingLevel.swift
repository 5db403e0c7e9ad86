// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The position of the decoder in a value at one depth.
///
/// The session owns the memory of frames; see ``CBOREncodingFrame``.
struct CBORDecodingFrame: CBORPathStep {
  typealias Pointer = UnsafeMutablePointer<CBORDecodingFrame>

  enum Kind: UInt8 {
    /// The program has requested nothing yet.
    case unread
    case map
    case array
    /// The program decodes a single value.
    case value
  }

  var kind = Kind.unread
  /// The number of the value, which identifies it among all values of the session.
  var number = 0
  /// Whether a value of this depth is in progress.
  var isBusy = false
  /// Whether the frame belongs to no depth, so that the session recycles it after its value.
  var isSpare = false
  /// Whether the frame belongs to a level that the program retains.
  var isRetained = false
  /// The offset of the value, including its tags; negative for a missing value, which decodes as null.
  var start = 0
  /// The offset of the first entry or element.
  var content = 0
  /// The number of entries or elements; negative if a break ends them.
  var total = 0
  /// The offset of the first entry or element that was not decoded in order.
  var cursor = 0
  /// The number of entries or elements before ``cursor``.
  var passed = 0
  /// The offset after the value; negative until it is known.
  var end = -1
  /// The rank of the last key that was decoded in order, or -1.
  ///
  /// Keys in the order of their table have ascending ranks (``CBORKeyNames/Name/place``).
  var lastKeyPlace = -1
  /// The table of the last key that was decoded in order.
  var lastKeyNames: UnsafeRawPointer?
  /// A set of the fields that were decoded in order, with a bit for each hash of a name.
  ///
  /// A field whose bit is not set has not been decoded.
  var passedNames: UInt64 = 0
  /// The index of the map's keys, created when the program requests a key out of order or leaves an entry unread.
  var index = CBORMapIndex()
  /// The number of maps and arrays around the value, and of the tags of ``CBORTagged``.
  var nesting = 0
  /// The number of nested decoders when the value began.
  var nestedCount = 0

  /// The key of the current entry.
  var key = CBORCurrentKey()
  /// The last step of the path of a nested decoder; the parent's current entry may have changed since.
  var ownKey: (any CodingKey)?

  /// The path of the value with the number ``pathOwner``, cached for errors.
  var path: [any CodingKey] = []
  var pathOwner = -1
  /// The number of the outer value, to whose path the last step of ``path`` was added.
  var pathParent = -1
  /// The path of the entry of the last error, in the value with the number ``entryPathOwner``.
  var entryPath: [any CodingKey] = []
  var entryPathOwner = -1

  /// The path of a value whose decoder or container the program retains; it replaces the path through ``parent``.
  var keptPath: [any CodingKey]?

  var parent: Pointer?
  /// The frame of nested values.
  var inner: Pointer?
  /// The decoder of this depth's values.
  var level: CBORDecodingLevel?

  /// Moves past the value of a key that was next in order, to the offset `end`.
  @inline(__always)
  mutating func pass(key place: Int, of names: Unmanaged<CBORKeyNames>?, to end: Int) {
    if _fastPath(!index.isMade) {
      cursor = end
      passed &+= 1
      lastKeyPlace = place
      lastKeyNames = names.map { UnsafeRawPointer($0.toOpaque()) }
    }
  }

  /// The number of bytes of an incomplete value that were decoded.
  @inline(__always) var readByteCount: Int { max(0, max(end, kind == .map || kind == .array ? cursor : 0) - start) }

  /// The step of the coding path from this value to the nested value in progress.
  var currentKey: (any CodingKey)? {
    @inline(__always) mutating get {
      switch kind {
      case .map: key.key
      case .array: CBORCodingKey(index: key.place)
      case .unread, .value: nil
      }
    }
  }
}

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
  func decodeNil() -> Bool {
    var offset = frame.pointee.start
    guard offset >= 0 else { return true }
    guard let isNull = try? session.input.pointee.null(&offset), isNull else { return false }
    frame.pointee.end = offset
    return true
  }

  // The standard library provides these two methods, which only throw.
  func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }

  @inline(__always)
  private func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
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
