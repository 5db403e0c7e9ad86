// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UTType {
  /// Whether data of this type may be used where `type` is wanted: it is that type, or conforms to it by any path.
  ///
  /// A type that nobody declared conforms to itself and to ``data``; a dynamic type to what its identifier states and,
  /// where the system's MIME database knows its MIME type or its extension, to what that says.
  public func conforms(to type: UTType) -> Bool {
    if slot < SystemTypes.count, type.slot < SystemTypes.count {
      return SystemTypes.conforms(Int(slot), to: Int(type.slot))
    }
    if slot != Self.noSlot, type.slot != Self.noSlot {
      return slot == type.slot || TypeRegistry.shared.conforms(Int(slot), to: Int(type.slot))
    }
    return self == type || isSubtype(of: type)
  }

  /// Whether this type conforms to `type` without being it.
  public func isSubtype(of type: UTType) -> Bool {
    if slot != Self.noSlot {
      if let other = type.registeredSlot {
        return slot != other && TypeRegistry.shared.conforms(Int(slot), to: Int(other))
      }
      // What has no slot is nobody's parent, or is dynamic.
      return false
    }
    if let dynamic = DynamicIdentifier(identifier) {
      return self != type && dynamic.supertypes(in: .current).contains(type)
    }
    let named = UTType(named: identifier)
    return named.slot == Self.noSlot ? type == .data || type == .item : named.isSubtype(of: type)
  }

  /// Whether `type` conforms to this one without being it.
  public func isSupertype(of type: UTType) -> Bool {
    type.isSubtype(of: self)
  }

  /// Every type this one conforms to, directly or not, itself excluded.
  public var supertypes: Set<UTType> {
    if let slot = knownSlot {
      return Set(
        TypeRegistry.shared.ancestors(of: Int(slot)).map { found in
          // A dynamic type may be a parent, and tells more of itself than its slot.
          found.slot >= TypeGraph.systemCount && DynamicIdentifier.isPrefix(of: found.identifier)
            ? UTType(undeclared: found.identifier) : UTType(identifier: found.identifier, slot: found.slot)
        })
    }
    if let dynamic = DynamicIdentifier(identifier) { return dynamic.supertypes(in: .current).subtracting([self]) }
    return [.data, .item]
  }

  /// The slot that tells of the type, also where that was declared after this value was made.
  ///
  /// A dynamic type has none: its identifier tells of it, whether or not it is a parent of others.
  var knownSlot: UInt32? {
    slot == Self.noSlot && DynamicIdentifier.isPrefix(of: identifier) ? nil : registeredSlot
  }

  /// The slot by which others may conform to the type.
  private var registeredSlot: UInt32? {
    if slot != Self.noSlot { return slot }
    return TypeRegistry.shared.find(identifier).map { UInt32(truncatingIfNeeded: $0.slot) }
  }
}

// MARK: What others must be told

extension UTType {
  /// The supertypes that another process must be told of to know them all; none for a type of the system.
  ///
  /// The other process knows the system's types, and reads in a dynamic identifier what that states.
  package var supertypesToState: [UTType] {
    if let slot = knownSlot {
      if slot < SystemTypes.declaredCount { return [] }
      return TypeRegistry.shared.statement(of: Int(slot)) { supertypesToState(beside: []) }
    }
    return DynamicIdentifier(identifier).map { supertypesToState(beside: $0.supertypes(in: nil)) } ?? []
  }

  /// All supertypes without those that others know, and without those that follow from the system's.
  private func supertypesToState(beside known: Set<UTType>) -> [UTType] {
    var known = known
    let all = supertypes
    for type in all where type.slot < SystemTypes.declaredCount { known.formUnion(type.supertypes) }
    return all.subtracting(known).sorted { $0.identifier < $1.identifier }
  }
}
