// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TypeRegistryTests {
  private let registry = TypeRegistry()

  private func faults(_ declarations: TypeDeclaration...) -> [String] {
    registry.declare(declarations).map { "\($0.keyPath) \($0.reason)" }
  }

  @Test func registriesAreIndependent() {
    #expect(faults(TypeDeclaration("a.b", conformsTo: ["c.d"])) == [])
    #expect(registry.find("A.B")?.identifier == "a.b" && registry.find("c.d")?.isDeclared == false)
    #expect(registry.declarations.map(\.identifier) == ["a.b"] && UTType("a.b") == nil)
  }

  // MARK: Refusals

  @Test(arguments: [
    ("", RefusedDeclaration.Reason.emptyIdentifier), ("a b", .illegalCharacter(offset: 1)),
    (".", .noLetter), ("..", .noLetter), ("-", .noLetter), ("-.-", .noLetter),
    ("a.\u{202E}b", .illegalCharacter(offset: 2)), ("\u{2066}", .illegalCharacter(offset: 0)),
    ("\u{E9}.\u{200F}", .illegalCharacter(offset: 3)), ("a\u{61C}", .illegalCharacter(offset: 1)),
    ("a/b", .illegalCharacter(offset: 1)), ("a_b", .illegalCharacter(offset: 1)),
    ("a.b\u{0}", .illegalCharacter(offset: 3)), ("\u{1B}[2J", .illegalCharacter(offset: 0)),
    (String(repeating: "x", count: 5000), .longIdentifier), (String(repeating: "x", count: 1025), .longIdentifier),
    ("dyn.age80k551r30g82pe", .reservedIdentifier), ("DYN.x", .reservedIdentifier),
    ("public.png", .systemType), ("Public.PNG", .systemType),
    ("com.apple.homebuttonless-device", .reservedIdentifier),
  ])
  func illegalIdentifierIsRefusedWithItsKeyPath(identifier: String, reason: RefusedDeclaration.Reason) {
    let refused = registry.declare([
      TypeDeclaration("good.one"), TypeDeclaration(identifier), TypeDeclaration("good.two"),
    ])
    let expected = RefusedDeclaration(
      index: 1, keyPath: "[1].UTTypeIdentifier", identifier: identifier, reason: reason)
    #expect(refused == [expected] && registry.declarations.map(\.identifier) == ["good.one", "good.two"])
  }

  @Test func longestAndNonASCIIIdentifiersAreLegal() {
    let longest = String(repeating: "x", count: TypeDeclaration.maximumIdentifierLength)
    let imported = TypeDeclaration("public.not-in-the-table", origin: .imported)
    #expect(faults(TypeDeclaration(longest), TypeDeclaration("org.example.Ægir-9"), imported) == [])
  }

  @Test func exportedPublicTypeIsDeclaredWithARemark() {
    let refused = registry.declare([TypeDeclaration("public.retro-disk", conformsTo: ["public.disk-image"])])
    #expect(refused.map(\.reason) == [.publicIdentifier] && refused.allSatisfy { $0.isRemark })
    let isArchive = registry.identifiers(above: "public.retro-disk").contains("public.archive")
    #expect(registry.find("public.retro-disk")?.isDeclared == true && isArchive)
  }

  @Test func faultyParentsAndTagsAreIgnoredWithARemark() {
    let declarations = [
      TypeDeclaration("a.a", conformsTo: ["public.data", "b b"]),
      TypeDeclaration("a.b", tags: [.filenameExtension: ["ok", ".dot"]]),
      TypeDeclaration("a.c", tags: [.mimeType: [""]]),
    ]
    let remarks = registry.declare(declarations)
    #expect(remarks.allSatisfy { $0.isRemark } && remarks.map(\.value) == ["b b", ".dot", ""])
    #expect(registry.declarations.map(\.conformsTo) == [["public.data"], [], []])
    #expect(registry.declarations.map(\.tags) == [[:], [.filenameExtension: ["ok"]], [.mimeType: []]])
    #expect(
      remarks.map(\.location) == [
        "[0].UTTypeConformsTo[1]: \(RefusedDeclaration.Reason.illegalCharacter(offset: 1))",
        "[1].UTTypeTagSpecification.public.filename-extension[1]: the tag is not valid for its class",
        "[2].UTTypeTagSpecification.public.mime-type[0]: the tag is not valid for its class",
      ])
  }

  @Test func refusalNamesKeyPathIdentifierAndReason() {
    #expect(
      registry.declare([TypeDeclaration("a b")]).map(\.description) == [
        "[0].UTTypeIdentifier (a b): the identifier's character at byte 1 is not a letter, a digit, a hyphen or a "
          + "period"
      ])
    let hostile = RefusedDeclaration(
      index: 0, keyPath: "a.\u{1B}]0;", identifier: "b\u{202E}\u{9B}\n" + String(repeating: "c", count: 90),
      reason: .invalidTag)
    let text = hostile.description
    let isVisible = text.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 || $0 == "…" }
    #expect(isVisible && text.hasPrefix(#"a.\u{1b}]0; (b\u{202e}\u{9b}\u{a}ccc"#))
  }

  @Test func typesOnACycleAreRefused() {
    #expect(
      faults(TypeDeclaration("self.Parent", conformsTo: ["SELF.parent"])) == [
        "[0].UTTypeConformsTo[0] the type would conform to itself"
      ])
    #expect(registry.identifiers(above: "self.parent") == ["public.data", "public.item"])
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

  // MARK: Precedence

  @Test func exportedTypePrecedesImportsAndTheFirstOfEqualsHolds() {
    let imported = TypeDeclaration("a.B", origin: .imported, conformsTo: ["public.png"])
    let exported = TypeDeclaration("A.b", origin: .exported, conformsTo: ["public.json"])
    let all = [imported, imported, exported].map { faults($0) }
    #expect(all == [[], ["[0].UTTypeIdentifier the type is already declared"], []])
    #expect(registry.find("a.b")?.identifier == "A.b" && faults(imported, exported).count == 2)
    #expect(registry.identifiers(above: "a.b").contains("public.json"))

    let together = TypeRegistry()
    #expect(
      together.declare([imported, exported]).map(\.location) == ["[0].UTTypeIdentifier: the type is already declared"])
    #expect(together.declarations == [exported])
  }

  // MARK: Tags

  private func claim(_ identifier: String, _ origin: TypeDeclaration.Origin, tags: String...) -> TypeDeclaration {
    TypeDeclaration(
      identifier, origin: origin, conformsTo: ["public.data"],
      tags: [.filenameExtension: tags, .mimeType: tags.map { "x/\($0)" }])
  }

  @Test func firstTypeThatClaimsATagPrecedes() {
    registry.declare([
      claim("first", .exported, tags: "saga", "SAGA", "saga"), claim("second", .exported, tags: "SAGA"),
    ])
    let mimeClaimants = registry.claimants(of: "X/saga", .mimeType).map(\.identifier)
    let claimants = ["Saga", "sag"].map { registry.claimants(ofExtension: $0) }
    #expect(claimants + [mimeClaimants] == [["first", "second"], [], ["first", "second"]])
  }

  @Test func exportedClaimsPrecedeImportedClaims() {
    registry.declare([claim("imported", .imported, tags: "saga")])
    registry.declare([claim("exported", .exported, tags: "saga")])
    registry.declare([claim("imported-too", .imported, tags: "saga")])
    #expect(registry.claimants(ofExtension: "saga") == ["exported", "imported", "imported-too"])
  }

  @Test func replacedDeclarationLosesItsClaims() {
    registry.declare([claim("Owned", .imported, tags: "old")])
    registry.declare([claim("owned", .exported, tags: "new")])
    registry.declare([claim("owned", .imported, tags: "ignored")])
    #expect(["old", "new", "ignored"].map { registry.claimants(ofExtension: $0) } == [[], ["owned"], []])
  }

  // MARK: Threads

  @Test func concurrentDeclarationsAndQueriesAreSafe() async {
    let registry = registry
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<200 {
            registry.declare([TypeDeclaration("shared.\(index)", conformsTo: ["public.png"])])
            registry.declare([
              TypeDeclaration("own.\(task).\(index)", origin: .imported, conformsTo: ["shared.\(index)"])
            ])
            let slot = registry.find("own.\(task).\(index)")?.slot ?? 0
            if !registry.conforms(slot, to: Int(UTType.image.slot)) { Issue.record("\(task), \(index)") }
          }
        }
      }
    }
    #expect(registry.declarations.count == 200 + 8 * 200)
  }
}
