// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The graph of the types that this process has declared and their supertypes.
///
/// Every identifier in a declaration has a permanent number, its slot. The slots of the system's types are their
/// indices in the table of system types, and the other slots follow. A slot without a declaration belongs to an
/// undeclared parent. `TypeRegistry` defines explicit and implied declarations.
struct TypeGraph {
  fileprivate struct Node {
    var identifier: String
    var declaration: TypeDeclaration?
    /// Whether the declaration is implied, so that an explicit declaration of the same origin may replace it.
    var isImplied = false
    var parents: [Int] = []
    /// The cache of all supertypes in ascending order, valid for one generation.
    var ancestors: [Int] = []
    var generation = 0
  }

  /// A declaration that is being added: its index in the list, its slot, and the node that it replaces.
  private struct Addition {
    var index: Int
    var slot: Int
    var replaced: Node
  }

  private var nodes: [Node] = []
  private var slots: [CaselessText: Int] = [:]
  /// The declarations, by slot, of types in the system's table that Apple does not own.
  ///
  /// They add tags. These types keep their parents from the table.
  private var additions: [Int: TypeDeclaration] = [:]
  private var tags = TagIndex()
  /// A counter that increases with every change that may affect conformance.
  private(set) var generation = 1

  /// The maximum number of cached supertypes of one type; without it, a long chain would need quadratic memory.
  private static let maximumCachedAncestors = 256

  /// The maximum number of rounds for withdrawing cycles, after which all replacements are withdrawn.
  private static let maximumRounds = 8

  static var systemCount: Int { SystemTypes.count }

  /// The slots of `public.data` and `public.item`, the supertypes of a type without parents.
  static let undeclaredAncestors = ["public.data", "public.item"].compactMap(SystemTypes.index(of:)).sorted()

  // MARK: Queries

  func slot(of identifier: String) -> Int? {
    SystemTypes.index(of: identifier) ?? slots[CaselessText(text: identifier)]
  }

  func identifier(at slot: Int) -> String {
    slot < Self.systemCount ? SystemTypes.identifiers[slot] : nodes[slot - Self.systemCount].identifier
  }

  func isDeclared(at slot: Int) -> Bool {
    slot < Self.systemCount ? slot < SystemTypes.declaredCount : declaration(at: slot) != nil
  }

  /// Returns the declaration that this process made; `nil` if it made none.
  func declaration(at slot: Int) -> TypeDeclaration? {
    slot < Self.systemCount ? additions[slot] : nodes[slot - Self.systemCount].declaration
  }

  var declarations: [TypeDeclaration] {
    additions.sorted { $0.key < $1.key }.map(\.value) + nodes.compactMap(\.declaration)
  }

