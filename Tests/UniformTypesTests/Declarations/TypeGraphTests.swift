// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TypeGraphTests {
  private static let names = (0..<12).map { "a.t\($0)" }
  private static let system = ["public.png", "public.data", "public.plain-text", "com.apple.package"]

  private let registry = TypeRegistry()

  private struct NotFound: Error {
    let identifier: String
  }

  private func slot(_ identifier: String) throws -> Int {
    guard let found = registry.find(identifier) else { throw NotFound(identifier: identifier) }
    return found.slot
  }

  // MARK: Random types

  /// Returns random declarations.
  ///
  /// There are few names, so that they conflict, and few parents, so that some have no cycle.
  private func randomDeclarations(_ generator: inout SeededGenerator) -> [TypeDeclaration] {
    (0..<Int.random(in: 1...8, using: &generator)).compactMap { _ -> TypeDeclaration? in
      guard let name = Self.names.randomElement(using: &generator) else { return nil }
      let parents = (0..<Int.random(in: 0...2, using: &generator)).compactMap { _ in
        (Int.random(in: 0..<4, using: &generator) == 0 ? Self.system : Self.names).randomElement(using: &generator)
      }
      let origin: TypeDeclaration.Origin = Int.random(in: 0..<3, using: &generator) == 0 ? .exported : .imported
      return TypeDeclaration(name, origin: origin, conformsTo: parents, tags: [.filenameExtension: ["x"]])
    }
  }

  @Test func randomDeclarationsMatchANaiveRegistry() {
    var generator = SeededGenerator.announced("type graph")
    for _ in 0..<(isFullRun ? 400 : 100) {
      let registry = TypeRegistry()
      var naive = NaiveRegistry()
      for _ in 0..<Int.random(in: 1...5, using: &generator) {
        let declarations = randomDeclarations(&generator)
        let refused = registry.declare(declarations).filter { !$0.isRemark }
        let expected = naive.declare(declarations)
        let cyclic = refused.filter { $0.reason == .cycle }
        if refused.map(\.index) != expected.refused.sorted() || Set(cyclic.map(\.index)) != expected.cyclic
          || !cyclic.allSatisfy({ $0.keyPath.contains("].UTTypeConformsTo[") })
        {
          Issue.record("\(refused) instead of \(expected)")
        }
        expectSame(registry, naive)
      }
    }
  }

  private func expectSame(_ registry: TypeRegistry, _ naive: NaiveRegistry) {
    let held = Dictionary(uniqueKeysWithValues: registry.declarations.map { ($0.identifier, $0) })
    if held != naive.held { Issue.record("\(held) instead of \(naive.held)") }
    let others = (Self.names + Self.system).compactMap { name in registry.find(name).map { (name, $0.slot) } }
    for name in naive.held.keys {
      let (ancestors, slot) = (naive.ancestors(of: name), registry.find(name)?.slot ?? 0)
      if ancestors.contains(name) || registry.identifiers(above: name) != ancestors { Issue.record("\(name)") }
      for (other, otherSlot) in others
      where registry.conforms(slot, to: otherSlot) != (name == other || ancestors.contains(other)) {
        Issue.record("\(name), \(other)")
      }
    }
    let claimants = registry.claimants(ofExtension: "x")
    if claimants.sorted() != naive.held.keys.sorted() { Issue.record("\(claimants)") }
  }

  @Test func deepTypesConformToExactlyTheirAncestors() throws {
    var generator = SeededGenerator.announced("deep types")
    var names: [String] = []
    for index in 0..<320 {
      // Creates mostly long chains, with some branches and some second parents.
      var parents = names.suffix(Int.random(in: 0..<60, using: &generator) == 0 ? 40 : 1).prefix(1)
      if Int.random(in: 0..<100, using: &generator) == 0, let other = names.randomElement(using: &generator) {
        parents.append(other)
      }
      let name = "deep.t\(index)"
      names.append(name)
      if index % 20 == 0 { registry.declareImplied(name, .exported, conformingTo: nil) }
      #expect(registry.declare([TypeDeclaration(name, conformsTo: Array(parents))]).isEmpty)
      guard index % 40 == 39 else { continue }
      let (ancestors, slot) = (registry.identifiers(above: name), try slot(name))
      for other in names + Self.system {
        let conforms = registry.conforms(slot, to: try self.slot(other))
        if conforms != (other == name || ancestors.contains(other)) { Issue.record("\(name), \(other)") }
      }
    }
  }

  // MARK: Replacing

  @Test func restoredDeclarationClosesNoOtherCycle() {
    registry.declare([TypeDeclaration("a.a", origin: .imported, conformsTo: ["a.b"])])
    // The new a.a and a.c form a cycle. The old a.a and the new a.b would also form a cycle.
    let refused = registry.declare([
      TypeDeclaration("a.a", conformsTo: ["a.c"]), TypeDeclaration("a.b", conformsTo: ["a.a"]),
      TypeDeclaration("a.c", conformsTo: ["a.a"]),
    ])
    let ancestors = ["a.a", "a.b"].map { registry.identifiers(above: $0) }
    #expect(refused.map(\.index) == [0, 1, 2])
    #expect(ancestors == [["a.b", "public.data", "public.item"], ["public.data", "public.item"]])
  }

  @Test func manyDependentReplacementsEndWithoutACycle() {
    let count = 2000
    registry.declare((0..<count).map { TypeDeclaration("a.t\($0)", origin: .imported, conformsTo: ["a.t\($0 + 1)"]) })
    // The first two types form a cycle. When the first is withdrawn, its old version forms a cycle with the third, and
    // so on.
    let refused = registry.declare(
      [TypeDeclaration("a.t0", conformsTo: ["a.s"]), TypeDeclaration("a.s", conformsTo: ["a.t0"])]
        + (1..<count).map { TypeDeclaration("a.t\($0)", conformsTo: ["a.t\($0 - 1)"]) })
    #expect([refused.count, registry.identifiers(above: "a.t0").count] == [count + 1, count + 2])
    #expect(registry.declarations.allSatisfy { $0.origin == .imported })
  }

  @Test(arguments: [true, false])
  func manyImportedTypesBecomeExportedTypes(atOnce: Bool) {
    let count = 20_000 / testSizeDivisor
    func declarations(_ origin: TypeDeclaration.Origin, _ parent: String) -> [TypeDeclaration] {
      (0..<count).map {
        TypeDeclaration("a.t\($0)", origin: origin, conformsTo: [parent], tags: [.filenameExtension: ["saga"]])
      }
    }
    #expect(registry.declare(declarations(.imported, "public.image")).isEmpty)
    let exported = declarations(.exported, "public.text")
    for some in atOnce ? [exported] : exported.map({ [$0] }) where !registry.declare(some).isEmpty {
      Issue.record("\(some[0])")
    }
    #expect(
      registry.identifiers(above: "a.t\(count - 1)") == ["public.text", "public.data", "public.item", "public.content"])
    #expect(registry.claimants(ofExtension: "saga") == (0..<count).map { "a.t\($0)" })
  }

  // MARK: Size

  enum Order: CaseIterable { case together, upwards, downwards }

  @Test(arguments: Order.allCases)
  func longChainIsDeclaredInAnyOrder(order: Order) throws {
    let count = 20_000 / testSizeDivisor
    let chain = (0..<count).map { index in
      TypeDeclaration("chain.t\(index)", conformsTo: [index == 0 ? "public.png" : "chain.t\(index - 1)"])
    }
    switch order {
    case .together: #expect(registry.declare(chain).isEmpty)
    case .upwards: for link in chain { registry.declare([link]) }
    case .downwards: for link in chain.reversed() { registry.declare([link]) }
    }
    #expect(registry.identifiers(above: "chain.t\(count - 1)").count == count + UTType.png.supertypes.count)
    let slots = try chain.map { try slot($0.identifier) }
    let (png, text) = (Int(UTType.png.slot), Int(UTType.text.slot))
    // A query visits all types above, so only some links are tested.
    for (index, link) in slots.enumerated().dropFirst()
    where index % (count / 20) == 0
      && (!registry.conforms(link, to: png) || registry.conforms(link, to: text)
        || !registry.conforms(link, to: slots[index / 2]) || registry.conforms(slots[index / 2], to: link))
    {
      Issue.record("link \(index)")
    }
    // A declaration that closes the chain to a cycle is refused, without taking more time.
    let last = "chain.t\(count - 1)"
    #expect(registry.declare([TypeDeclaration("chain.t0", conformsTo: [last])]).count == 1)
    let cycle = chain.dropFirst() + [TypeDeclaration("chain.t0", conformsTo: [last])]
    #expect(TypeRegistry().declare(Array(cycle)).map(\.index) == Array(0..<count))
  }

  @Test func latticeIsVisitedOncePerType() {
    for level in 0..<200 {
      let parents = level == 0 ? ["public.data"] : ["left.\(level - 1)", "right.\(level - 1)"]
      for side in ["left", "right"] { registry.declare([TypeDeclaration("\(side).\(level)", conformsTo: parents)]) }
    }
    #expect(registry.identifiers(above: "left.199").count == 398 + 2)
  }

  @Test func typeMayHaveManyParentsAndManyChildren() {
    let count = 50_000 / testSizeDivisor
    let many = (0..<count).map { "a.t\($0)" }
    let wide = TypeDeclaration("a.bottom", conformsTo: many)
    #expect(registry.declare([wide] + many.map { TypeDeclaration($0, conformsTo: ["a.top"]) }).isEmpty)
    #expect(registry.identifiers(above: "a.bottom").count == count + 3)
    #expect(registry.declare([TypeDeclaration("a.top", conformsTo: ["a.bottom"])]).map(\.reason) == [.cycle])
  }
}

