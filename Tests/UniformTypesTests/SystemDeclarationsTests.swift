// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import UniformTypes

@Suite struct SystemDeclarationsTests {
  private static let factsDirectory = ProcessInfo.processInfo.environment["DRAGPIPE_FACTS"]

  /// One row of `uti-constants.tsv`.
  private struct Fact {
    let name: String
    let identifier: String
    let parents: [String]
    let filenameExtensions: [String]
    let mimeTypes: [String]

    init?(row: Substring) {
      let fields = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard !row.hasPrefix("#"), fields.count > 5 else { return nil }
      name = fields[0]
      identifier = fields[1]
      parents = Self.list(fields[3])
      filenameExtensions = Self.list(fields[4])
      mimeTypes = Self.list(fields[5])
    }

    static func list(_ field: String) -> [String] {
      field.isEmpty ? [] : field.components(separatedBy: ", ")
    }
  }

  /// Every constant, by its name in Swift.
  private static let constants: [String: UTType] = [
    "item": .item, "content": .content, "compositeContent": .compositeContent, "data": .data, "directory": .directory,
    "folder": .folder, "url": .url, "fileURL": .fileURL, "text": .text, "plainText": .plainText,
    "utf8PlainText": .utf8PlainText, "delimitedText": .delimitedText, "commaSeparatedText": .commaSeparatedText,
    "html": .html, "xml": .xml, "json": .json, "propertyList": .propertyList, "xmlPropertyList": .xmlPropertyList,
    "binaryPropertyList": .binaryPropertyList, "pdf": .pdf, "archive": .archive, "zip": .zip, "gzip": .gzip,
    "image": .image, "png": .png, "jpeg": .jpeg, "gif": .gif, "svg": .svg, "audiovisualContent": .audiovisualContent,
    "audio": .audio, "mp3": .mp3, "movie": .movie, "mpeg4Movie": .mpeg4Movie,
  ]

  @Test("every constant is declared, with the same spelling")
  func constantsAreDeclared() {
    for (name, type) in Self.constants {
      #expect(UTType(type.identifier)?.identifier == type.identifier, "\(name)")
    }
  }

  @Test("every identifier is declared once, and every parent is declared")
  func tableIsClosed() {
    let identifiers = systemDeclarations.map { $0.identifier.lowercased() }
    #expect(Set(identifiers).count == identifiers.count)
    for declaration in systemDeclarations {
      #expect(declaration.origin == .system)
      for parent in declaration.conformsTo {
        #expect(systemDeclarations.contains { $0.identifier == parent }, "\(parent)")
      }
    }
  }

  @Test("no declaration lists a tag twice, or with capitals or periods that a search would miss")
  func tagsAreFindable() {
    for declaration in systemDeclarations {
      for kind in [TypeDeclaration.TagKind.filenameExtension, .mimeType] {
        let tags = declaration.tags(of: kind)
        #expect(Set(tags).count == tags.count)
        #expect(tags.allSatisfy { $0 == $0.lowercased() && !$0.hasPrefix(".") && !$0.contains(" ") })
      }
    }
  }

  @Test("the table agrees with what is known of Apple's types", .enabled(if: factsDirectory != nil))
  func tableAgreesWithFacts() throws {
    let directory = try #require(Self.factsDirectory)
    let table = try String(contentsOfFile: "\(directory)/uti-constants.tsv", encoding: .utf8)
    let facts = table.split(separator: "\n").compactMap(Fact.init(row:))
    let factsByIdentifier = Dictionary(facts.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })

    for declaration in systemDeclarations {
      // A parent that has no constant of its own.
      guard declaration.identifier != "com.pkware.zip-archive" else { continue }
      let fact = try #require(factsByIdentifier[declaration.identifier], "\(declaration.identifier)")
      #expect(declaration.conformsTo == fact.parents, "\(declaration.identifier)")
      #expect(declaration.filenameExtensions == fact.filenameExtensions, "\(declaration.identifier)")
      #expect(declaration.mimeTypes == fact.mimeTypes, "\(declaration.identifier)")
      #expect(Self.constants[fact.name]?.identifier == declaration.identifier)
    }
  }
}
