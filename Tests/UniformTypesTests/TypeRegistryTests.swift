// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UniformTypes

@Suite struct TypeRegistryTests {
  @Test("a registry knows what it was given, and nothing of others")
  func registriesAreApart() {
    let registry = TypeRegistry(system: [TypeDeclaration(identifier: "a.b", conformsTo: ["c.d"])])
    #expect(registry.declaration(of: "A.B")?.identifier == "a.b")
    #expect(registry.declaration(of: "public.png") == nil)
    #expect(TypeRegistry.shared.declaration(of: "a.b") == nil)
  }

  @Test("declaring answers with the declaration that holds")
  func declareAnswers() {
    let registry = TypeRegistry(system: [TypeDeclaration(identifier: "sys.type")])
    let held = registry.declare(TypeDeclaration(identifier: "SYS.TYPE", conformsTo: ["x.y"], origin: .exported))
    #expect(held.origin == .system)
    #expect(held.conformsTo.isEmpty)
    #expect(registry.declare(TypeDeclaration(identifier: "a.B", origin: .imported)).identifier == "a.B")
    #expect(registry.declare(TypeDeclaration(identifier: "A.b", origin: .imported)).identifier == "a.B")
    #expect(registry.declare(TypeDeclaration(identifier: "A.b", origin: .exported)).identifier == "A.b")
    #expect(registry.declare(TypeDeclaration(identifier: "A.B", origin: .imported)).identifier == "A.b")
    #expect(registry.declaration(of: "a.b")?.identifier == "A.b")
  }

  @Test("origins rank: the system, then exported, then imported")
  func originsRank() {
    #expect(TypeDeclaration.Origin.system < .exported)
    #expect(TypeDeclaration.Origin.exported < .imported)
  }

  // MARK: Graphs of any shape

  @Test("types that conform to each other in a circle end")
  func cycleEnds() {
    let registry = TypeRegistry()
    registry.declare(TypeDeclaration(identifier: "cycle.a", conformsTo: ["cycle.b"], origin: .exported))
    registry.declare(TypeDeclaration(identifier: "cycle.b", conformsTo: ["cycle.a", "public.png"], origin: .exported))
    let fromA = registry.supertypes(of: "cycle.a")
    #expect(fromA.contains(UTType(system: "cycle.b")))
    #expect(fromA.contains(.image))
    #expect(!fromA.contains(UTType(system: "cycle.a")))
    #expect(registry.supertypes(of: "cycle.b").contains(UTType(system: "cycle.a")))
  }

  @Test("a type that conforms to itself is data")
  func selfParent() {
    let registry = TypeRegistry()
    registry.declare(TypeDeclaration(identifier: "self.Parent", conformsTo: ["SELF.parent"], origin: .exported))
    #expect(registry.supertypes(of: "self.parent") == [.data, .item])
  }

  @Test("a chain of 20,000 parents is followed to its end")
  func longChain() {
    let registry = TypeRegistry()
    for link in 0..<20_000 {
      let parent = link == 0 ? "public.png" : "chain.\(link - 1)"
      registry.declare(TypeDeclaration(identifier: "chain.\(link)", conformsTo: [parent], origin: .exported))
    }
    let supertypes = registry.supertypes(of: "chain.19999")
    #expect(supertypes.count == 19_999 + 1 + UTType.png.supertypes.count)
    #expect(supertypes.contains(.image))
    #expect(registry.supertypes(of: "chain.19999") == supertypes)
  }

  @Test("a lattice with very many paths is walked once for each type")
  func lattice() {
    let registry = TypeRegistry()
    for level in 0..<200 {
      let parents = level == 0 ? ["public.data"] : ["left.\(level - 1)", "right.\(level - 1)"]
      for side in ["left", "right"] {
        registry.declare(TypeDeclaration(identifier: "\(side).\(level)", conformsTo: parents, origin: .exported))
      }
    }
    #expect(registry.supertypes(of: "left.199").count == 398 + 2)
  }

  @Test("a new declaration reaches supertypes that were asked for before")
  func declarationsEmptyTheCache() {
    let registry = TypeRegistry()
    registry.declare(TypeDeclaration(identifier: "kid", conformsTo: ["mum"], origin: .exported))
    #expect(registry.supertypes(of: "kid") == [UTType(system: "mum"), .data, .item])
    registry.declare(TypeDeclaration(identifier: "mum", conformsTo: ["public.png"], origin: .exported))
    #expect(registry.supertypes(of: "kid").contains(.image))
  }

  // MARK: Tags

  private func claim(_ identifier: String, _ origin: TypeDeclaration.Origin, tag: String = "ext") -> TypeDeclaration {
    TypeDeclaration(
      identifier: identifier, conformsTo: ["public.data"], filenameExtensions: [tag], mimeTypes: ["x/\(tag)"],
      origin: origin)
  }

  @Test("the first type that claims a tag has it")
  func firstClaimer() {
    let registry = TypeRegistry()
    registry.declare(claim("first", .exported))
    registry.declare(claim("second", .exported, tag: "EXT"))
    #expect(registry.types(withTag: "ext", of: .filenameExtension).map(\.identifier) == ["first", "second"])
    #expect(registry.types(withTag: "x/ext", of: .mimeType).map(\.identifier) == ["first", "second"])
  }

  @Test("the system's claim comes before exported ones, and those before imported ones, whenever they were made")
  func claimsRankByOrigin() {
    let registry = TypeRegistry(system: [claim("system", .system)])
    registry.declare(claim("imported", .imported))
    registry.declare(claim("exported", .exported))
    registry.declare(claim("imported-too", .imported))
    #expect(
      registry.types(withTag: "ext", of: .filenameExtension).map(\.identifier) == [
        "system", "exported", "imported", "imported-too",
      ])
  }

  @Test("a declaration that replaces another takes its claims along")
  func replacedClaims() {
    let registry = TypeRegistry()
    registry.declare(claim("Owned", .imported, tag: "old"))
    registry.declare(claim("owned", .exported, tag: "new"))
    #expect(registry.types(withTag: "old", of: .filenameExtension).isEmpty)
    #expect(registry.types(withTag: "new", of: .filenameExtension).map(\.identifier) == ["owned"])
    registry.declare(claim("owned", .imported, tag: "ignored"))
    #expect(registry.types(withTag: "ignored", of: .filenameExtension).isEmpty)
  }

  @Test("many threads may declare and ask at once")
  func threads() async {
    let registry = TypeRegistry()
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<200 {
            registry.declare(
              TypeDeclaration(identifier: "shared.\(index)", conformsTo: ["public.png"], origin: .exported))
            registry.declare(
              TypeDeclaration(identifier: "own.\(task).\(index)", conformsTo: ["shared.\(index)"], origin: .imported))
            #expect(registry.supertypes(of: "own.\(task).\(index)").contains(.image))
          }
        }
      }
    }
    #expect(registry.declaration(of: "own.7.199") != nil)
  }
}
