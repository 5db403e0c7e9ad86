// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The types which this process has declared, and what they conform to.
///
/// Every identifier that a declaration names has a slot, a number that it keeps: the system's types those of their
/// table, the others the numbers that follow. A slot without a declaration belongs to a parent that nobody declared.
struct TypeGraph {
  fileprivate struct Node {
    var identifier: String
    var declaration: TypeDeclaration?
    /// Whether code only named the type and its parent, so that a declaration of the same origin adds to it.
    var isImplied = false
    var parents: [Int] = []
    /// All supertypes in ascending order, valid for one generation.
    var ancestors: [Int] = []
    var generation = 0
  }

  /// A declaration that is being added, by its index in its list.
  private struct Addition {
    var index: Int
    var slot: Int
    var replaced: Node
  }

  private var nodes: [Node] = []
  private var slots: [CaselessText: Int] = [:]
  /// Declarations of types in the table that are not Apple's, by slot; their parents are those of the table.
  private var additions: [Int: TypeDeclaration] = [:]
  private var tags = TagIndex()
  /// Of types with more supertypes than are kept.
  private var chains = ParentChains()
  /// Counts the changes that may change what a type conforms to.
  private(set) var generation = 1

  /// The most supertypes that are kept for one type: a long chain would keep quadratic memory.
  private static let maximumKept = 256

  /// How many rounds it may take to withdraw cycles before nothing more is replaced.
  private static let maximumRounds = 8

  static var systemCount: Int { SystemTypes.count }

  /// The slots of `public.data` and `public.item`.
  static let undeclaredAncestors = ["public.data", "public.item"].compactMap(SystemTypes.index(of:)).sorted()

  // MARK: Asking

  func slot(of identifier: String) -> Int? {
    SystemTypes.index(of: identifier) ?? slots[CaselessText(text: identifier)]
  }

  func identifier(at slot: Int) -> String {
    slot < Self.systemCount ? SystemTypes.identifiers[slot] : nodes[slot - Self.systemCount].identifier
  }

  func isDeclared(at slot: Int) -> Bool {
    slot < Self.systemCount ? slot < SystemTypes.declaredCount : declaration(at: slot) != nil
  }

  /// What this process declared; Apple's types have no declaration here.
  func declaration(at slot: Int) -> TypeDeclaration? {
    slot < Self.systemCount ? additions[slot] : nodes[slot - Self.systemCount].declaration
  }

  var declarations: [TypeDeclaration] {
    additions.sorted { $0.key < $1.key }.map(\.value) + nodes.compactMap(\.declaration)
  }

  /// The slots of declared types that bear a tag: exported ones before imported ones.
  func claimants(of tag: String, _ tagClass: UTTagClass) -> [Int] {
    guard let claims = tags.claims(to: tag, of: tagClass) else { return [] }
    return claims.exported.filter { isDeclared($0, as: .exported) }
      + claims.imported.filter { isDeclared($0, as: .imported) }
  }

  /// The slot of the first declared type that bears an extension and conforms to the other type.
  mutating func claimant(ofExtension filenameExtension: String, conformingTo other: Int) -> Int? {
    guard let claims = tags.claims(toExtension: filenameExtension) else { return nil }
    for slot in claims.exported where isDeclared(slot, as: .exported) && conforms(slot, to: other) { return slot }
    for slot in claims.imported where isDeclared(slot, as: .imported) && conforms(slot, to: other) { return slot }
    return nil
  }

  private func isDeclared(_ slot: Int, as origin: TypeDeclaration.Origin) -> Bool {
    declaration(at: slot)?.origin == origin
  }

  mutating func conforms(_ slot: Int, to other: Int) -> Bool {
    if slot == other { return true }
    if slot < Self.systemCount {
      return other < Self.systemCount && SystemTypes.ancestors(of: slot).contains(other)
    }
    let index = slot - Self.systemCount
    if nodes[index].generation != generation {
      guard link(slot).depth <= Self.maximumKept, let walked = walk(from: slot, atMost: Self.maximumKept) else {
        return leads(from: slot, to: other)
      }
      keep(walked, at: index)
    }
    // Slots ascend: whoever is past the wanted one need not look further.
    for ancestor in nodes[index].ancestors where ancestor >= other { return ancestor == other }
    return false
  }

