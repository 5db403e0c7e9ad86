// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct UTTypeTests {
  private let prefix = "org.example.UTTypeTests."

  // MARK: Looking up

  @Test(arguments: ["public.png", "PUBLIC.PNG", "Public.Png", "public.pnG"])
  func searchIgnoresCase(identifier: String) {
    for type in [UTType(identifier), UTType(importedAs: identifier), UTType(exportedAs: identifier)] {
      #expect(type == .png && type?.identifier == "public.png")
    }
  }

  @Test func undeclaredTypeIsNotFound() {
    #expect(UTType(prefix + "undeclared") == nil)
    #expect(UTType("") == nil)
  }

  // MARK: Declaring

  @Test func exportedTypeIsDeclared() {
    let type = UTType(exportedAs: prefix + "Exported", conformingTo: .json)
    #expect(type.identifier == prefix + "Exported")
    #expect(UTType(prefix.uppercased() + "exported")?.identifier == prefix + "Exported")
    #expect(type.conforms(to: .text))
    let data = UTType(exportedAs: prefix + "no-parent")
    #expect(UTType(prefix + "NO-parent") == data)
    #expect(data.supertypes == [.data, .item])
  }

  @Test func importedTypeIsDeclaredIfItHasAParent() {
    let type = UTType(importedAs: prefix + "imported", conformingTo: .image)
    #expect(UTType(prefix + "imported") == type)
    #expect(type.conforms(to: .image))
    #expect(UTType(importedAs: prefix + "named-only").identifier == prefix + "named-only")
    #expect(UTType(prefix + "named-only") == nil)
  }

  @Test func exportedTypeReplacesEarlierImport() {
    let guess = UTType(importedAs: prefix + "OWNED", conformingTo: .image)
    #expect(guess.conforms(to: .image))
    let owned = UTType(exportedAs: prefix + "Owned", conformingTo: .json)
    #expect(guess == owned && owned.identifier == prefix + "Owned")
    #expect(guess.conforms(to: .json) && !guess.conforms(to: .image))
    #expect(UTType(prefix + "owned")?.identifier == prefix + "Owned")
    let other = UTType(importedAs: prefix + "owned-data", conformingTo: .image)
    _ = UTType(exportedAs: prefix + "owned-data")
    #expect(other.supertypes == [.data, .item])
  }

  @Test func laterDeclarationDoesNotReplaceAnExportedType() {
    let owned = UTType(exportedAs: prefix + "first", conformingTo: .json)
    for later in [
      UTType(importedAs: prefix + "FIRST", conformingTo: .image),
      UTType(exportedAs: prefix + "First", conformingTo: .image),
    ] {
      #expect(later == owned && later.identifier == prefix + "first")
      #expect(later.conforms(to: .json) && !later.conforms(to: .image))
    }
  }

  @Test func systemTypeCannotBeRedefined() {
    let exported = UTType(exportedAs: "public.png", conformingTo: .json)
    let imported = UTType(importedAs: "public.PNG", conformingTo: .json)
    #expect(exported == .png && imported.identifier == "public.png")
    #expect(!UTType.png.conforms(to: .json) && UTType.png.conforms(to: .image))
  }

  @Test(arguments: [
    "", "text/plain", "NSFilenamesPboardType", "a b\nc", "dyn.age80k551r30g82pe", "\u{1F4A9}", "../../x",
  ])
  func importKeepsOtherText(text: String) {
    #expect(Array(UTType(importedAs: text).identifier.utf8) == Array(text.utf8))
  }

  // MARK: Equality

  @Test func equalityIgnoresTheCaseOfASCIILetters() {
    func type(_ name: String) -> UTType { UTType(importedAs: "org.example." + name) }
    #expect(type("case") == type("CASE"))
    #expect(Set([type("case"), type("CASE")]).count == 1)
    // Canonically equivalent identifiers differ as well.
    for (one, other) in [("case", "cas"), ("case", "casf"), ("\u{C9}", "\u{E9}"), ("[", "{"), ("\u{E9}", "e\u{301}")] {
      #expect(type(one) != type(other))
      #expect(Set([type(one), type(other)]).count == 2)
    }
    #expect("\(UTType.png)" == "public.png")
  }

  // MARK: Naming and declaring

  @Test func fullDeclarationAddsToTheNamedType() {
    let identifier = prefix + "named-first"
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
    let type = UTType(importedAs: prefix + "import-named-first", conformingTo: .json)
    let full = TypeDeclaration(
      type.identifier, origin: .imported, tags: [.filenameExtension: ["uttypetests-edda"]])
    #expect(TypeRegistry.shared.declare([full]).isEmpty)
    #expect(type.preferredFilenameExtension == "uttypetests-edda" && type.conforms(to: .json))
    let owned = UTType(exportedAs: prefix + "owned-by-name", conformingTo: .json)
    let imported = TypeDeclaration(owned.identifier, origin: .imported, conformsTo: ["public.image"])
    #expect(TypeRegistry.shared.declare([imported]).map(\.reason) == [.alreadyDeclared])
    #expect(!owned.conforms(to: .image))
  }

  @Test func fullDeclarationThatClosesACycleIsRefused() {
    let name = prefix + "implied"
    let type = UTType(exportedAs: "\(name).a", conformingTo: UTType(importedAs: "\(name).b"))
    let refused = TypeRegistry.shared.declare([
      TypeDeclaration("\(name).b", conformsTo: ["\(name).a"]), TypeDeclaration("\(name).a", conformsTo: ["public.png"]),
    ])
    #expect(refused.map(\.keyPath) == ["[0].UTTypeConformsTo[0]", "[1].UTTypeConformsTo"])
    #expect(type.isDeclared && type.conforms(to: UTType(importedAs: "\(name).b")) && !type.conforms(to: .image))
  }

  @Test func exportInCodeKeepsAFullerDeclarationMadeBefore() {
    let identifier = prefix + "fuller"
    #expect(
      TypeRegistry.shared.declare([
        TypeDeclaration(
          identifier, origin: .imported, conformsTo: ["public.text"],
          tags: [.filenameExtension: ["uttypetests-fuller"], .mimeType: ["application/x-uttypetests-fuller"]],
          localizedDescription: "Fuller")
      ]).isEmpty)
    for type in [UTType(exportedAs: identifier), UTType(exportedAs: identifier, conformingTo: .json)] {
      #expect(type.preferredFilenameExtension == "uttypetests-fuller")
      #expect(type.preferredMIMEType == "application/x-uttypetests-fuller")
      #expect(type.localizedDescription == "Fuller" && type.conforms(to: .text))
    }
    #expect(UTType(filenameExtension: "uttypetests-fuller")?.identifier == identifier)
    // A complete declaration of the type's owner replaces the imported declaration.
    #expect(
      TypeRegistry.shared.declare([
        TypeDeclaration(identifier, conformsTo: ["public.json"], tags: [.filenameExtension: ["uttypetests-full"]])
      ]).isEmpty)
    #expect(UTType(identifier)?.preferredFilenameExtension == "uttypetests-full")
  }

  @Test func importedTypeYieldsToTheTypeOfItsExtension() {
    for (name, tag) in [("my-png", "png"), ("own", "uttypetests-own")] {
      TypeRegistry.shared.declare([
        TypeDeclaration(
          prefix + name, origin: .imported, conformsTo: ["public.data"], tags: [.filenameExtension: [tag]])
      ])
    }
    #expect(UTType(importedAs: prefix + "my-png") == .png)
    #expect(UTType(prefix + "my-png")?.identifier == prefix + "my-png")
    #expect(UTType(importedAs: prefix + "own").identifier == prefix + "own")
  }

  @Test func declaredTypeIsFoundByItsTagsAfterSystemTypes() throws {
    TypeRegistry.shared.declare([
      TypeDeclaration(
        prefix + "tagged", conformsTo: ["public.plain-text"],
        tags: [.filenameExtension: ["uttypetests-tag", "webp"], .mimeType: ["text/x-uttypetests-tag"]],
        localizedDescription: "Tagged", version: 3)
    ])
    let type = try #require(UTType(filenameExtension: "UTTypeTests-Tag"))
    #expect(type.identifier == prefix + "tagged")
    #expect(UTType(mimeType: "text/x-uttypetests-tag; charset=utf-8") == type)
    #expect(UTType(filenameExtension: "uttypetests-tag", conformingTo: .image)?.isDynamic == true)
    #expect(UTType(filenameExtension: "webp") == .webP)
    #expect(UTType(filenameExtension: "webp", conformingTo: .plainText) == type)
    #expect(type.localizedDescription == "Tagged" && type.version == 3)
  }

  @Test func descriptionComesFromTheNearestSupertype() {
    let type = UTType(exportedAs: prefix + "undescribed", conformingTo: .png)
    #expect(type.localizedDescription == "PNG image" && UTType.png.localizedDescription == "PNG image")
    #expect(type.referenceURL == nil && type.version == nil)
    #expect(UTType(importedAs: prefix + "unnamed").localizedDescription == nil)
    TypeRegistry.shared.declare([TypeDeclaration(prefix + "plain-data")])
    for data in [UTType(exportedAs: prefix + "plain-data-too"), UTType(named: prefix + "plain-data")] {
      #expect(data.localizedDescription == UTType.data.localizedDescription)
    }
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
    #expect(try JSONDecoder().decode(UTType.self, from: Data(json.utf8)).identifier == "public.png")
  }

  @Test func undeclaredTypeRoundTrips() throws {
    let json = Data(#"["org.example.Somebody-Elses","not an identifier"]"#.utf8)
    let types = try JSONDecoder().decode([UTType].self, from: json)
    #expect(types.map(\.identifier) == ["org.example.Somebody-Elses", "not an identifier"])
    #expect(try JSONEncoder().encode(types) == json)
    #expect(UTType("org.example.somebody-elses") == nil)
  }

  @Test(arguments: [PropertyListDecoder.PropertyListFormat.binary, .xml])
  func roundTripsThroughPropertyLists(format: PropertyListDecoder.PropertyListFormat) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
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