/// A simple, slow registry with which tests compare the real registry.
///
/// All its identifiers are in lower case.
private struct NaiveRegistry {
  private(set) var held: [String: TypeDeclaration] = [:]

  /// Adds declarations.
  ///
  /// - Returns: The indices of the refused declarations, and the indices of those that were refused because of a cycle.
  mutating func declare(_ declarations: [TypeDeclaration]) -> (refused: Set<Int>, cyclic: Set<Int>) {
    // A type that names itself as a parent loses only that parent.
    let declarations = declarations.map { declaration in
      var declaration = declaration
      declaration.conformsTo.removeAll { $0 == declaration.identifier }
      return declaration
    }
    var refused: Set<Int> = []
    var cyclic: Set<Int> = []
    for origin in TypeDeclaration.Origin.allCases {
      let before = held
      var added: [String: Int] = [:]
      for (index, declaration) in declarations.enumerated() where declaration.origin == origin {
        let known = held[declaration.identifier]
        if known == nil || known?.origin == .imported && origin == .exported {
          held[declaration.identifier] = declaration
          added[declaration.identifier] = index
        } else {
          refused.insert(index)
        }
      }
      while case let circular = added.filter({ ancestors(of: $0.key).contains($0.key) }), !circular.isEmpty {
        for (identifier, index) in circular {
          cyclic.insert(index)
          added[identifier] = nil
          held[identifier] = before[identifier]
        }
      }
    }
    return (refused.union(cyclic), cyclic)
  }

  func ancestors(of identifier: String) -> Set<String> {
    var found: Set<String> = []
    var pending = [identifier]
    while let next = pending.popLast() {
      let parents: [String]
      if let index = SystemTypes.index(of: next) {
        parents = SystemTypes.parents(of: index).map { SystemTypes.identifiers[$0] }
      } else {
        let stated = held[next]?.conformsTo ?? []
        parents = stated.isEmpty ? ["public.data"] : stated
      }
      for parent in parents where found.insert(parent).inserted { pending.append(parent) }
    }
    return found
  }
}
