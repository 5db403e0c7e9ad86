// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

/// The table of system types.
///
/// The suite is serialized, since some tests declare types with tags of the table.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SystemTypesTests {
  /// A line of a table of facts.
  private struct Fact {
    var identifier: String
    var constant: String
    var parents: [String]
    var tags: [UTTagClass: [String]]
    var referenceURL: String
    var description: String
    /// The source of the fact; empty in the tables of facts.
    var source: String
  }

  private static let columnNames: [UTTagClass: [String]] = [
    .filenameExtension: ["extensions"], .mimeType: ["mime_types", "MIME types"], .osType: ["ostypes", "OSTypes"],
    .pasteboardType: ["pasteboard_types", "pasteboard types"],
  ]

  private static func facts(in path: String) throws -> [Fact] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { $0.components(separatedBy: "\t") }
    return lines.dropFirst().map { fields in
      func field(_ names: [String]) -> String {
        lines[0].firstIndex(where: names.contains).flatMap { $0 < fields.count ? fields[$0] : nil } ?? ""
      }
      func list(_ names: [String]) -> [String] {
        field(names).components(separatedBy: ", ").filter { !$0.isEmpty }
      }
      return Fact(
        identifier: field(["identifier"]), constant: field(["swift_name", "constant"]),
        parents: list(["conforms_to", "parents"]),
        tags: columnNames.mapValues(list).filter { !$0.value.isEmpty },
        referenceURL: field(["reference_url", "reference URL"]), description: field(["description"]),
        source: field(["source"]))
    }
  }

  /// The facts from the tables in `DRAGPIPE_FACTS` or, by default, from the project's own table.
  ///
  /// If both tables have a line about a type, the table of constants takes precedence.
  private static let allFacts: [Fact] = {
    do {
      guard let directory = ProcessInfo.processInfo.environment["DRAGPIPE_FACTS"] else {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
        return try facts(in: root.path + "/Sources/UniformTypes/SystemTypes/system-types.tsv")
      }
      var merged = Dictionary(
        uniqueKeysWithValues: try facts(in: "\(directory)/uti-declared.tsv").map { ($0.identifier, $0) })
      for fact in try facts(in: "\(directory)/uti-constants.tsv") {
        var fact = fact
        let declared = merged[fact.identifier]
        if fact.parents.isEmpty { fact.parents = declared?.parents ?? [] }
        fact.tags.merge(declared?.tags ?? [:]) { stated, _ in stated }
        fact.description = declared?.description ?? ""
        merged[fact.identifier] = fact
      }
      return merged.values.sorted { $0.identifier < $1.identifier }
    } catch {
      Issue.record(error)
      return []
    }
  }()

  @Test func tableHasTheCountsOfTheFacts() {
    let isFact = { (fact: Fact) in ["", "Apple: UTType", "Apple: CoreTypes"].contains(fact.source) }
    #expect(Self.allFacts.count(where: isFact) == 883)
    #expect(SystemTypes.declaredCount >= Self.allFacts.count && SystemTypes.appleCount >= 883)
    #expect(Self.allFacts.count { !$0.constant.isEmpty } == 140)
    #expect(SystemTypes.constants.count == 140)
  }

  @Test func tableAgreesWithFacts() throws {
    for fact in Self.allFacts {
      let type = try #require(UTType(fact.identifier), "\(fact.identifier)")
      #expect(type.identifier == fact.identifier)
      let parents = SystemTypes.parents(of: Int(type.slot)).map { SystemTypes.identifiers[$0] }
      #expect(parents == fact.parents, "\(type)")
      // Another test adds tags to this type, so its tags are not compared.
      if type.identifier != "net.daringfireball.markdown" { #expect(type.tags == fact.tags, "\(type)") }
      #expect(SystemTypes.texts(of: Int(type.slot)).description == (fact.description.isEmpty ? nil : fact.description))
      #expect(type.referenceURL?.absoluteString == (fact.referenceURL.isEmpty ? nil : fact.referenceURL))
      #expect(type.isDeclared && !type.isDynamic)
      #expect(type.isPublic == fact.identifier.hasPrefix("public."))
    }
  }

  @Test func constantsAgreeWithFacts() throws {
    let identifiers = Dictionary(
      uniqueKeysWithValues: Self.allFacts.filter { !$0.constant.isEmpty }.map { ($0.constant, $0.identifier) })
    for (name, type) in SystemTypes.constants {
      #expect(type.identifier == identifiers[name], "\(name)")
      #expect(UTType(type.identifier)?.slot == type.slot, "\(name)")
    }
  }

  @Test(arguments: [
    (UTType.dng, "dng", "image/x-adobe-dng", UTType.rawImage), (.jpegxl, "jxl", "image/jxl", .image),
    (.geoJSON, "geojson", "application/geo+json", .json), (.heics, "heics", "image/heic-sequence", .image),
    (.tarArchive, "tar", "application/x-tar", .archive), (.css, "css", "text/css", .text),
  ])
  func constantsAreFoundByTheirTags(type: UTType, filenameExtension: String, mimeType: String, parent: UTType) {
    #expect(UTType(filenameExtension: filenameExtension) == type)
    #expect(UTType(mimeType: mimeType) == type)
    #expect(type.conforms(to: parent))
    #expect(type.conforms(to: .data))
  }

  @Test func linkMetadataIsData() {
    #expect(UTType.linkPresentationMetadata.conforms(to: .data))
  }

  @Test func supertypesAreParentsAndTheirSupertypes() {
    let parents = Dictionary(uniqueKeysWithValues: Self.allFacts.map { ($0.identifier, $0.parents) })
    for fact in Self.allFacts {
      var expected: Set<String> = []
      var pending = fact.parents
      while let next = pending.popLast() {
        if expected.insert(next).inserted { pending += parents[next] ?? [] }
      }
      let type = UTType(named: fact.identifier)
      #expect(Set(type.supertypes.map(\.identifier)) == expected, "\(type)")
      for other in expected { #expect(type.conforms(to: UTType(named: other))) }
    }
  }

  @Test func tagsFindTheirTypesInOrderOfPrecedence() {
    for fact in Self.allFacts {
      for (tagClass, tags) in fact.tags {
        for tag in tags {
          let found = UTType.types(tag: tag, tagClass: tagClass, conformingTo: nil)
          #expect(found.contains { $0.identifier == fact.identifier }, "\(tag) of \(fact.identifier)")
          #expect(UTType(tag: tag, tagClass: tagClass, conformingTo: nil) == found.first, "\(tag)")
          let constants = found.prefix { type in SystemTypes.constants.contains { $0.type == type } }
          #expect(
            !found.dropFirst(constants.count).contains { type in
              tag != "text/plain;charset=" && SystemTypes.constants.contains { $0.type == type }
            }, "\(tag): types with constants come first")
          if tagClass == .filenameExtension {
            #expect(UTType(tag: tag.uppercased(), tagClass: tagClass, conformingTo: nil) == found.first)
          }
        }
      }
    }
  }

  @Test(arguments: [
    ("plist", "com.apple.property-list"), ("xml", "public.xml"), ("otf", "public.opentype-font"),
    ("otc", "public.opentype-collection-font"), ("mp4", "public.mpeg-4"), ("smf", "public.midi-audio"),
    ("svgz", "public.svg-image"), ("yml", "public.yaml"), ("ts", "public.mpeg-2-transport-stream"),
    ("text", "public.plain-text"), ("heic", "public.heic"), ("tar", "public.tar-archive"),
  ])
  func sharedExtensionBelongsToTheCommonType(tag: String, identifier: String) {
    #expect(UTType(filenameExtension: tag)?.identifier == identifier)
  }

  @Test(arguments: [
    ("application/octet-stream", "public.data"), ("application/vnd.ms-powerpoint", "com.microsoft.powerpoint.ppt"),
    ("application/msword", "com.microsoft.word.doc"), ("application/vnd.ms-excel", "com.microsoft.excel.xls"),
    ("audio/aiff", "public.aiff-audio"), ("application/x-msdownload", "com.microsoft.windows-executable"),
  ])
  func sharedMIMETypeBelongsToTheCommonType(tag: String, identifier: String) {
    #expect(UTType(mimeType: tag)?.identifier == identifier)
  }

  @Test func undeclaredParentOnlyHasAName() throws {
    let device = UTType(named: "com.apple.homebuttonless-device")
    #expect(!device.isDeclared)
    #expect(UTType("com.apple.homebuttonless-device") == nil)
    #expect(try #require(UTType("com.apple.homebuttonless-ipad")).conforms(to: device))
    #expect(UTType(exportedAs: "com.apple.homebuttonless-device", conformingTo: .png).isDeclared == false)
  }

  @Test(arguments: ["", "\u{0}", "i", "public.pn", "public.pngg"])
  func unknownKeyFindsNothing(key: String) {
    #expect(SystemTypes.index(of: key) == nil)
    #expect(SystemTypes.index(of: String(repeating: "x", count: 129)) == nil)
  }

  @Test func typeOfAProgramPrecedesTypesOfOtherOwners() throws {
    let refused = TypeRegistry.shared.declare([
      TypeDeclaration(
        "org.example.well-known.book", conformsTo: ["public.data"],
        tags: [.filenameExtension: ["kdc", "nef"], .mimeType: ["image/x-kodak-kdc", "image/x-nikon-nef"]])
    ])
    #expect(refused.isEmpty)
    let book = UTType(named: "org.example.well-known.book")
    #expect(UTType(filenameExtension: "kdc") == book)
    #expect(UTType(mimeType: "image/x-kodak-kdc") == book)
    #expect(UTType(filenameExtension: "kdc", conformingTo: .image)?.identifier == "org.dragpipe.kodak-kdc-raw-image")
    #expect(UTType(filenameExtension: "nef")?.identifier == "com.nikon.raw-image")
    #expect(
      UTType.types(tag: "nef", tagClass: .filenameExtension, conformingTo: nil).map(\.identifier)
        == ["com.nikon.raw-image", "org.example.well-known.book"])
  }

  @Test func declarationOfAnotherOwnersTypeAddsTags() throws {
    let tags: [UTTagClass: [String]] = [
      .filenameExtension: ["md", "well-known-md"], .mimeType: ["text/x-well-known-md"],
    ]
    let markdown = TypeDeclaration("Net.Daringfireball.Markdown", conformsTo: ["public.image"], tags: tags)
    #expect(TypeRegistry.shared.declare([markdown]).isEmpty)
    #expect(TypeRegistry.shared.declare([markdown]).map(\.reason) == [.alreadyDeclared])
    let type = try #require(UTType("net.daringfireball.markdown"))
    #expect(type.identifier == "net.daringfireball.markdown")
    #expect(UTType(filenameExtension: "well-known-md") == type && UTType(mimeType: "text/x-well-known-md") == type)
    #expect(UTType(filenameExtension: "md") == type && UTType(filenameExtension: "markdown") == type)
    #expect(UTType.types(tag: "md", tagClass: .filenameExtension, conformingTo: nil) == [type])
    #expect(type.preferredFilenameExtension == "md")
    #expect(type.tags[.filenameExtension]?.last == "well-known-md")
    #expect(type.conforms(to: .plainText) && !type.conforms(to: .image))
    #expect(UTType(exportedAs: "net.daringfireball.markdown", conformingTo: .image) == type)
    #expect(UTType.allDeclared.count { $0 == type } == 1)
  }
}
