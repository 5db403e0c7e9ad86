// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A value being written, at one depth: where it starts, and how far it has come.
///
/// Frames are memory of their session and live as long as it does, so a container that a program keeps too long is
/// an error, never a stray pointer. They form a list, from the outermost depth inwards.
struct CBOREncodingFrame {
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
  /// The key of the entry in progress: one byte and its table, or the key itself.
  var keyByte = -1
  var names: Unmanaged<CBORKeyNames>?
  var key: (any CodingKey)?
  /// The key of a dictionary, where `keyByte` is ``textKey`` or ``numberKey``: a key proper would take an allocation.
  var text = ""
  var number = 0
  static let textKey = -2
  static let numberKey = -3
  /// The field of a type that codes its fields itself, where `keyByte` is ``nameKey``.
  var name: StaticString = ""
  static let nameKey = -4
  /// The step to this value where its parent is busy with others meanwhile.
  var ownKey: (any CodingKey)?

  /// The steps to a value that the program kept, which are no longer to be followed.
  var keptPath: [any CodingKey]?

  var parent: Pointer?
  /// The frame of values inside.
  var inner: Pointer?
  /// The encoder of the values of this depth; `nil` where the session has been dissolved.
  var level: CBOREncodingLevel?
  var containers = CBORContainerCache()

  /// A value inside is in progress, so nothing may be written here.
  @inline(__always) var isWaiting: Bool { inner.map { $0.pointee.isBusy } ?? false }

  /// The step from here to the value in progress inside.
  var currentKey: (any CodingKey)? {
    switch kind {
    case .map:
      if keyByte >= 0, let names { return names.takeUnretainedValue().key(UInt8(keyByte)) }
      if keyByte == Self.textKey { return CBORCodingKey(stringValue: text) }
      if keyByte == Self.nameKey { return CBORCodingKey(stringValue: "\(name)") }
      if keyByte == Self.numberKey { return CBORCodingKey(intValue: number) }
      return key
    case .array: return CBORCodingKey(index: count)
    case .empty, .value, .finished: return nil
    }
  }

  /// The steps from the outermost value to this one.
  var codingPath: [any CodingKey] {
    var steps: [any CodingKey] = []
    var (next, ownKey, keptPath) = (parent, ownKey, keptPath)
    while keptPath == nil, let frame = next {
      if let step = ownKey ?? frame.pointee.currentKey { steps.append(step) }
      (next, ownKey, keptPath) = (frame.pointee.parent, frame.pointee.ownKey, frame.pointee.keptPath)
    }
    return (keptPath ?? []) + steps.reversed()
  }
}
