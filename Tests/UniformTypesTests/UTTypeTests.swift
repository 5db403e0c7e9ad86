// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited) struct UTTypeTests {
  // MARK: Looking up

  @Test("a type of the system is found by its identifier")
  func systemTypeIsFound() throws {
    let png = try #require(UTType("public.png"))
    #expect(png == .png)
    #expect(png.identifier == "public.png")
  }

  @Test("an undeclared type is not found")
  func undeclaredTypeIsNotFound() {
    #expect(UTType("org.example.nobody-declared-this") == nil)
    #expect(UTType("") == nil)
  }

  @Test(
    "a type is found in any case and keeps the spelling of its declaration",
    arguments: ["PUBLIC.PNG", "Public.Png", "public.pnG"])
  func caseDoesNotMatterForFinding(identifier: String) {
    #expect(UTType(identifier)?.identifier == "public.png")
    #expect(UTType(importedAs: identifier).identifier == "public.png")
    #expect(UTType(exportedAs: identifier).identifier == "public.png")
  }

  // MARK: Declaring

  @Test("an exported type is known from then on, with the spelling it was declared in")
  func exportedTypeIsKnown() {
    let type = UTType(exportedAs: "org.example.UTTypeTests.Exported", conformingTo: .json)
    #expect(type.identifier == "org.example.UTTypeTests.Exported")
    #expect(UTType("ORG.EXAMPLE.uttypetests.exported")?.identifier == "org.example.UTTypeTests.Exported")
    #expect(type.conforms(to: .text))
  }

  @Test("an exported type without a parent is declared all the same, as data")
  func exportedTypeWithoutParentIsData() {
    let type = UTType(exportedAs: "org.example.UTTypeTests.no-parent")
    #expect(UTType("org.example.uttypetests.no-parent") == type)
    #expect(type.supertypes == [.data, .item])
  }

  @Test("an imported type with a parent is declared")
  func importedTypeWithParentIsDeclared() {
    let type = UTType(importedAs: "org.example.UTTypeTests.imported", conformingTo: .image)
    #expect(UTType("org.example.UTTypeTests.imported") == type)
    #expect(type.conforms(to: .image))
  }

  @Test("an imported type without a parent is not declared, and carries its name")
  func importedTypeWithoutParentIsNotDeclared() {
    let type = UTType(importedAs: "org.example.UTTypeTests.named-only")
    #expect(type.identifier == "org.example.UTTypeTests.named-only")
    #expect(UTType("org.example.UTTypeTests.named-only") == nil)
  }

  @Test("what its owner exports beats what was imported before")
  func exportedBeatsImported() {
    let guess = UTType(importedAs: "org.example.UTTypeTests.OWNED", conformingTo: .image)
    #expect(guess.conforms(to: .image))
    let owned = UTType(exportedAs: "org.example.UTTypeTests.Owned", conformingTo: .json)
    #expect(owned.identifier == "org.example.UTTypeTests.Owned")
    #expect(guess == owned)
    #expect(guess.conforms(to: .json))
    #expect(!guess.conforms(to: .image))
    #expect(UTType("org.example.uttypetests.owned")?.identifier == "org.example.UTTypeTests.Owned")
  }

  @Test("what its owner exports without a parent beats an import, too")
  func exportedWithoutParentBeatsImported() {
    let guess = UTType(importedAs: "org.example.UTTypeTests.owned-data", conformingTo: .image)
    _ = UTType(exportedAs: "org.example.UTTypeTests.owned-data")
    #expect(guess.supertypes == [.data, .item])
  }

  @Test("what was imported later does not beat its owner's declaration")
  func importedDoesNotBeatExported() {
    let owned = UTType(exportedAs: "org.example.UTTypeTests.owned-first", conformingTo: .json)
    let guess = UTType(importedAs: "ORG.example.UTTypeTests.owned-first", conformingTo: .image)
    #expect(guess.identifier == "org.example.UTTypeTests.owned-first")
    #expect(!owned.conforms(to: .image))
  }

  @Test("of two declarations that count the same, the first holds")
  func firstDeclarationHolds() {
    let first = UTType(exportedAs: "org.example.UTTypeTests.twice", conformingTo: .json)
    let second = UTType(exportedAs: "org.example.UTTypeTests.TWICE", conformingTo: .image)
    #expect(first == second)
    #expect(second.identifier == "org.example.UTTypeTests.twice")
    #expect(second.conforms(to: .json))
  }

  @Test("a type of the system cannot be redefined")
  func systemTypeCannotBeRedefined() {
    let exported = UTType(exportedAs: "public.png", conformingTo: .json)
    let imported = UTType(importedAs: "public.PNG", conformingTo: .json)
    #expect(exported == .png)
    #expect(imported.identifier == "public.png")
    #expect(!UTType.png.conforms(to: .json))
    #expect(UTType.png.conforms(to: .image))
  }

  @Test(
    "text that is no uniform type identifier passes through an import unchanged",
    arguments: ["", "text/plain", "NSFilenamesPboardType", "a b\nc", "dyn.age80k551r30g82pe", "\u{1F4A9}", "../../x"])
  func otherTextPassesThrough(text: String) {
    #expect(Array(UTType(importedAs: text).identifier.utf8) == Array(text.utf8))
  }

  // MARK: Equality

  @Test("types are equal without regard to the case of their identifiers")
  func equalityIgnoresCase() {
    let lower = UTType(importedAs: "org.example.uttypetests.case")
    let upper = UTType(importedAs: "ORG.EXAMPLE.UTTYPETESTS.CASE")
    #expect(lower == upper)
    #expect(lower.hashValue == upper.hashValue)
    #expect(Set([lower, upper]).count == 1)
    #expect(lower != UTType(importedAs: "org.example.uttypetests.cas"))
    #expect(lower != UTType(importedAs: "org.example.uttypetests.casf"))
  }

  @Test("only ASCII letters have a case: no locale has a say")
  func onlyASCIIHasCase() {
    #expect(UTType(importedAs: "org.example.\u{C9}") != UTType(importedAs: "org.example.\u{E9}"))
    #expect(UTType(importedAs: "org.example.[") != UTType(importedAs: "org.example.{"))
  }

  @Test("equal types have equal hashes, also where accents are written in two ways")
  func canonicallyEquivalentIdentifiersDiffer() {
    let composed = UTType(importedAs: "org.example.caf\u{E9}")
    let decomposed = UTType(importedAs: "org.example.cafe\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test("a type describes itself by its identifier")
  func description() {
    #expect("\(UTType.png)" == "public.png")
  }

  // MARK: Naming and declaring

  @Test("what code names first is declared in full later, and keeps the parent it was named with")
  func fullDeclarationAfterName() {
    let identifier = "org.example.UTTypeTests.named-first"
    let type = UTType(exportedAs: identifier, conformingTo: .json)
    let full = TypeDeclaration(
      identifier, conformsTo: ["public.content"], tags: [.filenameExtension: ["uttypetests-saga"]],
      localizedDescription: "Saga")
    #expect(TypeRegistry.shared.declare([full]).isEmpty)
    #expect(UTType(filenameExtension: "uttypetests-saga") == type)
    #expect(type.localizedDescription == "Saga")
    #expect(type.conforms(to: .json) && type.conforms(to: .content))
    // Neither a second one nor code says any more of it.
    #expect(TypeRegistry.shared.declare([full]).map(\.reason) == [.alreadyDeclared])
    #expect(!UTType(exportedAs: identifier, conformingTo: .image).conforms(to: .image))
  }

  @Test("an import that code names is imported in full later; neither takes anything from an owner's declaration")
  func fullImportAfterName() {
    let identifier = "org.example.UTTypeTests.import-named-first"
    let type = UTType(importedAs: identifier, conformingTo: .json)
    let full = TypeDeclaration(
      identifier, origin: .imported, tags: [.filenameExtension: ["uttypetests-edda"]])
    #expect(TypeRegistry.shared.declare([full]).isEmpty)
    #expect(type.preferredFilenameExtension == "uttypetests-edda" && type.conforms(to: .json))
    let owned = UTType(exportedAs: "org.example.UTTypeTests.owned-by-name", conformingTo: .json)
    let imported = TypeDeclaration(owned.identifier, origin: .imported, conformsTo: ["public.image"])
    #expect(TypeRegistry.shared.declare([imported]).map(\.reason) == [.alreadyDeclared])
    #expect(!owned.conforms(to: .image))
  }

  @Test("a full declaration that closes a circle with the parent code named is refused, and the name holds")
  func circleWithImpliedParent() {
    let name = "org.example.UTTypeTests.implied"
    let type = UTType(exportedAs: "\(name).a", conformingTo: UTType(importedAs: "\(name).b"))
    let refused = TypeRegistry.shared.declare([
      TypeDeclaration("\(name).b", conformsTo: ["\(name).a"]), TypeDeclaration("\(name).a", conformsTo: ["public.png"]),
    ])
    #expect(refused.map(\.keyPath) == ["[0].UTTypeConformsTo[0]", "[1].UTTypeConformsTo"])
    #expect(type.isDeclared && type.conforms(to: UTType(importedAs: "\(name).b")) && !type.conforms(to: .image))
  }

  @Test("an exported type without a parent has the description of data")
  func descriptionWithoutParent() {
    let type = UTType(exportedAs: "org.example.UTTypeTests.plain-data")
    #expect(type.localizedDescription == UTType.data.localizedDescription)
    TypeRegistry.shared.declare([TypeDeclaration("org.example.UTTypeTests.plain-data-too")])
    #expect(UTType("org.example.UTTypeTests.plain-data-too")?.localizedDescription == type.localizedDescription)
  }
}
