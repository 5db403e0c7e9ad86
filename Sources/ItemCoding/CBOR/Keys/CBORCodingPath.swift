// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A step of a coding path without a key of the program: an index, a dictionary key, a field name or `super`.
///
/// An existential stores it inline, without an allocation. The text for a number is created on demand.
struct CBORCodingKey: CodingKey {
  private enum Step {
    case text(String)
    case number(Int)
    case index(Int)
  }

  private let step: Step

  init(stringValue: String) {
    step = .text(stringValue)
  }

  init(intValue: Int) {
    step = .number(intValue)
  }

  /// Creates the step to the element at `index` of an array, with the name that Foundation's coders use.
  init(index: Int) {
    step = .index(index)
  }

  var stringValue: String {
    switch step {
    case .text(let text): text
    case .number(let number): "\(number)"
    case .index(let index): "Index \(index)"
    }
  }

  var intValue: Int? {
    switch step {
    case .text: nil
    case .number(let number), .index(let number): number
    }
  }

  static let `super` = CBORCodingKey(stringValue: "super")
}

/// The key or index of the current entry.
///
/// Setting it is cheap; the key is created when an error needs it.
struct CBORCurrentKey {
  /// An index in ``names`` or in an array, or one of the constants below.
  var place = -1
  var names: Unmanaged<CBORKeyNames>?
  /// A key whose type has no table of names.
  var other: (any CodingKey)?
  /// A dictionary key, if `place` is ``textPlace`` or ``numberPlace``.
  ///
  /// An existential key would take an allocation.
  var text = ""
  var number = 0
  static let textPlace = -2
  static let numberPlace = -3
  /// The name of a ``CBORFieldCodable`` field, if `place` is ``namePlace``.
  var name: StaticString = ""
  static let namePlace = -4

  /// The key of a map entry.
  ///
  /// The getter is mutating, because another getter would copy the structure.
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

/// A type of dictionary keys that are the keys of a map: text or integers.
protocol CBORDictionaryKey: Hashable, Sendable {
  /// Makes this the key of the current entry.
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

/// The properties of a frame from which the coding path of its value is created.
protocol CBORPathStep {
  /// The frame of the outer value.
  var parent: UnsafeMutablePointer<Self>? { get }
  /// The step of the coding path from this value to the nested value in progress.
  ///
  /// The getter is mutating, because another getter would copy the large frame.
  var currentKey: (any CodingKey)? { mutating get }
  /// The last step of the path of a nested coder; the parent's current entry may have changed since.
  var ownKey: (any CodingKey)? { get }
  /// The path of a value whose coder or container the program retains; it replaces the path through ``parent``.
  var keptPath: [any CodingKey]? { get }
}

extension UnsafeMutablePointer where Pointee: CBORPathStep {
  /// Returns the path of this frame's value, or of the entry with the key `last` in it.
  ///
  /// This is a method of the pointer, because a method of the large frame would copy the frame.
  func path(to last: (any CodingKey)? = nil) -> [any CodingKey] {
    var depth = 1
    var frame = self
    while frame.pointee.keptPath == nil, let parent = frame.pointee.parent {
      depth += 1
      frame = parent
    }
    let keptPath = frame.pointee.keptPath
    let steps = [any CodingKey](unsafeUninitializedCapacity: depth) { steps, count in
      guard let base = steps.baseAddress else { return }
      // The frames are linked from the inside outwards, so the steps are written from the end.
      var place = depth
      func put(_ step: any CodingKey) {
        place -= 1
        (base + place).initialize(to: step)
      }
      if let last { put(last) }
      frame = self
      while frame.pointee.keptPath == nil, let parent = frame.pointee.parent {
        if let step = frame.pointee.ownKey ?? parent.pointee.currentKey { put(step) }
        frame = parent
      }
      count = depth - place
      base.moveInitialize(from: base + place, count: count)
    }
    return keptPath.map { $0 + steps } ?? steps
  }
}
