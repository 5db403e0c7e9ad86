// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

/// The built-in types, compared with the table from which they are generated.
///
/// The suite is serialized, since some tests declare types with tags of the table.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SystemTypesTests {
  private struct Row {
    var identifier: String
    var constant: String
    var parents: [String]
    var tags: [UTTagClass: [String]]
    var referenceURL: String
    var description: String
    var source: String

    var isApples: Bool { source.hasPrefix("Apple: ") }
    var isFact: Bool { source == "Apple: UTType" || source == "Apple: CoreTypes" }
  }

  private static let columns: [(UTTagClass, Int)] = [
    (.filenameExtension, 4), (.mimeType, 5), (.osType, 6), (.pasteboardType, 7),
  ]

  private static let rows: [Row] = {
    do {
      let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
      let path = root.path + "/.ci/system-types.tsv"
      let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        .filter { !$0.isEmpty && !$0.hasPrefix("#") }
      let list = { (field: String) in field.components(separatedBy: ", ").filter { !$0.isEmpty } }
      return lines.dropFirst().map { line in
        let fields = line.components(separatedBy: "\t")
        let tags = columns.map { ($0, list(fields[$1])) }.filter { !$1.isEmpty }
        return Row(
          identifier: fields[0], constant: fields[1], parents: list(fields[3]),
          tags: Dictionary(uniqueKeysWithValues: tags), referenceURL: fields[8], description: fields[9],
          source: fields[10])
      }
    } catch {
      Issue.record(error)
      return []
    }
  }()

  // MARK: The rows

  @Test func everyRowHasAnIdentifierASourceAndParents() {
    let identifiers = Set(Self.rows.map(\.identifier))
    #expect(Set(identifiers.map { $0.lowercased() }).count == SystemTypes.declaredCount)
    let counts = [Self.rows.count, Self.rows.count(where: \.isApples), Self.rows.count(where: \.isFact)]
    #expect(counts == [SystemTypes.declaredCount, SystemTypes.appleCount, 884])
    let kinds = ["Apple: UTType", "Apple: CoreTypes", "Apple: macOS", "owner: ", "published: ", "DragPipe: "]
    for row in Self.rows {
      let hasParents = row.isFact || !row.parents.isEmpty && identifiers.isSuperset(of: row.parents)
      if !hasParents || !kinds.contains(where: { row.source.hasPrefix($0) && row.source != "owner: " })
        || TypeDeclaration.fault(inIdentifier: row.identifier) != nil
        || row.identifier.hasPrefix("org.dragpipe.") != row.source.hasPrefix("DragPipe: ")
      {
        Issue.record("\(row)")
      }
    }
  }

  @Test func everyTagIsValidAndInOneRowOnce() {
    for row in Self.rows {
      for (tagClass, tags) in row.tags where [.filenameExtension, .mimeType].contains(tagClass) {
        // Apple's tables have one MIME type whose parameter has no value.
        for tag in tags where tag != "text/plain;charset=" && !UTType.isValid(tag: tag, of: tagClass) {
          Issue.record("\(tag) of \(row.identifier)")
        }
        if !row.isFact && Set(tags.map { $0.lowercased() }).count != tags.count { Issue.record("\(row)") }
      }
    }
  }

  // MARK: The built-in types

  @Test func everyTypeAgreesWithItsRow() throws {
    let parents = Dictionary(uniqueKeysWithValues: Self.rows.map { ($0.identifier, $0.parents) })
    for row in Self.rows {
      let type = try #require(UTType(row.identifier), "\(row.identifier)")
      let found = Row(
        identifier: type.identifier, constant: row.constant,
        parents: SystemTypes.parents(of: Int(type.slot)).map { SystemTypes.identifiers[$0] },
        tags: type.tags, referenceURL: type.referenceURL?.absoluteString ?? "",
        description: SystemTypes.texts(of: Int(type.slot)).description ?? "", source: row.source)
      // Another test adds tags to this type, so its tags are not compared.
      let hasTags = found.tags == row.tags || type.identifier == "org.json5.json5"
      if found.identifier != row.identifier || found.parents != row.parents || !hasTags
        || found.referenceURL != row.referenceURL || found.description != row.description || !type.isDeclared
        || type.isDynamic || type.isPublic != row.identifier.hasPrefix("public.")
      {
        Issue.record("\(found) instead of \(row)")
      }

      var expected: Set<String> = []
      var pending = row.parents
      while let next = pending.popLast() {
        if expected.insert(next).inserted { pending += parents[next] ?? [] }
      }
      if Set(type.supertypes.map(\.identifier)) != expected || type.supertypes.contains(type)
        || !expected.allSatisfy({ type.conforms(to: UTType(named: $0)) })
      {
        Issue.record("supertypes of \(type)")
      }
      if !row.isFact, !type.conforms(to: .data), !type.conforms(to: .directory), !row.tags.isEmpty {
        Issue.record("\(type) has tags, but is neither data nor a directory")
      }
    }
  }

  @Test func constantsAgreeWithTheirRows() {
    let identifiers = Dictionary(
      uniqueKeysWithValues: Self.rows.filter { !$0.constant.isEmpty }.map { ($0.constant, $0.identifier) })
    #expect(identifiers.count == 141 && SystemTypes.constants.count == 141)
    for (name, type) in SystemTypes.constants
    where type.identifier != identifiers[name] || UTType(type.identifier)?.slot != type.slot {
      Issue.record("\(name): \(type)")
    }
  }

  @Test func tagsFindTheirTypesInOrderOfPrecedence() {
    let constants = Set(SystemTypes.constants.map(\.type))
    for row in Self.rows {
      for (tagClass, tags) in row.tags {
        for tag in tags {
          let found = UTType.types(tag: tag, tagClass: tagClass, conformingTo: nil)
          let other = tagClass == .filenameExtension ? tag.uppercased() : tag
          let isSorted = !found.drop(while: constants.contains).contains(where: constants.contains)
          if !found.contains(where: { $0.identifier == row.identifier }) || !isSorted && tag != "text/plain;charset="
            || UTType(tag: tag, tagClass: tagClass, conformingTo: nil) != found.first
            || UTType(tag: other, tagClass: tagClass, conformingTo: nil) != found.first
          {
            Issue.record("\(tag) of \(row.identifier): \(found)")
          }
        }
      }
    }
  }

  @Test func undeclaredParentOnlyHasAName() {
    let device = UTType(named: "com.apple.homebuttonless-device")
    let exported = UTType(exportedAs: "com.apple.homebuttonless-device", conformingTo: .png)
    #expect(!device.isDeclared && UTType("com.apple.homebuttonless-device") == nil && !exported.isDeclared)
    #expect(UTType("com.apple.homebuttonless-ipad")?.conforms(to: device) == true)
  }

  @Test func unknownKeyFindsNothing() {
    let keys = ["", "\u{0}", "i", "public.pn", "public.pngg", String(repeating: "x", count: 129)]
    #expect(keys.compactMap { SystemTypes.index(of: $0) } == [])
  }

  @Test func dropIsIdentifiedByNameAndByContent() {
    let start: [UInt8] = [0xD7, 0x44, 0x52, 0x50, 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 1, 1]
    for found in [UTType.identify(fileNamed: "a.drop"), UTType.identify(content: start.span)] {
      #expect([found.type.identifier, found.mimeType] == ["org.dragpipe.drop", "application/vnd.dragpipe.drop"])
    }
    #expect(UTType.identify(content: Array(start.dropLast(5)).span).type.identifier != "org.dragpipe.drop")
  }

  // MARK: Declarations beside the table

  @Test func typeOfAProgramPrecedesTypesOfOtherOwners() throws {
    TypeRegistry.shared.declare([
      TypeDeclaration(
        "org.example.well-known.book", conformsTo: ["public.data"],
        tags: [.filenameExtension: ["kdc", "nef"], .mimeType: ["image/x-kodak-kdc", "image/x-nikon-nef"]])
    ])
    let book = UTType(named: "org.example.well-known.book")
    #expect([UTType(filenameExtension: "kdc"), UTType(mimeType: "image/x-kodak-kdc")] == [book, book])
    #expect(UTType(filenameExtension: "kdc", conformingTo: .image)?.identifier == "org.dragpipe.kodak-kdc-raw-image")
    #expect(
      UTType.types(tag: "nef", tagClass: .filenameExtension, conformingTo: nil).map(\.identifier)
        == ["com.nikon.raw-image", "org.example.well-known.book"])
  }

  @Test func declarationOfAnotherOwnersTypeAddsTags() throws {
    let tags: [UTTagClass: [String]] = [
      .filenameExtension: ["json5", "well-known-json5"], .mimeType: ["text/x-well-known-json5"],
    ]
    let json5 = TypeDeclaration("Org.JSON5.JSON5", conformsTo: ["public.image"], tags: tags)
    let refused = (0..<2).map { _ in TypeRegistry.shared.declare([json5]).map(\.reason) }
    #expect(refused == [[], [.alreadyDeclared]])
    let type = try #require(UTType("org.json5.json5"))
    #expect(type.identifier == "org.json5.json5")
    let found = ["json5", "well-known-json5"].map { UTType(filenameExtension: $0) }
    #expect(found + [UTType(mimeType: "text/x-well-known-json5")] == Array(repeating: type, count: 3))
    #expect(UTType.types(tag: "json5", tagClass: .filenameExtension, conformingTo: nil) == [type])
    #expect([type.preferredFilenameExtension, type.tags[.filenameExtension]?.last] == ["json5", "well-known-json5"])
    #expect(UTType(exportedAs: "org.json5.json5", conformingTo: .image) == type)
    #expect(type.conforms(to: .text) && !type.conforms(to: .image))
    #expect(UTType.allDeclared.count { $0 == type } == 1)
  }
}
