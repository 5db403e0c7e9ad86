// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What can be found for a type.
protocol CBORTypePlan: AnyObject {
  /// The plan for `type`; `nil` for a type that codes itself.
  static func plan<Value>(for type: Value.Type) -> Self.Base?

  /// The class itself, whose subclasses are the plans.
  associatedtype Base: AnyObject
}

/// How values of each type are coded: by a plan, or by themselves.
///
/// To find out whether a type is an array, a dictionary or one with fields of its own takes conformance look-ups, so
/// the answer is kept, by the address of the type, in a table in which a type has one place, and a second one for two
/// types of the same place: where their addresses lie is up to the linker.
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

  /// The plan for `type`; `nil` for a type that codes itself.
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
    // The one that was there before stays as long as there is room.
    if slots[place].type != 0 { slots[second] = slots[place] }
    slots[place] = Slot(type: address, plan: plan)
    return plan
  }
}
