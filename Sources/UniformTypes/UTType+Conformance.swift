// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UTType {
  /// Returns whether data of this type may be used as `type`: the two are equal, or this type conforms to `type`
  /// directly or indirectly.
  ///
  /// An undeclared type conforms to itself, ``data`` and ``item``. A dynamic type conforms to the types that its
  /// identifier states, and to their supertypes. If ``data`` is the only type stated, and the system's MIME database
  /// knows the MIME type or extension, the type also conforms to the supertypes that the database states.
  public func conforms(to type: UTType) -> Bool {
    if slot < SystemTypes.count, type.slot < SystemTypes.count {
      return SystemTypes.conforms(Int(slot), to: Int(type.slot))
    }
    if slot != Self.noSlot, type.slot != Self.noSlot {
      return slot == type.slot || TypeRegistry.shared.conforms(Int(slot), to: Int(type.slot))
    }
    return self == type || isSubtype(of: type)
  }

  /// Returns whether this type conforms to `type` and is a different type.
  public func isSubtype(of type: UTType) -> Bool {
    if slot != Self.noSlot {
      if let other = type.registeredSlot {
        return slot != other && TypeRegistry.shared.conforms(Int(slot), to: Int(other))
      }
      // No declaration names `type` as a parent, as it has no slot.
      return false
    }
    if let dynamic = DynamicIdentifier(identifier) {
      return self != type && dynamic.supertypes(in: .current).contains(type)
    }
    let named = UTType(named: identifier)
    return named.slot == Self.noSlot ? type == .data || type == .item : named.isSubtype(of: type)
  }

  /// Returns whether `type` conforms to this type and is a different type.
  public func isSupertype(of type: UTType) -> Bool {
    type.isSubtype(of: self)
  }

  /// All types that this type conforms to, directly or indirectly, without the type itself.
  public var supertypes: Set<UTType> {
    if let slot = knownSlot {
      return Set(
        TypeRegistry.shared.ancestors(of: Int(slot)).map { found in
          // A dynamic type is returned without its slot, because its identifier states more than the registry has.
          found.slot >= TypeGraph.systemCount && DynamicIdentifier.isPrefix(of: found.identifier)
            ? UTType(undeclared: found.identifier) : UTType(identifier: found.identifier, slot: found.slot)
        })
    }
    if let dynamic = DynamicIdentifier(identifier) { return dynamic.supertypes(in: .current).subtracting([self]) }
    return [.data, .item]
  }

  /// The slot of the type, even if the type was declared after this value was created.
  ///
  /// The result is `nil` for a type that no declaration mentions. It is also `nil` for a dynamic type, even if it is a
  /// parent of other types: its identifier describes it.
  var knownSlot: UInt32? {
    slot == Self.noSlot && DynamicIdentifier.isPrefix(of: identifier) ? nil : registeredSlot
  }

  /// The slot of the type, even if the type is dynamic and a parent of other types.
  private var registeredSlot: UInt32? {
    if slot != Self.noSlot { return slot }
    return TypeRegistry.shared.find(identifier).map { UInt32(truncatingIfNeeded: $0.slot) }
  }
}

// MARK: Supertypes for other processes

extension UTType {
  /// The supertypes to send to another process, which can derive all others from these.
  ///
  /// The other process knows the system's types, and decodes dynamic identifiers. The list is empty for a type of the
  /// system, and for a type that is not dynamic and that no declaration mentions.
  package var supertypesToState: [UTType] {
    if let slot = knownSlot {
      if slot < SystemTypes.declaredCount { return [] }
      return TypeRegistry.shared.statement(of: Int(slot)) { supertypesToState(beside: []) }
    }
    return DynamicIdentifier(identifier).map { supertypesToState(beside: $0.supertypes(in: nil)) } ?? []
  }

  /// Returns all supertypes except `known` and the supertypes of types that the system declares.
  private func supertypesToState(beside known: Set<UTType>) -> [UTType] {
    var known = known
    let all = supertypes
    for type in all where type.slot < SystemTypes.declaredCount { known.formUnion(type.supertypes) }
    return all.subtracting(known).sorted { $0.identifier < $1.identifier }
  }
}
