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
/// the answer is kept, by the address of the type, in a table in which a type has one place.
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
    let slot = slots + Int(truncatingIfNeeded: CBORTypeHash.hash(address, bits: 8))
    if _slowPath(slot.pointee.type != address) {
      slot.pointee = Slot(type: address, plan: Plan.plan(for: type))
    }
    return slot.pointee.plan
  }
}