  /// Returns the slots of the types that this process declared with a tag: exported types before imported types.
  func claimants(of tag: String, _ tagClass: UTTagClass) -> [Int] {
    guard let claims = tags.claims(to: tag, of: tagClass) else { return [] }
    return claims.exported.filter { isDeclared($0, as: .exported) }
      + claims.imported.filter { isDeclared($0, as: .imported) }
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
      let walked = walk(from: slot)
      guard walked.count <= Self.maximumCachedAncestors else { return walked.contains(other) }
      cacheAncestors(walked, at: index)
    }
    // The slots ascend, so the first slot from `other` on decides.
    for ancestor in nodes[index].ancestors where ancestor >= other { return ancestor == other }
    return false
  }

  /// Returns all supertypes, direct and indirect, in ascending order.
  mutating func ancestors(of slot: Int) -> [Int] {
    guard slot >= Self.systemCount else { return Array(SystemTypes.ancestors(of: slot)) }
    let index = slot - Self.systemCount
    if nodes[index].generation == generation { return nodes[index].ancestors }
    let walked = walk(from: slot)
    if walked.count <= Self.maximumCachedAncestors { cacheAncestors(walked, at: index) }
    return walked.sorted()
  }

  private mutating func cacheAncestors(_ ancestors: Set<Int>, at index: Int) {
    nodes[index].ancestors = ancestors.sorted()
    nodes[index].generation = generation
  }

  /// Returns all supertypes of a type.
  ///
  /// The search is iterative and visits each type once. A type without parents that is not in the system's table
  /// conforms to `public.data` and `public.item`.
  private func walk(from start: Int) -> Set<Int> {
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
    }
    return found
  }

  // MARK: Declarations

  /// Adds declarations that `TypeDeclaration.validate()` has accepted.
  ///
  /// A declaration is refused if its identifier is reserved, if an existing declaration takes precedence, or if its
  /// type would conform to itself.
  ///
  /// - Parameters:
  ///   - declarations: The declarations to add.
  ///   - areImplied: Whether the declarations are implied.
  /// - Returns: The faults of the refused declarations, with their indices in ascending order.
  mutating func declare(
    _ declarations: [TypeDeclaration], areImplied: Bool = false
  ) -> [(index: Int, fault: DeclarationFault)] {
    var faults: [(index: Int, fault: DeclarationFault)] = []
    var added: [Addition] = []
    // A single new type can only lie on a cycle if it was already a parent of another type.
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
      if nodes.count == slotCount { mayHaveCycle = true }
      added.append(Addition(index: index, slot: slot, replaced: self[slot]))
      self[slot].hold(declaration, isImplied: areImplied)
    }
    for addition in added {
      let slot = addition.slot
      let nodeCount = nodes.count
      let parents = self[slot].declaration?.conformsTo ?? []
      self[slot].parents = parents.map { reserveSlot(for: $0) }
      // A dynamic type gets its parents with its slot, so a new slot may close a cycle too.
      if nodes[nodeCount...].contains(where: { !$0.parents.isEmpty }) { mayHaveCycle = true }
      if self[slot].parents.contains(slot) { mayHaveCycle = true }
    }
    let mayHaveChanged = !added.isEmpty
    if mayHaveCycle {
      for (declaration, parent) in withdrawCycles(from: &added) {
        // The parents from a replaced implied declaration follow the parents of this declaration, and have no index in
        // it.
        let index = parent < declarations[declaration].conformsTo.count ? "[\(parent)]" : ""
        faults.append((declaration, DeclarationFault(keyPath: ".UTTypeConformsTo\(index)", reason: .cycle)))
      }
    }
    for addition in added {
      tags.add(self[addition.slot].declaration ?? declarations[addition.index], at: addition.slot)
    }
    if mayHaveChanged { generation += 1 }
    return faults.sorted { $0.index < $1.index }
  }

  /// Restores the previous declaration of each new type that lies on a cycle.
  ///
  /// A restored declaration may form a cycle with other new types, and so require another round.
  ///
  /// - Returns: The index of each withdrawn declaration, and the index of its parent that leads back to it.
  private mutating func withdrawCycles(from added: inout [Addition]) -> [(index: Int, parent: Int)] {
    var withdrawn: [(index: Int, parent: Int)] = []
    for round in 1... {
      let cycles = CycleFinder.cycles(from: added.map(\.slot), parents: parents(at:))
      // Each round visits the whole graph. After too many rounds, all replacements are withdrawn at once.
      let givesUp = round >= Self.maximumRounds && !cycles.isEmpty
      let isSound = { (addition: Addition) in
        cycles[addition.slot] == nil && !(givesUp && addition.replaced.declaration != nil)
      }
      let unsound = added.filter { !isSound($0) }
      guard !unsound.isEmpty else { break }
      added = added.filter(isSound)
      for addition in unsound {
        let cycle = cycles[addition.slot]
        let parent = cycle.flatMap { cycle in self[addition.slot].parents.firstIndex { cycles[$0] == cycle } }
        withdrawn.append((addition.index, parent ?? 0))
      }
      for addition in unsound { self[addition.slot] = addition.replaced }
      guard unsound.contains(where: { $0.replaced.declaration != nil }) else { break }
    }
    return withdrawn
  }

  /// Returns why a declaration is refused; `nil` if it may be added.
  private func reasonToRefuse(_ declaration: TypeDeclaration, isImplied: Bool) -> RefusedDeclaration.Reason? {
    guard let slot = slot(of: declaration.identifier) else { return nil }
    if slot >= SystemTypes.declaredCount, slot < Self.systemCount { return .reservedIdentifier }
    // An implied declaration has no tags to add to a type in the table.
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

  /// Returns the parents that this process declared; empty for the system's types, whose parents are in their table.
  func parents(at slot: Int) -> [Int] {
    slot < Self.systemCount ? [] : self[slot].parents
  }

  private mutating func reserveSlot(for identifier: String) -> Int {
    if let slot = slot(of: identifier) { return slot }
    let slot = Self.systemCount + nodes.count
    nodes.append(Node(identifier: identifier))
    slots[CaselessText(text: identifier)] = slot
    if let dynamic = DynamicIdentifier(identifier) {
      // The recursion is bounded: an inner identifier has at most five eighths of the length of the outer identifier.
      let parents = dynamic.supertypes.map { reserveSlot(for: $0) }
      self[slot].parents = parents
    }
    return slot
  }
}

