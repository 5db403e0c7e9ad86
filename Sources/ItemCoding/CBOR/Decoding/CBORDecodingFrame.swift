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
  /// A different number for each value.
  var number = 0
  /// Whether a value of this depth is in progress.
  var isBusy = false
  /// Whether the frame has no depth; the session recycles it.
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
  /// The last key that was decoded in order.
  ///
  /// Keys in the order of their table have ascending places.
  var lastKeyPlace = -1
  var lastKeyNames: UnsafeRawPointer?
  /// A set of the fields that were decoded in order, by a hash of their names.
  ///
  /// It tells a repeated field from a missing one.
  var passedNames: UInt64 = 0
  /// The keys of the map, after one was out of order.
  var index = CBORMapIndex()
  /// The number of maps and arrays around the value.
  var nesting = 0
  /// The number of nested decoders when the value began.
  var nestedCount = 0

  /// The key of the current entry.
  var key = CBORCurrentKey()
  /// The last step of the path, if the parent has another current entry meanwhile.
  var ownKey: (any CodingKey)?

  /// The path of the value with the number ``pathOwner``, cached for errors.
  var path: [any CodingKey] = []
  var pathOwner = -1
  /// The number of the outer value from which the last step of ``path`` starts.
  var pathParent = -1
  /// The path of the last error's entry in the value with the number ``entryPathOwner``.
  var entryPath: [any CodingKey] = []
  var entryPathOwner = -1

  /// The path of a value that the program retains; the parents are no longer followed.
  var keptPath: [any CodingKey]?

  var parent: Pointer?
  /// The frame of nested values.
  var inner: Pointer?
  /// The decoder of this depth's values.
  var level: CBORDecodingLevel?
  var containers: CBORContainerCache

  /// Creates a frame.
  ///
  /// - Parameter reusesContainers: Whether the frame stores keyed containers for later values.
  init(reusesContainers: Bool) {
    containers = CBORContainerCache(isClosed: !reusesContainers)
  }

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

  /// The number of bytes that were decoded of an incomplete value.
  @inline(__always) var readByteCount: Int { max(0, max(end, kind == .map || kind == .array ? cursor : 0) - start) }

  /// The step from here to the nested value in progress.
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