  /// All supertypes, direct or not, in ascending order.
  mutating func ancestors(of slot: Int) -> [Int] {
    guard slot >= Self.systemCount else { return Array(SystemTypes.ancestors(of: slot)) }
    let index = slot - Self.systemCount
    if nodes[index].generation == generation { return nodes[index].ancestors }
    let walked = walk(from: slot, atMost: .max) ?? []
    if walked.count <= Self.maximumKept { keep(walked, at: index) }
    return walked.sorted()
  }

  private mutating func keep(_ ancestors: Set<Int>, at index: Int) {
    nodes[index].ancestors = ancestors.sorted()
    nodes[index].generation = generation
  }

  /// Walks without recursion and visits each type once.
  ///
  /// A type without parents that the system does not know is data.
  ///
  /// - Returns: All supertypes; `nil` where there are more than `limit`.
  private func walk(from start: Int, atMost limit: Int) -> Set<Int>? {
    var found: Set<Int> = []
    var pending = [start]
    while let next = pending.popLast() {
      if next < Self.systemCount {
        found.formUnion(SystemTypes.ancestors(of: next))
      } else {
        let parents = nodes[next - Self.systemCount].parents
        for parent in parents.isEmpty ? Self.undeclaredAncestors : parents where found.insert(parent).inserted {
          pending.append(parent)
        }
      }
      guard found.count <= limit else { return nil }
    }
    return found
  }

  private mutating func link(_ slot: Int) -> ParentChains.Link {
    chains.link(slot) { [nodes] slot in
      guard slot >= Self.systemCount else { return nil }
      let parents = nodes[slot - Self.systemCount].parents
      return parents.count == 1 && parents[0] >= Self.systemCount ? parents[0] : nil
    }
  }

  /// Whether a type of this process conforms to another, found without a visit to every type between them.
  private mutating func leads(from start: Int, to other: Int) -> Bool {
    _ = link(other)
    var tops: Set<Int> = []
    var pending = [start]
    while let next = pending.popLast() {
      if next < Self.systemCount {
        if other < Self.systemCount, SystemTypes.conforms(next, to: other) { return true }
        continue
      }
      let top = link(next).top
      if chains.isOnLine(other, from: next) { return true }
      guard tops.insert(top).inserted else { continue }
      let parents = nodes[top - Self.systemCount].parents
      pending += parents.isEmpty ? Self.undeclaredAncestors : parents
    }
    return false
  }

  // MARK: Declaring

  /// Adds declarations that are valid by themselves, each unless one that counts at least as much is there or the type
  /// would conform to itself.
  ///
  /// - Parameters:
  ///   - declarations: What to add.
  ///   - areImplied: Whether they are no more than names and parents, to which others may add.
  /// - Returns: The faults of those that do not hold, by their index.
  mutating func declare(
    _ declarations: [TypeDeclaration], areImplied: Bool = false
  ) -> [(index: Int, fault: DeclarationFault)] {
    var faults: [(index: Int, fault: DeclarationFault)] = []
    var added: [Addition] = []
    // One new type can lead back to itself only where it was somebody's parent before; walking would be for nothing.
    var mayHaveCycle = declarations.count > 1
    for (index, declaration) in declarations.enumerated() {
      if let reason = reasonToRefuse(declaration, isImplied: areImplied) {
        faults.append((index, DeclarationFault(keyPath: ".UTTypeIdentifier", reason: reason)))
        continue
      }
      let slotCount = nodes.count
      let slot = reserveSlot(for: declaration.identifier)
      if slot < Self.systemCount {
        additions[slot] = declaration
        tags.add(declaration, at: slot)
        continue
      }
      if nodes.count == slotCount {
        mayHaveCycle = true
        chains.removeAll()
      }
      added.append(Addition(index: index, slot: slot, replaced: self[slot]))
      self[slot].hold(declaration, isImplied: areImplied)
    }
    for addition in added {
      let slot = addition.slot
      let nodeCount = nodes.count
      let parents = self[slot].declaration?.conformsTo ?? []
      self[slot].parents = parents.map { reserveSlot(for: $0) }
      // A dynamic type that is new as a parent has parents at once.
      if nodes[nodeCount...].contains(where: { !$0.parents.isEmpty }) { mayHaveCycle = true }
      if self[slot].parents.contains(slot) { mayHaveCycle = true }
    }
    let mayHaveChanged = !added.isEmpty
    if mayHaveCycle {
      for (index, parent) in withdrawCycles(from: &added) {
        // A parent that was implied before has no place in the declaration.
        let place = parent < declarations[index].conformsTo.count ? "[\(parent)]" : ""
        faults.append((index, DeclarationFault(keyPath: ".UTTypeConformsTo\(place)", reason: .cycle)))
      }
    }
    for addition in added { tags.add(declarations[addition.index], at: addition.slot) }
    if mayHaveChanged { generation += 1 }
    return faults.sorted { $0.index < $1.index }
  }

