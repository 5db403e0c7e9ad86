// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A value being read, at one depth: where it is, and how far it has been read.
///
/// Frames are memory of their session, as ``CBOREncodingFrame`` tells.
struct CBORDecodingFrame: CBORPathStep {
  typealias Pointer = UnsafeMutablePointer<CBORDecodingFrame>

  enum Kind: UInt8 {
    /// Nothing has been asked for yet.
    case unread
    case map
    case array
    /// A single value is being read from it.
    case value
  }

  var kind = Kind.unread
  /// Differs for each value that is begun.
  var number = 0
  /// A value of this depth is in progress.
  var isBusy = false
  /// It belongs to no depth, and goes back to the others that do not.
  var isSpare = false
  /// It belongs to a level that the program keeps.
  var isLent = false
  /// Where the value starts, tags included; negative for one that is not there, which reads as null.
  var start = 0
  /// Where the first entry or element is.
  var content = 0
  /// How many entries or elements there are; negative where only a break will tell.
  var total = 0
  /// The first entry or element that has not been read in order.
  var cursor = 0
  /// How many have been, up to there.
  var passed = 0
  /// Where the value ends; negative until it is known.
  var end = -1
  /// The last key that was read in order, in which places in the same table ascend.
  var lastKeyPlace = -1
  var lastKeyNames: UnsafeRawPointer?
  /// Which fields were read in order, by their names' hashes, so that one that is asked for again is told from one that
  /// is not there.
  var passedNames: UInt64 = 0
  /// All keys of the map, once one did not come in order.
  var index = CBORMapIndex()
  /// How many maps and arrays the value is within.
  var nesting = 0
  /// How many frames had been given to the program when the value was begun.
  var nestedCount = 0

  /// The key of the entry in progress.
  var key = CBORCurrentKey()
  /// The step to this value where its parent is busy with others meanwhile.
  var ownKey: (any CodingKey)?

  /// The path of the value with the number ``pathOwner``, which an error had.
  var path: [any CodingKey] = []
  var pathOwner = -1
  /// The number of the value around it, where the last step of ``path`` leads from there.
  var pathParent = -1
  /// The path of the entry that an error was at last, in the value with the number ``entryPathOwner``.
  var entryPath: [any CodingKey] = []
  var entryPathOwner = -1

  /// The steps to a value that the program kept, which are no longer to be followed.
  var keptPath: [any CodingKey]?

  var parent: Pointer?
  /// The frame of values inside.
  var inner: Pointer?
  /// The decoder of the values of this depth.
  var level: CBORDecodingLevel?
  var containers: CBORContainerCache

  /// - Parameter reusesContainers: Whether the frame stores keyed containers for later values.
  init(reusesContainers: Bool) {
    containers = CBORContainerCache(isClosed: !reusesContainers)
  }

  /// The value under a key that was found, which is the next one in order, has been read up to `end`.
  @inline(__always)
  mutating func pass(key place: Int, of names: Unmanaged<CBORKeyNames>?, to end: Int) {
    if _fastPath(!index.isMade) {
      cursor = end
      passed &+= 1
      lastKeyPlace = place
      lastKeyNames = names.map { UnsafeRawPointer($0.toOpaque()) }
    }
  }

  /// How many bytes have been read of a value that could not be read to its end.
  @inline(__always) var readByteCount: Int { max(0, max(end, kind == .map || kind == .array ? cursor : 0) - start) }

  /// The step from here to the value in progress inside.
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
