// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct UTTypeTests {
  private let prefix = "org.example.UTTypeTests."

  // MARK: Looking up

  @Test(arguments: ["public.png", "PUBLIC.PNG", "Public.Png", "public.pnG"])
  func searchIgnoresCase(identifier: String) {
    for type in [UTType(identifier), UTType(importedAs: identifier), UTType(exportedAs: identifier)] {
      #expect(type == .png && type?.identifier == "public.png")
    }
  }

  @Test func undeclaredTypeIsNotFound() {
    #expect(UTType(prefix + "undeclared") == nil && UTType("") == nil)
  }

  // MARK: Declaring

  @Test func exportedTypeIsDeclared() {
    let type = UTType(exportedAs: prefix + "Exported", conformingTo: .json)
    let found = UTType(prefix.uppercased() + "exported")
    let identifiers = [type, found].map { $0?.identifier }
    #expect(identifiers == [prefix + "Exported", prefix + "Exported"] && type.conforms(to: .text))
    let data = UTType(exportedAs: prefix + "no-parent")
    #expect(UTType(prefix + "NO-parent") == data && data.supertypes == [.data, .item])
  }

  @Test func importedTypeIsDeclaredIfItHasAParent() {
    let type = UTType(importedAs: prefix + "imported", conformingTo: .image)
    #expect(UTType(prefix + "imported") == type && type.conforms(to: .image))
    let named = UTType(importedAs: prefix + "named-only")
    #expect(named.identifier == prefix + "named-only" && UTType(named.identifier) == nil)
  }

  @Test func exportedTypeReplacesEarlierImport() {
    let guess = UTType(importedAs: prefix + "OWNED", conformingTo: .image)
    #expect(guess.conforms(to: .image))
    let owned = UTType(exportedAs: prefix + "Owned", conformingTo: .json)
    let conformance = [UTType.json, .image].map { guess.conforms(to: $0) }
    #expect(guess == owned && owned.identifier == prefix + "Owned" && conformance == [true, false])
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
      let conformance = [UTType.json, .image].map { later.conforms(to: $0) }
      #expect(later == owned && later.identifier == prefix + "first" && conformance == [true, false])
    }
  }

  @Test func systemTypeCannotBeRedefined() {
    let exported = UTType(exportedAs: "public.png", conformingTo: .json)
    let imported = UTType(importedAs: "public.PNG", conformingTo: .json)
    let conformance = [UTType.json, .image].map { UTType.png.conforms(to: $0) }
    #expect(exported == .png && imported.identifier == "public.png" && conformance == [false, true])
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
    // Canonically equivalent identifiers differ as well.
    for (one, other, isEqual) in [
      ("case", "CASE", true), ("case", "cas", false), ("case", "casf", false), ("\u{C9}", "\u{E9}", false),
      ("[", "{", false), ("\u{E9}", "e\u{301}", false),
    ] {
      let count = Set([type(one), type(other)]).count
      #expect((type(one) == type(other)) == isEqual && count == (isEqual ? 1 : 2), "\(one), \(other)")
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
    #expect(UTType(filenameExtension: "uttypetests-saga") == type && type.localizedDescription == "Saga")
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
    TypeRegistry.shared.declare([
      TypeDeclaration(
        identifier, origin: .imported, conformsTo: ["public.text"],
        tags: [.filenameExtension: ["uttypetests-fuller"], .mimeType: ["application/x-uttypetests-fuller"]],
        localizedDescription: "Fuller")
    ])
    for type in [UTType(exportedAs: identifier), UTType(exportedAs: identifier, conformingTo: .json)] {
      let texts = [type.preferredFilenameExtension, type.preferredMIMEType, type.localizedDescription]
      let expected = ["uttypetests-fuller", "application/x-uttypetests-fuller", "Fuller"]
      #expect(texts == expected && type.conforms(to: .text))
    }
    #expect(UTType(filenameExtension: "uttypetests-fuller")?.identifier == identifier)
    // A complete declaration of the type's owner replaces the imported declaration.
    TypeRegistry.shared.declare([
      TypeDeclaration(identifier, conformsTo: ["public.json"], tags: [.filenameExtension: ["uttypetests-full"]])
    ])
    #expect(UTType(identifier)?.preferredFilenameExtension == "uttypetests-full")
  }

  @Test func importedTypeYieldsToTheTypeOfItsExtension() {
    for (name, tag) in [("my-png", "png"), ("own", "uttypetests-own")] {
      TypeRegistry.shared.declare([
        TypeDeclaration(
          prefix + name, origin: .imported, conformsTo: ["public.data"], tags: [.filenameExtension: [tag]])
      ])
    }
    let types = [UTType(importedAs: prefix + "my-png"), UTType(prefix + "my-png"), UTType(importedAs: prefix + "own")]
    #expect(types.map { $0?.identifier } == ["public.png", prefix + "my-png", prefix + "own"])
  }

  @Test func declaredTypeIsFoundByItsTagsAfterSystemTypes() {
    TypeRegistry.shared.declare([
      TypeDeclaration(
        prefix + "tagged", conformsTo: ["public.plain-text"],
        tags: [.filenameExtension: ["uttypetests-tag", "webp"], .mimeType: ["text/x-uttypetests-tag"]],
        localizedDescription: "Tagged", version: 3)
    ])
    let type = UTType(named: prefix + "tagged")
    let found = [
      UTType(filenameExtension: "UTTypeTests-Tag"), UTType(mimeType: "text/x-uttypetests-tag; charset=utf-8"),
      UTType(filenameExtension: "webp", conformingTo: .plainText), UTType(filenameExtension: "webp"),
    ]
    #expect(found == [type, type, type, .webP])
    #expect(UTType(filenameExtension: "uttypetests-tag", conformingTo: .image)?.isDynamic == true)
    #expect(type.localizedDescription == "Tagged" && type.version == 3)
  }

  @Test func descriptionComesFromTheNearestSupertype() {
    let type = UTType(exportedAs: prefix + "undescribed", conformingTo: .png)
    let types = [type, .png, UTType(importedAs: prefix + "unnamed")]
    let descriptions = types.map(\.localizedDescription)
    #expect(descriptions == ["PNG image", "PNG image", nil] && type.referenceURL == nil && type.version == nil)
    TypeRegistry.shared.declare([TypeDeclaration(prefix + "plain-data")])
    for data in [UTType(exportedAs: prefix + "plain-data-too"), UTType(named: prefix + "plain-data")] {
      #expect(data.localizedDescription == UTType.data.localizedDescription)
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct UTTypeCodableTests {
  private struct Box: Codable, Equatable {
    var type: UTType
  }

  @Test func writesConstantsAsObjectsAndOtherTypesAsBareIdentifiers() throws {
    func json(_ value: some Encodable) throws -> String {
      String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
    #expect(try json(Box(type: .png)) == #"{"type":{"identifier":"public.png"}}"#)
    let types = [UTType("PUBLIC.png"), UTType(importedAs: "org.example.saga"), UTType("org.opml.opml")]
    #expect(try json(types) == #"[{"identifier":"public.png"},"org.example.saga","org.opml.opml"]"#)
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
