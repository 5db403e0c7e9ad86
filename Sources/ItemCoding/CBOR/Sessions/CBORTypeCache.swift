// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A cache of the plans or key names of types, by the address of the type.
///
/// The values live as long as the cache. A dictionary would take a quarter of the time of an encoder.
final class CBORTypeCache<Value: AnyObject> {
  private struct Slot {
    var type: UInt
    var value: Value?
  }

  private let slots: UnsafeMutablePointer<Slot>
  private var count = 0
  private static var capacity: Int { 256 }

  init() {
    slots = .allocate(capacity: Self.capacity)
    slots.initialize(repeating: Slot(type: 0, value: nil), count: Self.capacity)
  }

  deinit {
    slots.deinitialize(count: Self.capacity)
    slots.deallocate()
  }

  /// Whether the cache stores no more types; enough for the types of a program.
  var isFull: Bool { count >= Self.capacity / 2 }

  /// Returns the value for `type`, which `create` returns for the first call, or for every call if the cache is full.
  @inline(__always)
  func value<Key>(for type: Key.Type, _ create: () -> Value?) -> Value? {
    let type = UInt(bitPattern: ObjectIdentifier(type))
    // The multiplication with the golden ratio hashes the address to eight bits.
    var place = Int(truncatingIfNeeded: (UInt64(type >> 3) &* 0x9E37_79B9_7F4A_7C15) >> 56)
    while _slowPath(slots[place].type != type) {
      if slots[place].type == 0 {
        if isFull { return create() }
        slots[place] = Slot(type: type, value: create())
        count += 1
        break
      }
      place = (place + 1) % Self.capacity
    }
    return slots[place].value
  }
}
