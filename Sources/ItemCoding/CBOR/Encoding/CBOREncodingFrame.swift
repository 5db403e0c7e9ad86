// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A value being written, at one depth: where it starts, and how far it has come.
///
/// Frames are memory of their session and live as long as it does, so a container that a program keeps too long is
/// an error, never a stray pointer. They form a list, from the outermost depth inwards.
struct CBOREncodingFrame: CBORPathStep {
  typealias Pointer = UnsafeMutablePointer<CBOREncodingFrame>

  enum Kind: UInt8 {
    /// Nothing has been asked for yet.
    case empty
    case map
    case array
    /// A single value.
    case value
    /// Of no use any more; writing to it is an error.
    case finished
  }

  var kind = Kind.empty
  /// Keys did not come in the order of their cases, so the same may have come twice.
  var mayRepeatKeys = false
  /// Entries of maps are to be sorted, for which it is noted where they start.
  var sortsEntries = false
  /// A value of this depth is in progress.
  var isBusy = false
  /// What the program did wrong where it could not be told, to be thrown when it can be.
  var misuse: StaticString?
  /// Where the value starts: in a map or array, its header.
  var start = 0
  /// Entries of a map, elements of an array.
  var count = 0
  /// How many maps and arrays the value is within.
  var nesting = 0
  /// How many inserts the session had when the value was begun.
  var insertCount = 0
  /// The key of the entry in progress.
  var key = CBORCurrentKey()
  /// The step to this value where its parent is busy with others meanwhile.
  var ownKey: (any CodingKey)?

  /// The steps to a value that the program kept, which are no longer to be followed.
  var keptPath: [any CodingKey]?

  var parent: Pointer?
  /// The frame of values inside.
  var inner: Pointer?
  /// The encoder of the values of this depth; `nil` where the session has been dissolved.
  var level: CBOREncodingLevel?
  /// The level in the form in which values take it, for them to borrow; good for as long as the level is, which it does
  /// not retain.
  let encoder = UnsafeMutablePointer<any Encoder>.allocate(capacity: 1)
  var containers: CBORContainerCache
  var entryStarts = CBOREntryStarts()

  /// - Parameter reusesContainers: Whether the frame stores keyed containers for later values.
  init(reusesContainers: Bool) {
    containers = CBORContainerCache(isClosed: !reusesContainers)
  }

  /// The step from here to the value in progress inside.
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
  /// A value inside is in progress, so nothing may be written here.
  ///
  /// Of the pointer, because a property of the frame would have the whole frame copied.
  @inline(__always) var isWaiting: Bool {
    if let inner = pointee.inner { inner.pointee.isBusy } else { false }
  }

  /// Entry `number` starts at `offset`.
  @inline(__always)
  func beginEntry(_ number: Int, at offset: Int) {
    if _slowPath(pointee.sortsEntries) { pointee.entryStarts.note(offset, at: number) }
  }
}
