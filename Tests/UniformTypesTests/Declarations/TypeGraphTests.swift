// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TypeGraphTests {
  private static let names = (0..<12).map { "a.t\($0)" }
  private static let system = ["public.png", "public.data", "public.plain-text", "com.apple.package"]

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

  @Test func randomDeclarationsMatchANaiveRegistry() throws {
    var generator = SeededGenerator.announced("type graph")
    for _ in 0..<400 {
      let registry = TypeRegistry()
      var naive = NaiveRegistry()
      for _ in 0..<Int.random(in: 1...5, using: &generator) {
        let declarations = randomDeclarations(&generator)
        let refused = registry.declare(declarations).filter { !$0.isRemark }
        let expected = naive.declare(declarations)
        #expect(refused.map(\.index) == expected.refused.sorted())
        #expect(Set(refused.filter { $0.reason == .cycle }.map(\.index)) == expected.cyclic)
        for refusal in refused where refusal.reason == .cycle {
          #expect(refusal.keyPath.contains("].UTTypeConformsTo["))
        }
        try expectSame(registry, naive)
      }
    }
  }

  @Test func longChainConformsFromEndToEnd() throws {
    let registry = TypeRegistry()
    let count = 100_000
    let declarations = (0..<count).map { index in
      TypeDeclaration("chain.t\(index)", conformsTo: [index == 0 ? "public.png" : "chain.t\(index - 1)"])
    }
    #expect(registry.declare(declarations).isEmpty)
    let slots = try declarations.map { try #require(registry.find($0.identifier)?.slot) }
    let png = try #require(registry.find("public.png")?.slot)
    let text = try #require(registry.find("public.text")?.slot)
    let holds = slots.indices.dropFirst().allSatisfy { index in
      let slot = slots[index]
      return registry.conforms(slot, to: png) && !registry.conforms(slot, to: text)
        && registry.conforms(slot, to: slots[index / 2]) && !registry.conforms(slots[index / 2], to: slot)
    }
    #expect(holds)
  }

  @Test func deepTypesConformToExactlyTheirAncestors() throws {
    var generator = SeededGenerator.announced("deep types")
    let registry = TypeRegistry()
    var names: [String] = []
    for index in 0..<1200 {
      // Creates mostly long chains, with some branches and some second parents.
      var parents = names.suffix(Int.random(in: 0..<60, using: &generator) == 0 ? 40 : 1).prefix(1)
      if Int.random(in: 0..<100, using: &generator) == 0, let other = names.randomElement(using: &generator) {
        parents.append(other)
      }
      names.append("deep.t\(index)")
      if index % 20 == 0 { registry.declareImplied(names[index], .exported, conformingTo: nil) }
      let declaration = TypeDeclaration(names[index], conformsTo: Array(parents))
      #expect(registry.declare([declaration]).isEmpty)
      guard index % 40 == 39 else { continue }
      let ancestors = registry.identifiers(above: names[index])
      let slot = try #require(registry.find(names[index])?.slot)
      for name in names + Self.system {
        let other = try #require(registry.find(name)?.slot)
        #expect(registry.conforms(slot, to: other) == (name == names[index] || ancestors.contains(name)), "\(name)")
      }
    }
  }

  private func expectSame(_ registry: TypeRegistry, _ naive: NaiveRegistry) throws {
    let held = registry.declarations
    #expect(Dictionary(uniqueKeysWithValues: held.map { ($0.identifier, $0) }) == naive.held)
    for name in naive.held.keys {
      let ancestors = naive.ancestors(of: name)
      #expect(!ancestors.contains(name))
      #expect(registry.identifiers(above: name) == ancestors)
      let slot = try #require(registry.find(name)?.slot)
      for other in Self.names + Self.system {
        guard let otherSlot = registry.find(other)?.slot else { continue }
        #expect(registry.conforms(slot, to: otherSlot) == (name == other || ancestors.contains(other)))
      }
    }
    let claimants = registry.claimants(ofExtension: "x")
    #expect(Set(claimants) == Set(naive.held.keys))
    #expect(claimants.count == naive.held.count)
    for other in Self.names + Self.system {
      guard let otherSlot = registry.find(other)?.slot else { continue }
      let first = claimants.first { $0 == other || naive.ancestors(of: $0).contains(other) }
      #expect(registry.claimant(ofExtension: "X", conformingTo: otherSlot)?.identifier == first)
    }
  }

  // MARK: Replacing

  @Test func restoredDeclarationClosesNoOtherCycle() {
    let registry = TypeRegistry()
    registry.declare([TypeDeclaration("a.a", origin: .imported, conformsTo: ["a.b"])])
    // The new a.a and a.c form a cycle. The old a.a and the new a.b would also form a cycle.
    let refused = registry.declare([
      TypeDeclaration("a.a", conformsTo: ["a.c"]), TypeDeclaration("a.b", conformsTo: ["a.a"]),
      TypeDeclaration("a.c", conformsTo: ["a.a"]),
    ])
    #expect(refused.map(\.index) == [0, 1, 2])
    #expect(registry.identifiers(above: "a.a") == ["a.b", "public.data", "public.item"])
    #expect(registry.identifiers(above: "a.b") == ["public.data", "public.item"])
  }

  @Test func manyDependentReplacementsEndWithoutACycle() {
    let count = 2000
    let registry = TypeRegistry()
    registry.declare((0..<count).map { TypeDeclaration("a.t\($0)", origin: .imported, conformsTo: ["a.t\($0 + 1)"]) })
    // The first two types form a cycle. When the first is withdrawn, its old version forms a cycle with the third, and
    // so on.
    let refused = registry.declare(
      [TypeDeclaration("a.t0", conformsTo: ["a.s"]), TypeDeclaration("a.s", conformsTo: ["a.t0"])]
        + (1..<count).map { TypeDeclaration("a.t\($0)", conformsTo: ["a.t\($0 - 1)"]) })
    #expect(refused.count == count + 1)
    #expect(registry.identifiers(above: "a.t0").count == count + 2)
    for declaration in registry.declarations { #expect(declaration.origin == .imported) }
  }

  @Test func repeatedTagIsClaimedOnce() {
    let registry = TypeRegistry()
    registry.declare([TypeDeclaration("a.a", tags: [.filenameExtension: ["saga", "SAGA", "saga"]])])
    #expect(registry.claimants(ofExtension: "saga") == ["a.a"])
  }

  // MARK: Size

  @Test func manyTypesMayClaimOneTag() {
    let count = 100_000 / testSizeDivisor
    let registry = TypeRegistry()
    let declarations = (0..<count).map { TypeDeclaration("a.t\($0)", tags: [.filenameExtension: ["saga"]]) }
    #expect(registry.declare(declarations).isEmpty)
    let found = registry.claimants(ofExtension: "saga")
    #expect(found.count == count && found.first == "a.t0" && found.last == "a.t\(count - 1)")
  }

  @Test(arguments: [true, false])
  func manyImportedTypesBecomeExportedTypes(atOnce: Bool) {
    let count = 50_000 / testSizeDivisor
    let registry = TypeRegistry()
    func declarations(_ origin: TypeDeclaration.Origin, _ parent: String) -> [TypeDeclaration] {
      (0..<count).map {
        TypeDeclaration("a.t\($0)", origin: origin, conformsTo: [parent], tags: [.filenameExtension: ["saga"]])
      }
    }
    #expect(registry.declare(declarations(.imported, "public.image")).isEmpty)
    let exported = declarations(.exported, "public.text")
    if atOnce {
      #expect(registry.declare(exported).isEmpty)
    } else {
      for declaration in exported { #expect(registry.declare([declaration]).isEmpty) }
    }
    #expect(
      registry.identifiers(above: "a.t\(count - 1)") == ["public.text", "public.data", "public.item", "public.content"])
    #expect(registry.claimants(ofExtension: "saga").count == count)
  }

  @Test func typeMayHaveManyParentsAndManyChildren() throws {
    let registry = TypeRegistry()
    let count = 50_000 / testSizeDivisor
    let many = (0..<count).map { "a.t\($0)" }
    let wide = TypeDeclaration("a.bottom", conformsTo: many)
    #expect(registry.declare([wide] + many.map { TypeDeclaration($0, conformsTo: ["a.top"]) }).isEmpty)
    #expect(registry.identifiers(above: "a.bottom").count == count + 3)
    #expect(registry.declare([TypeDeclaration("a.top", conformsTo: ["a.bottom"])]).map(\.reason) == [.cycle])
  }

  @Test func longChainIsDeclaredAndLongCycleIsRefused() {
    let registry = TypeRegistry()
    let count = 100_000 / testSizeDivisor
    let chain = (0..<count).map { TypeDeclaration("a.t\($0)", conformsTo: ["a.t\($0 + 1)"]) }
    #expect(registry.declare(chain).isEmpty)
    #expect(registry.identifiers(above: "a.t0").count == count + 2)
    let circle = chain + [TypeDeclaration("a.t\(count)", conformsTo: ["a.t0"])]
    #expect(TypeRegistry().declare(circle).map(\.index) == Array(0...count))
  }
}