  /// Puts back what was there before each new type that lies on a cycle.
  ///
  /// What is back may lie on a cycle with other new types, so this takes rounds: one, but for a replaced declaration.
  ///
  /// - Returns: The index of each declaration that is withdrawn, and which of its parents leads back to it.
  private mutating func withdrawCycles(from added: inout [Addition]) -> [(index: Int, parent: Int)] {
    var withdrawn: [(index: Int, parent: Int)] = []
    for round in 1... {
      let circles = CycleFinder.circles(from: added.map(\.slot), parents: parents(at:))
      // A round looks at everything. Where many are needed, nothing that was there is replaced.
      let givesUp = round >= Self.maximumRounds && !circles.isEmpty
      let isSound = { (addition: Addition) in
        circles[addition.slot] == nil && !(givesUp && addition.replaced.declaration != nil)
      }
      let unsound = added.filter { !isSound($0) }
      guard !unsound.isEmpty else { break }
      added = added.filter(isSound)
      for addition in unsound {
        let circle = circles[addition.slot]
        let parent = circle.flatMap { circle in self[addition.slot].parents.firstIndex { circles[$0] == circle } }
        withdrawn.append((addition.index, parent ?? 0))
      }
      for addition in unsound { self[addition.slot] = addition.replaced }
      guard unsound.contains(where: { $0.replaced.declaration != nil }) else { break }
    }
    return withdrawn
  }

  private func reasonToRefuse(_ declaration: TypeDeclaration, isImplied: Bool) -> RefusedDeclaration.Reason? {
    guard let slot = slot(of: declaration.identifier) else { return nil }
    if slot >= SystemTypes.declaredCount, slot < Self.systemCount { return .reservedIdentifier }
    // A name and a parent add nothing to a type in the table.
    if slot < (isImplied ? SystemTypes.declaredCount : SystemTypes.appleCount) { return .systemType }
    guard let held = self.declaration(at: slot) else { return nil }
    if held.origin == declaration.origin {
      return slot >= Self.systemCount && self[slot].isImplied && !isImplied ? nil : .alreadyDeclared
    }
    return declaration.origin == .exported ? nil : .alreadyDeclared
  }

  private subscript(slot: Int) -> Node {
    get { nodes[slot - Self.systemCount] }
    _modify { yield &nodes[slot - Self.systemCount] }
  }

  /// What this process declares the type to conform to; nothing for the system's types, which their table knows.
  func parents(at slot: Int) -> [Int] {
    slot < Self.systemCount ? [] : self[slot].parents
  }

  private mutating func reserveSlot(for identifier: String) -> Int {
    if let slot = slot(of: identifier) { return slot }
    let slot = Self.systemCount + nodes.count
    nodes.append(Node(identifier: identifier))
    slots[CaselessText(text: identifier)] = slot
    if let dynamic = DynamicIdentifier(identifier) {
      // Goes no deeper than an identifier can hold others, each of which is shorter by three bytes in eight.
      let parents = dynamic.supertypes.map { reserveSlot(for: $0) }
      self[slot].parents = parents
    }
    return slot
  }
}

extension TypeGraph.Node {
  /// Takes a declaration; what code implied of the type before stays true.
  fileprivate mutating func hold(_ declaration: TypeDeclaration, isImplied: Bool) {
    var held = declaration
    if let before = self.declaration, before.origin == declaration.origin {
      held.conformsTo += before.conformsTo.filter { parent in
        !declaration.conformsTo.contains { $0.isEqualIgnoringASCIICase(to: parent) }
      }
    }
    identifier = declaration.identifier
    self.declaration = held
    self.isImplied = isImplied
  }
}
