// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TypeRegistryTests {
  @Test func registriesAreIndependent() {
    let registry = TypeRegistry()
    #expect(registry.declare([TypeDeclaration("a.b", conformsTo: ["c.d"])]).isEmpty)
    #expect(registry.find("A.B")?.identifier == "a.b")
    #expect(registry.find("c.d")?.isDeclared == false)
    #expect(registry.declarations.map(\.identifier) == ["a.b"])
    #expect(UTType("a.b") == nil)
  }

  private func keyPaths(_ declarations: [TypeDeclaration], in registry: TypeRegistry = TypeRegistry()) -> [String] {
    registry.declare(declarations).map { "\($0.keyPath) \($0.reason)" }
  }

  // MARK: Refusals

  @Test(arguments: [
    ("", RefusedDeclaration.Reason.emptyIdentifier), ("a b", .illegalCharacter(offset: 1)),
    (".", .noLetter), ("..", .noLetter), ("-", .noLetter), ("-.-", .noLetter),
    ("a.\u{202E}b", .illegalCharacter(offset: 2)), ("\u{2066}", .illegalCharacter(offset: 0)),
    ("\u{E9}.\u{200F}", .illegalCharacter(offset: 3)), ("a\u{61C}", .illegalCharacter(offset: 1)),
    ("a/b", .illegalCharacter(offset: 1)),
    ("a.b\u{0}", .illegalCharacter(offset: 3)), ("\u{1B}[2J", .illegalCharacter(offset: 0)),
    ("a_b", .illegalCharacter(offset: 1)),
    (String(repeating: "x", count: 5000), .longIdentifier), (String(repeating: "x", count: 1025), .longIdentifier),
    ("dyn.age80k551r30g82pe", .reservedIdentifier), ("DYN.x", .reservedIdentifier),
    ("public.png", .systemType), ("Public.PNG", .systemType),
    ("com.apple.homebuttonless-device", .reservedIdentifier),
  ])
  func illegalIdentifierIsRefusedWithItsKeyPath(identifier: String, reason: RefusedDeclaration.Reason) {
    let registry = TypeRegistry()
    let refused = registry.declare([
      TypeDeclaration("good.one"), TypeDeclaration(identifier), TypeDeclaration("good.two"),
    ])
    #expect(
      refused == [
        RefusedDeclaration(index: 1, keyPath: "[1].UTTypeIdentifier", identifier: identifier, reason: reason)
      ])
    #expect(registry.declarations.map(\.identifier) == ["good.one", "good.two"])
  }

  @Test func longestAndNonASCIIIdentifiersAreLegal() {
    let longest = String(repeating: "x", count: TypeDeclaration.maximumIdentifierLength)
    #expect(keyPaths([TypeDeclaration(longest), TypeDeclaration("org.example.Ægir-9")]).isEmpty)
    #expect(keyPaths([TypeDeclaration("public.not-in-the-table", origin: .imported)]).isEmpty)
  }

  @Test func exportedPublicTypeIsDeclaredWithARemark() throws {
    let registry = TypeRegistry()
    let refused = registry.declare([TypeDeclaration("public.retro-disk", conformsTo: ["public.disk-image"])])
    #expect(refused.map(\.reason) == [.publicIdentifier] && refused.allSatisfy { $0.isRemark })
    #expect(registry.find("public.retro-disk")?.isDeclared == true)
    #expect(supertypes(of: "public.retro-disk", in: registry).contains("public.archive"))
  }

  @Test func faultyParentsAndTagsAreIgnoredWithARemark() {
    let tagClass = UTTagClass.filenameExtension
    let registry = TypeRegistry()
    let declarations = [
      TypeDeclaration("a.a", conformsTo: ["public.data", "b b"]),
      TypeDeclaration("a.b", tags: [tagClass: ["ok", ".dot"]]),
      TypeDeclaration("a.c", tags: [.mimeType: [""]]),
    ]
    let remarks = registry.declare(declarations)
    #expect(remarks.allSatisfy { $0.isRemark })
    #expect(remarks.map(\.value) == ["b b", ".dot", ""])
    #expect(registry.declarations.map(\.conformsTo) == [["public.data"], [], []])
    #expect(registry.declarations.map(\.tags) == [[:], [tagClass: ["ok"]], [.mimeType: []]])
    #expect(
      remarks.map { "\($0.keyPath) \($0.reason)" } == [
        "[0].UTTypeConformsTo[1] the identifier's character at byte 1 is not a letter, a digit, a hyphen or a period",
        "[1].UTTypeTagSpecification.public.filename-extension[1] the tag is not valid for its class",
        "[2].UTTypeTagSpecification.public.mime-type[0] the tag is not valid for its class",
      ])
  }

  @Test func refusalNamesKeyPathIdentifierAndReason() {
    let refused = TypeRegistry().declare([TypeDeclaration("a b")])
    #expect(
      refused.map(\.description) == [
        "[0].UTTypeIdentifier (a b): the identifier's character at byte 1 is not a letter, a digit, a hyphen or a "
          + "period"
      ])
  }

  @Test func typesOnACycleAreRefused() {
    let registry = TypeRegistry()
    #expect(
      keyPaths([TypeDeclaration("self.Parent", conformsTo: ["SELF.parent"])], in: registry) == [
        "[0].UTTypeConformsTo[0] the type would conform to itself"
      ])
    #expect(registry.find("self.parent")?.isDeclared == true)
    #expect(supertypes(of: "self.parent", in: registry) == ["public.data", "public.item"])
    let three = [
      TypeDeclaration("cycle.a", conformsTo: ["public.png", "cycle.b"]),
      TypeDeclaration("cycle.b", conformsTo: ["cycle.c"]),
      TypeDeclaration("cycle.c", conformsTo: ["cycle.a"]), TypeDeclaration("beside", conformsTo: ["cycle.a"]),
    ]
    #expect(
      registry.declare(three).map(\.keyPath) == [
        "[0].UTTypeConformsTo[1]", "[1].UTTypeConformsTo[0]", "[2].UTTypeConformsTo[0]",
      ])
    #expect(registry.declarations.map(\.identifier) == ["self.Parent", "beside"])
  }

  @Test func declarationThatClosesACycleWithEarlierTypesIsRefused() {
    let registry = TypeRegistry()
    #expect(keyPaths([TypeDeclaration("old.a", conformsTo: ["old.b"])], in: registry).isEmpty)
    #expect(keyPaths([TypeDeclaration("old.b", conformsTo: ["old.c"])], in: registry).isEmpty)
    #expect(keyPaths([TypeDeclaration("old.c", conformsTo: ["old.a"])], in: registry).count == 1)
    #expect(keyPaths([TypeDeclaration("old.c", conformsTo: ["public.png"])], in: registry).isEmpty)
    #expect(supertypes(of: "old.a", in: registry).contains("public.image"))
  }

  // MARK: Precedence

  @Test func exportedTypePrecedesImportsAndTheFirstOfEqualsHolds() {
    let registry = TypeRegistry()
    let imported = TypeDeclaration("a.B", origin: .imported, conformsTo: ["public.png"])
    let exported = TypeDeclaration("A.b", origin: .exported, conformsTo: ["public.json"])
    #expect(keyPaths([imported], in: registry).isEmpty)
    #expect(keyPaths([imported], in: registry) == ["[0].UTTypeIdentifier the type is already declared"])
    #expect(keyPaths([exported], in: registry).isEmpty)
    #expect(registry.find("a.b")?.identifier == "A.b")
    #expect(keyPaths([imported, exported], in: registry).count == 2)
    #expect(supertypes(of: "a.b", in: registry).contains("public.json"))

    let together = TypeRegistry()
    #expect(keyPaths([imported, exported], in: together) == ["[0].UTTypeIdentifier the type is already declared"])
    #expect(together.declarations == [exported])
  }

  @Test func refusedExportRestoresTheImport() {
    let registry = TypeRegistry()
    registry.declare([
      TypeDeclaration("up.a", origin: .imported, conformsTo: ["public.png"]),
      TypeDeclaration("up.b", conformsTo: ["up.a"]),
    ])
    #expect(keyPaths([TypeDeclaration("up.a", conformsTo: ["up.b"])], in: registry).count == 1)
    #expect(supertypes(of: "up.b", in: registry).contains("public.image"))
    #expect(registry.declarations.first { $0.identifier == "up.a" }?.origin == .imported)
  }

  // MARK: Graphs of any shape

  private func supertypes(of identifier: String, in registry: TypeRegistry) -> Set<String> {
    Set(registry.ancestors(of: registry.find(identifier)?.slot ?? 0).map(\.identifier))
  }

  @Test(arguments: [0, 1, 2])
  func longChainIsFollowedFromEitherEnd(order: Int) throws {
    let registry = TypeRegistry()
    var links = (0..<20_000).map { link in
      TypeDeclaration("chain.\(link)", conformsTo: [link == 0 ? "public.png" : "chain.\(link - 1)"])
    }
    if order == 2 { links.reverse() }
    if order == 0 { registry.declare(links) } else { for link in links { registry.declare([link]) } }
    let found = supertypes(of: "chain.19999", in: registry)
    #expect(found.count == 19_999 + 1 + UTType.png.supertypes.count)
    let last = try #require(registry.find("chain.19999")).slot
    #expect(registry.conforms(last, to: try #require(registry.find("chain.0")).slot))
    #expect(registry.conforms(last, to: Int(UTType.image.slot)))
    #expect(!registry.conforms(last, to: Int(UTType.json.slot)))
    // A declaration that closes the chain to a cycle is refused, without taking more time.
    #expect(keyPaths([TypeDeclaration("chain.0", conformsTo: ["chain.19999"])], in: registry).count == 1)
  }

  @Test func longCycleIsRefused() {
    let circle = (0..<20_000).map { TypeDeclaration("circle.\($0)", conformsTo: ["circle.\(($0 + 1) % 20_000)"]) }
    #expect(TypeRegistry().declare(circle).count == 20_000)
  }

  @Test func latticeIsVisitedOncePerType() {
    let registry = TypeRegistry()
    for level in 0..<200 {
      let parents = level == 0 ? ["public.data"] : ["left.\(level - 1)", "right.\(level - 1)"]
      for side in ["left", "right"] { registry.declare([TypeDeclaration("\(side).\(level)", conformsTo: parents)]) }
    }
    #expect(supertypes(of: "left.199", in: registry).count == 398 + 2)
  }

  @Test func laterDeclarationUpdatesSupertypes() {
    let registry = TypeRegistry()
    registry.declare([TypeDeclaration("kid", conformsTo: ["mum"])])
    #expect(supertypes(of: "kid", in: registry) == ["mum", "public.data", "public.item"])
    registry.declare([TypeDeclaration("mum", conformsTo: ["public.png"])])
    #expect(supertypes(of: "kid", in: registry).contains("public.image"))
  }

  // MARK: Tags

  private func claim(_ identifier: String, _ origin: TypeDeclaration.Origin, tag: String = "saga") -> TypeDeclaration {
    TypeDeclaration(
      identifier, origin: origin, conformsTo: ["public.data"],
      tags: [.filenameExtension: [tag], .mimeType: ["x/\(tag)"]])
  }

  private func claimants(_ tag: String, in registry: TypeRegistry, _ tagClass: UTTagClass = .filenameExtension)
    -> [String]
  {
    registry.claimants(of: tag, tagClass).map(\.identifier)
  }

  @Test func firstTypeThatClaimsATagPrecedes() {
    let registry = TypeRegistry()
    registry.declare([claim("first", .exported), claim("second", .exported, tag: "SAGA")])
    #expect(claimants("Saga", in: registry) == ["first", "second"])
    #expect(claimants("X/saga", in: registry, .mimeType) == ["first", "second"])
    #expect(claimants("sag", in: registry).isEmpty)
  }

  @Test func exportedClaimsPrecedeImportedClaims() {
    let registry = TypeRegistry()
    registry.declare([claim("imported", .imported)])
    registry.declare([claim("exported", .exported)])
    registry.declare([claim("imported-too", .imported)])
    #expect(claimants("saga", in: registry) == ["exported", "imported", "imported-too"])
    #expect(registry.claimant(ofExtension: "Saga", conformingTo: Int(UTType.item.slot))?.identifier == "exported")
    #expect(registry.claimant(ofExtension: "saga", conformingTo: Int(UTType.text.slot)) == nil)
  }

  @Test func replacedDeclarationLosesItsClaims() {
    let registry = TypeRegistry()
    registry.declare([claim("Owned", .imported, tag: "old")])
    registry.declare([claim("owned", .exported, tag: "new")])
    #expect(claimants("old", in: registry).isEmpty)
    #expect(registry.claimant(ofExtension: "old", conformingTo: Int(UTType.data.slot)) == nil)
    #expect(claimants("new", in: registry) == ["owned"])
    registry.declare([claim("owned", .imported, tag: "ignored")])
    #expect(claimants("ignored", in: registry).isEmpty)
  }

  @Test func declaredTypeIsFoundByItsTagsAfterSystemTypes() {
    TypeRegistry.shared.declare([
      TypeDeclaration(
        "org.example.registry.saga", conformsTo: ["public.plain-text"],
        tags: [.filenameExtension: ["registry-saga", "webp"], .mimeType: ["text/x-registry-saga"]],
        localizedDescription: "Saga", version: 3)
    ])
    let saga = UTType(filenameExtension: "Registry-Saga")
    #expect(saga?.identifier == "org.example.registry.saga")
    #expect(UTType(mimeType: "text/x-registry-saga; charset=utf-8") == saga)
    #expect(UTType(filenameExtension: "registry-saga", conformingTo: .image)?.isDynamic == true)
    #expect(UTType(filenameExtension: "webp") == .webP)
    #expect(UTType(filenameExtension: "webp", conformingTo: .plainText) == saga)
    #expect(saga?.localizedDescription == "Saga" && saga?.version == 3)
    #expect(saga?.preferredFilenameExtension == "registry-saga")
  }

  @Test func importedTypeYieldsToTheTypeOfItsExtension() {
    TypeRegistry.shared.declare([
      TypeDeclaration(
        "org.example.registry.my-png", origin: .imported, conformsTo: ["public.data"],
        tags: [.filenameExtension: ["png"]]),
      TypeDeclaration(
        "org.example.registry.own", origin: .imported, conformsTo: ["public.data"],
        tags: [.filenameExtension: ["registry-own"]]),
    ])
    #expect(UTType(importedAs: "org.example.registry.my-png") == .png)
    #expect(UTType("org.example.registry.my-png")?.identifier == "org.example.registry.my-png")
    #expect(UTType(importedAs: "org.example.registry.own").identifier == "org.example.registry.own")
  }

  @Test func exportInCodeKeepsAFullerDeclarationMadeBefore() {
    let identifier = "org.example.registry.fuller"
    #expect(
      TypeRegistry.shared.declare([
        TypeDeclaration(
          identifier, origin: .imported, conformsTo: ["public.text"],
          tags: [.filenameExtension: ["registry-fuller"], .mimeType: ["application/x-registry-fuller"]],
          localizedDescription: "Fuller")
      ]).isEmpty)
    for type in [UTType(exportedAs: identifier), UTType(exportedAs: identifier, conformingTo: .json)] {
      #expect(type.preferredFilenameExtension == "registry-fuller")
      #expect(type.preferredMIMEType == "application/x-registry-fuller")
      #expect(type.localizedDescription == "Fuller")
      #expect(type.conforms(to: .text))
    }
    #expect(UTType(filenameExtension: "registry-fuller")?.identifier == identifier)
    // A complete declaration of the type's owner replaces the imported declaration.
    #expect(
      TypeRegistry.shared.declare([
        TypeDeclaration(identifier, conformsTo: ["public.json"], tags: [.filenameExtension: ["registry-owned"]])
      ]).isEmpty)
    #expect(UTType(identifier)?.preferredFilenameExtension == "registry-owned")
  }

  @Test func descriptionComesFromTheNearestSupertype() {
    let type = UTType(exportedAs: "org.example.registry.undescribed", conformingTo: .png)
    #expect(type.localizedDescription == "PNG image")
    #expect(UTType.png.localizedDescription == "PNG image")
    #expect(UTType(importedAs: "org.example.registry.nobody").localizedDescription == nil)
    #expect(type.referenceURL == nil && type.version == nil)
  }

  @Test func concurrentDeclarationsAndQueriesAreSafe() async {
    let registry = TypeRegistry()
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<200 {
            registry.declare([TypeDeclaration("shared.\(index)", conformsTo: ["public.png"])])
            registry.declare([
              TypeDeclaration("own.\(task).\(index)", origin: .imported, conformsTo: ["shared.\(index)"])
            ])
            let slot = registry.find("own.\(task).\(index)")?.slot ?? 0
            #expect(registry.conforms(slot, to: Int(UTType.image.slot)))
          }
        }
      }
    }
    #expect(registry.declarations.count == 200 + 8 * 200)
  }
}
