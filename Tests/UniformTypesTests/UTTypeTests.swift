// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct UTTypeTests {
  // MARK: Looking up

  @Test func systemTypeIsFound() throws {
    let png = try #require(UTType("public.png"))
    #expect(png == .png)
    #expect(png.identifier == "public.png")
  }

  @Test func undeclaredTypeIsNotFound() {
    #expect(UTType("org.example.nobody-declared-this") == nil)
    #expect(UTType("") == nil)
  }

  @Test(arguments: ["PUBLIC.PNG", "Public.Png", "public.pnG"])
  func searchIgnoresCase(identifier: String) {
    #expect(UTType(identifier)?.identifier == "public.png")
    #expect(UTType(importedAs: identifier).identifier == "public.png")
    #expect(UTType(exportedAs: identifier).identifier == "public.png")
  }

  // MARK: Declaring

  @Test func exportedTypeIsDeclared() {
    let type = UTType(exportedAs: "org.example.UTTypeTests.Exported", conformingTo: .json)
    #expect(type.identifier == "org.example.UTTypeTests.Exported")
    #expect(UTType("ORG.EXAMPLE.uttypetests.exported")?.identifier == "org.example.UTTypeTests.Exported")
    #expect(type.conforms(to: .text))
  }

  @Test func exportedTypeWithoutParentIsData() {
    let type = UTType(exportedAs: "org.example.UTTypeTests.no-parent")
    #expect(UTType("org.example.uttypetests.no-parent") == type)
    #expect(type.supertypes == [.data, .item])
  }

  @Test func importedTypeWithParentIsDeclared() {
    let type = UTType(importedAs: "org.example.UTTypeTests.imported", conformingTo: .image)
    #expect(UTType("org.example.UTTypeTests.imported") == type)
    #expect(type.conforms(to: .image))
  }

  @Test func importedTypeWithoutParentIsNotDeclared() {
    let type = UTType(importedAs: "org.example.UTTypeTests.named-only")
    #expect(type.identifier == "org.example.UTTypeTests.named-only")
    #expect(UTType("org.example.UTTypeTests.named-only") == nil)
  }

  @Test func exportedTypeReplacesEarlierImport() {
    let guess = UTType(importedAs: "org.example.UTTypeTests.OWNED", conformingTo: .image)
    #expect(guess.conforms(to: .image))
    let owned = UTType(exportedAs: "org.example.UTTypeTests.Owned", conformingTo: .json)
    #expect(owned.identifier == "org.example.UTTypeTests.Owned")
    #expect(guess == owned)
    #expect(guess.conforms(to: .json))
    #expect(!guess.conforms(to: .image))
    #expect(UTType("org.example.uttypetests.owned")?.identifier == "org.example.UTTypeTests.Owned")
  }

  @Test func exportedTypeWithoutParentReplacesEarlierImport() {
    let guess = UTType(importedAs: "org.example.UTTypeTests.owned-data", conformingTo: .image)
    _ = UTType(exportedAs: "org.example.UTTypeTests.owned-data")
    #expect(guess.supertypes == [.data, .item])
  }

  @Test func laterImportDoesNotReplaceExportedType() {
    let owned = UTType(exportedAs: "org.example.UTTypeTests.owned-first", conformingTo: .json)
    let guess = UTType(importedAs: "ORG.example.UTTypeTests.owned-first", conformingTo: .image)
    #expect(guess.identifier == "org.example.UTTypeTests.owned-first")
    #expect(!owned.conforms(to: .image))
  }

  @Test func firstOfTwoEqualDeclarationsHolds() {
    let first = UTType(exportedAs: "org.example.UTTypeTests.twice", conformingTo: .json)
    let second = UTType(exportedAs: "org.example.UTTypeTests.TWICE", conformingTo: .image)
    #expect(first == second)
    #expect(second.identifier == "org.example.UTTypeTests.twice")
    #expect(second.conforms(to: .json))
  }

  @Test func systemTypeCannotBeRedefined() {
    let exported = UTType(exportedAs: "public.png", conformingTo: .json)
    let imported = UTType(importedAs: "public.PNG", conformingTo: .json)
    #expect(exported == .png)
    #expect(imported.identifier == "public.png")
    #expect(!UTType.png.conforms(to: .json))
    #expect(UTType.png.conforms(to: .image))
  }

  @Test(arguments: [
    "", "text/plain", "NSFilenamesPboardType", "a b\nc", "dyn.age80k551r30g82pe", "\u{1F4A9}", "../../x",
  ])
  func importKeepsOtherText(text: String) {
    #expect(Array(UTType(importedAs: text).identifier.utf8) == Array(text.utf8))
  }

  // MARK: Equality

  @Test func equalityIgnoresCase() {
    let lower = UTType(importedAs: "org.example.uttypetests.case")
    let upper = UTType(importedAs: "ORG.EXAMPLE.UTTYPETESTS.CASE")
    #expect(lower == upper)
    #expect(lower.hashValue == upper.hashValue)
    #expect(Set([lower, upper]).count == 1)
    #expect(lower != UTType(importedAs: "org.example.uttypetests.cas"))
    #expect(lower != UTType(importedAs: "org.example.uttypetests.casf"))
  }

  @Test func onlyASCIILettersHaveCase() {
    #expect(UTType(importedAs: "org.example.\u{C9}") != UTType(importedAs: "org.example.\u{E9}"))
    #expect(UTType(importedAs: "org.example.[") != UTType(importedAs: "org.example.{"))
  }

  @Test func canonicallyEquivalentIdentifiersDiffer() {
    let composed = UTType(importedAs: "org.example.caf\u{E9}")
    let decomposed = UTType(importedAs: "org.example.cafe\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test func descriptionIsTheIdentifier() {
    #expect("\(UTType.png)" == "public.png")
  }

  // MARK: Naming and declaring

  @Test func fullDeclarationAddsToTheNamedType() {
    let identifier = "org.example.UTTypeTests.named-first"
    let type = UTType(exportedAs: identifier, conformingTo: .json)
    let full = TypeDeclaration(
      identifier, conformsTo: ["public.content"], tags: [.filenameExtension: ["uttypetests-saga"]],
      localizedDescription: "Saga")
    #expect(TypeRegistry.shared.declare([full]).isEmpty)
    #expect(UTType(filenameExtension: "uttypetests-saga") == type)
    #expect(type.localizedDescription == "Saga")
    #expect(type.conforms(to: .json) && type.conforms(to: .content))
    // Neither a second declaration nor code can extend the declaration.
    #expect(TypeRegistry.shared.declare([full]).map(\.reason) == [.alreadyDeclared])
    #expect(!UTType(exportedAs: identifier, conformingTo: .image).conforms(to: .image))
  }

  @Test func fullImportAddsToTheNamedImport() {
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

  @Test func fullDeclarationThatClosesACycleIsRefused() {
    let name = "org.example.UTTypeTests.implied"
    let type = UTType(exportedAs: "\(name).a", conformingTo: UTType(importedAs: "\(name).b"))
    let refused = TypeRegistry.shared.declare([
      TypeDeclaration("\(name).b", conformsTo: ["\(name).a"]), TypeDeclaration("\(name).a", conformsTo: ["public.png"]),
    ])
    #expect(refused.map(\.keyPath) == ["[0].UTTypeConformsTo[0]", "[1].UTTypeConformsTo"])
    #expect(type.isDeclared && type.conforms(to: UTType(importedAs: "\(name).b")) && !type.conforms(to: .image))
  }

  @Test func exportedTypeWithoutParentHasTheDescriptionOfData() {
    let type = UTType(exportedAs: "org.example.UTTypeTests.plain-data")
    #expect(type.localizedDescription == UTType.data.localizedDescription)
    TypeRegistry.shared.declare([TypeDeclaration("org.example.UTTypeTests.plain-data-too")])
    #expect(UTType("org.example.UTTypeTests.plain-data-too")?.localizedDescription == type.localizedDescription)
  }
}

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct UTTypeCodableTests {
  private struct Box: Codable, Equatable {
    var type: UTType
  }

  @Test func writesConstantsAsObjectsAndOtherTypesAsBareIdentifiers() throws {
    func json(_ value: some Encodable) throws -> String {
      String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
    #expect(try json(UTType.png) == #"{"identifier":"public.png"}"#)
    #expect(try json(#require(UTType("PUBLIC.png"))) == #"{"identifier":"public.png"}"#)
    #expect(try json(Box(type: .png)) == #"{"type":{"identifier":"public.png"}}"#)
    #expect(try json(UTType(importedAs: "org.example.saga")) == #""org.example.saga""#)
    #expect(try json(#require(UTType("org.opml.opml"))) == #""org.opml.opml""#)
  }

  @Test(arguments: [
    #""public.png""#, #"{"identifier":"public.png"}"#, #"{"identifier":"PUBLIC.PNG","constantIndex":7}"#,
  ])
  func readsIdentifierAndObject(json: String) throws {
    let type = try JSONDecoder().decode(UTType.self, from: Data(json.utf8))
    #expect(type == .png)
    #expect(type.identifier == "public.png")
  }

  @Test func undeclaredTypeRoundTrips() throws {
    let json = Data(#"["org.example.Somebody-Elses","not an identifier"]"#.utf8)
    let types = try JSONDecoder().decode([UTType].self, from: json)
    #expect(types.map(\.identifier) == ["org.example.Somebody-Elses", "not an identifier"])
    #expect(try JSONEncoder().encode(types) == json)
    #expect(UTType("org.example.somebody-elses") == nil)
  }

  @Test(arguments: [true, false])
  func roundTripsThroughPropertyLists(binary: Bool) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = binary ? .binary : .xml
    let box = Box(type: .utf8PlainText)
    #expect(try PropertyListDecoder().decode(Box.self, from: encoder.encode(box)) == box)
  }

  @Test(arguments: [
    "7", "null", "[]", "{}", #""""#, #"{"identifier":""}"#, #"{"identifier":7}"#, #"{"identifier":null}"#,
    #"["public.png"]"#,
  ])
  func otherValuesAreDecodingErrors(json: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(UTType.self, from: Data(json.utf8)) }
  }
}
