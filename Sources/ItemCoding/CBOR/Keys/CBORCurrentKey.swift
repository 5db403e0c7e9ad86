// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The key or index of the entry in progress, kept so that it costs next to nothing until an error wants it.
struct CBORCurrentKey {
  /// The place in ``names``, or in an array; or one of the constants below.
  var place = -1
  var names: Unmanaged<CBORKeyNames>?
  /// A key without a table.
  var other: (any CodingKey)?
  /// The key of a dictionary, where `place` is ``textPlace`` or ``numberPlace``: a key proper would take an allocation.
  var text = ""
  var number = 0
  static let textPlace = -2
  static let numberPlace = -3
  /// The field of a type that codes its fields itself, where `place` is ``namePlace``.
  var name: StaticString = ""
  static let namePlace = -4

  /// The key, in a map; mutating only so that it is read in place.
  var key: (any CodingKey)? {
    @inline(__always) mutating get {
      if place >= 0, let names { return names.takeUnretainedValue().key(UInt8(place)) }
      if place == Self.textPlace { return CBORCodingKey(stringValue: text) }
      if place == Self.namePlace { return CBORCodingKey(stringValue: "\(name)") }
      if place == Self.numberPlace { return CBORCodingKey(intValue: number) }
      return other
    }
  }
}

/// The keys of dictionaries that are entries of a map: text and integers.
protocol CBORDictionaryKey: Hashable, Sendable {
  /// Makes this the key of the entry in progress.
  func note(in current: inout CBORCurrentKey)
}

extension String: CBORDictionaryKey {
  func note(in current: inout CBORCurrentKey) {
    current.place = CBORCurrentKey.textPlace
    current.text = self
  }
}

extension Int: CBORDictionaryKey {
  func note(in current: inout CBORCurrentKey) {
    current.place = CBORCurrentKey.numberPlace
    current.number = self
  }
}
