// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The common interface of ``CBOREncodingPlan`` and ``CBORDecodingPlan``, for the cache of plans.
protocol CBORTypePlan: AnyObject {
  /// Returns a new plan for `type`; `nil` if its values use `encode(to:)` or `init(from:)`.
  static func plan<Value>(for type: Value.Type) -> Self.Base?

  /// The class from which all plans of one direction inherit: ``CBOREncodingPlan`` or ``CBORDecodingPlan``.
  associatedtype Base: AnyObject
}

/// A cache of the plans of types, by the address of the type.
///
/// Finding the plan of a type takes conformance lookups, so the cache stores the result. The linker determines the
/// addresses, so their hashes may collide: two types with the same hash use adjacent slots.
final class CBORPlanCache<Plan: CBORTypePlan> where Plan.Base == Plan {
  private struct Slot {
    var type: UInt
    var plan: Plan?
  }

  private let slots: UnsafeMutablePointer<Slot>
  private static var capacity: Int { 256 }

  init() {
    slots = .allocate(capacity: Self.capacity)
    slots.initialize(repeating: Slot(type: 0, plan: nil), count: Self.capacity)
  }

  deinit {
    slots.deinitialize(count: Self.capacity)
    slots.deallocate()
  }

  /// Returns the plan for `type`; `nil` if its values use `encode(to:)` or `init(from:)`.
  @inline(__always)
  func plan<Value>(for type: Value.Type) -> Plan? {
    let address = UInt(bitPattern: ObjectIdentifier(type))
    let place = Int(truncatingIfNeeded: CBORTypeHash.hash(address, bits: 8))
    if _fastPath(slots[place].type == address) { return slots[place].plan }
    return secondPlan(for: type, address, place)
  }

  @inline(never)
  private func secondPlan<Value>(for type: Value.Type, _ address: UInt, _ place: Int) -> Plan? {
    let second = place ^ 1
    if slots[second].type == address { return slots[second].plan }
    let plan = Plan.plan(for: type)
    // The previous plan of the first slot moves to the second slot.
    if slots[place].type != 0 { slots[second] = slots[place] }
    slots[place] = Slot(type: address, plan: plan)
    return plan
  }
}

/// A hash function for the addresses of types.
enum CBORTypeHash {
  /// Returns a hash of `bits` bits, by multiplication with the golden ratio.
  @inline(__always)
  static func hash(_ type: UInt, bits: UInt) -> UInt {
    UInt(truncatingIfNeeded: (UInt64(type) >> 3 &* 0x9E37_79B9_7F4A_7C15) &>> (64 - UInt64(bits)))
  }
}
