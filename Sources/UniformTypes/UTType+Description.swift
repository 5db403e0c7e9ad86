// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension UTType {
  /// What a person calls the type, or the nearest type it conforms to that has such a name.
  ///
  /// Dynamic types have none.
  public var localizedDescription: String? {
    guard let slot = knownSlot else { return nil }
    return TypeRegistry.shared.nearestDescription(from: Int(slot))
  }

  /// Where the type is described, as its declaration has it.
  public var referenceURL: URL? {
    guard let slot = knownSlot else { return nil }
    guard slot < TypeGraph.systemCount else { return TypeRegistry.shared.declaration(at: Int(slot))?.referenceURL }
    return SystemTypes.texts(of: Int(slot)).referenceURL.flatMap { URL(string: $0) }
  }

  /// The version of the type's declaration, where that has one.
  public var version: Int? {
    knownSlot.flatMap { TypeRegistry.shared.declaration(at: Int($0)) }?.version
  }

  /// Whether the type is told by its tags alone: its identifier begins with `dyn.` and decodes.
  public var isDynamic: Bool {
    DynamicIdentifier.isPrefix(of: identifier) && DynamicIdentifier(identifier) != nil
  }

  /// Whether the system or this process has declared the type.
  public var isDeclared: Bool {
    TypeRegistry.shared.find(identifier)?.isDeclared ?? false
  }

  /// Whether the type is one of those common to all systems: its identifier begins with `public.`.
  public var isPublic: Bool {
    identifier.hasASCIIPrefix("public.")
  }
}

extension TypeRegistry {
  /// Looks among the parents before it looks among theirs.
  fileprivate func nearestDescription(from start: Int) -> String? {
    var pending = [start]
    var seen: Set<Int> = [start]
    var next = 0
    while next < pending.count {
      let slot = pending[next]
      next += 1
      if let description = description(at: slot) { return description }
      for parent in parents(of: slot) where seen.insert(parent).inserted { pending.append(parent) }
    }
    return nil
  }

  private func description(at slot: Int) -> String? {
    slot < TypeGraph.systemCount
      ? SystemTypes.texts(of: slot).description : declaration(at: slot)?.localizedDescription
  }
}