extension TypeGraph.Node {
  /// Replaces the declaration.
  ///
  /// An explicit declaration takes over the parents of an implied declaration of the same origin. An implied export
  /// only changes the origin of an explicit import, and puts its own parent before the other parents.
  fileprivate mutating func hold(_ declaration: TypeDeclaration, isImplied: Bool) {
    var held = declaration
    let keepsBefore = isImplied && !self.isImplied
    if keepsBefore, let before = self.declaration {
      held = before
      held.origin = declaration.origin
      held.conformsTo = declaration.conformsTo
    }
    if let before = self.declaration, keepsBefore || before.origin == declaration.origin {
      held.conformsTo += before.conformsTo.filter { parent in
        !declaration.conformsTo.contains { $0.isEqualIgnoringASCIICase(to: parent) }
      }
    }
    identifier = declaration.identifier
    self.declaration = held
    self.isImplied = isImplied
  }
}

/// An index from tags to the declared types that claim them.
struct TagIndex {
  /// The slots of the types that claim a tag, or claimed it in a replaced declaration, in the order of the
  /// declarations.
  struct Claims {
    fileprivate(set) var exported: [Int] = []
    fileprivate(set) var imported: [Int] = []
  }

  /// A class and a tag, which is in lower case if its class ignores case.
  private struct Key: Hashable {
    let tagClass: UTTagClass
    let tag: String

    init(_ tag: String, _ tagClass: UTTagClass) {
      self.tagClass = tagClass
      self.tag = tagClass.ignoresCase ? tag.asciiLowercased : tag
    }
  }

  private var claims: [Key: Claims] = [:]

  /// Appends the claims of a declaration.
  ///
  /// The claims of a replaced declaration stay, because removing them from long lists would take linear time. Callers
  /// ignore a claim if the current declaration of its type has another origin.
  mutating func add(_ declaration: TypeDeclaration, at slot: Int) {
    for (tagClass, tags) in declaration.tags {
      for tag in tags { claims[Key(tag, tagClass), default: Claims()].add(slot, declaration.origin) }
    }
  }

  func claims(to tag: String, of tagClass: UTTagClass) -> Claims? {
    claims[Key(tag, tagClass)]
  }
}

extension TagIndex.Claims {
  fileprivate mutating func add(_ slot: Int, _ origin: TypeDeclaration.Origin) {
    switch origin {
    case .exported: exported.appendOnce(slot)
    case .imported: imported.appendOnce(slot)
    }
  }
}

extension [Int] {
  /// Appends a slot unless it is the last element.
  ///
  /// A declaration that repeats a tag would append the same slot several times in succession.
  fileprivate mutating func appendOnce(_ slot: Int) {
    if last != slot { append(slot) }
  }
}

/// A search for types that would conform to themselves, with Tarjan's algorithm for strongly connected components.
///
/// The search is iterative, and visits each type and each edge once.
struct CycleFinder {
  private struct Step {
    var slot: Int
    var parents: [Int]
    var next = 0
  }

  private let parents: (Int) -> [Int]
  /// For each visited slot, its position in the order in which the search found the types.
  private var order: [Int: Int] = [:]
  /// For each visited slot, the lowest position of a type on the stack that the search has reached from it.
  private var reach: [Int: Int] = [:]
  private var stack: [Int] = []
  private var isOnStack: Set<Int> = []
  private var cycles: [Int: Int] = [:]

  private init(parents: @escaping (Int) -> [Int]) {
    self.parents = parents
  }

  /// Returns the types on cycles that are reachable from the given types.
  ///
  /// - Parameters:
  ///   - starts: The slots of the types.
  ///   - parents: Returns the slots of a type's parents.
  /// - Returns: A number for each slot on a cycle. Types that can reach each other have the same number.
  static func cycles(from starts: [Int], parents: @escaping (Int) -> [Int]) -> [Int: Int] {
    var finder = CycleFinder(parents: parents)
    for start in starts where finder.order[start] == nil { finder.walk(from: start) }
    return finder.cycles
  }

  private mutating func walk(from start: Int) {
    var path = [open(start)]
    while var step = path.popLast() {
      if step.next < step.parents.count {
        let parent = step.parents[step.next]
        step.next += 1
        path.append(step)
        if order[parent] == nil {
          path.append(open(parent))
        } else if isOnStack.contains(parent) {
          lower(step.slot, to: order[parent])
        }
      } else {
        close(step)
        if let below = path.last { lower(below.slot, to: reach[step.slot]) }
      }
    }
  }

  private mutating func open(_ slot: Int) -> Step {
    order[slot] = order.count
    reach[slot] = order[slot]
    stack.append(slot)
    isOnStack.insert(slot)
    return Step(slot: slot, parents: parents(slot))
  }

  private mutating func lower(_ slot: Int, to other: Int?) {
    if let mine = reach[slot], let other, other < mine { reach[slot] = other }
  }

  private mutating func close(_ step: Step) {
    guard let root = order[step.slot], reach[step.slot] == root else { return }
    let isCycle = stack.last != step.slot || step.parents.contains(step.slot)
    while let member = stack.popLast() {
      isOnStack.remove(member)
      if isCycle { cycles[member] = root }
      if member == step.slot { break }
    }
  }
}
