// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

/// The lists in `Samples/TypeDeclarations`, complete and corrupt.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SampleDeclarationsTests {
  private let osType = UTTagClass(rawValue: "com.apple.ostype")
  private let pasteboardType = UTTagClass(rawValue: "com.apple.nspboard-type")
  private let urlScheme = UTTagClass(rawValue: "public.url-scheme")

  private func declarations(_ sample: SampleList) throws -> [TypeDeclaration] {
    let list = try TypeDeclarationList(propertyList: sample.data)
    #expect(list.refused.isEmpty)
    #expect(try TypeRegistry().declare(propertyList: sample.data).isEmpty)
    return list.declarations
  }

  @Test func readsModernDeclaration() throws {
    #expect(
      try declarations(.sagaEditor) == [
        TypeDeclaration(
          "org.example.saga", conformsTo: ["public.utf8-plain-text", "public.content"],
          tags: [.filenameExtension: ["saga", "edda"], .mimeType: ["text/x-saga"]], localizedDescription: "Saga",
          referenceURL: URL(string: "https://example.org/formats/saga"))
      ])
  }

  @Test func readsStringsInPlaceOfArrays() throws {
    #expect(
      try declarations(.scrollReader) == [
        TypeDeclaration(
          "org.example.scroll", conformsTo: ["public.xml"],
          tags: [.filenameExtension: ["scroll"], .mimeType: ["application/x-scroll+xml"]],
          localizedDescription: "Scroll of the Library", version: 3),
        TypeDeclaration(
          "org.example.papyrus", conformsTo: ["org.example.scroll"], tags: [.filenameExtension: ["papyrus"]],
          version: 2),
        TypeDeclaration(
          "org.example.wax-tablet", conformsTo: ["public.data"],
          tags: [.filenameExtension: ["WAX"], .mimeType: ["application/x-wax-tablet"]]),
        TypeDeclaration(
          "org.example.oracle", origin: .imported, conformsTo: ["public.plain-text"],
          tags: [.filenameExtension: ["oracle"], .mimeType: ["text/x-oracle"]],
          localizedDescription: "Words of the Pythia"),
      ])
  }

  @Test(arguments: [true, false])
  func readsTagsOfManyClassesInBothFormats(isBinary: Bool) throws {
    #expect(
      try declarations(isBinary ? .binaryLibraryOfAlexandria : .libraryOfAlexandria) == [
        TypeDeclaration(
          "org.example.codex", origin: .imported, conformsTo: ["public.composite-content", "public.data"],
          tags: [
            .filenameExtension: ["codex", "cdx"], .mimeType: ["application/x-codex"], osType: ["CODX", "CDX "],
            pasteboardType: ["Codex pasteboard type"],
          ], localizedDescription: "Codex"),
        TypeDeclaration(
          "org.example.ostrakon", origin: .imported, conformsTo: ["public.image"],
          tags: [
            .filenameExtension: ["ostrakon"], osType: ["OSTR"],
            pasteboardType: ["Ostrakon v1 pasteboard type", "Ostrakon v2 pasteboard type"],
          ]),
        TypeDeclaration(
          "org.example.muse-link", origin: .imported, conformsTo: ["public.url"],
          tags: [urlScheme: ["muse", "calliope"]]),
        TypeDeclaration(
          "org.example.hexameter", origin: .imported, conformsTo: ["public.plain-text"],
          tags: [
            .filenameExtension: [], .mimeType: ["text/x-hexameter; charset=utf-8"],
            UTTagClass(rawValue: "org.example.metre"): ["\u{2014} \u{23D1} \u{23D1}"],
          ]),
      ])
  }

  @Test func readsPackageTypeAmongOtherKeysOfAnApp() throws {
    #expect(
      try declarations(.argoLogbook) == [
        TypeDeclaration(
          "org.dragpipe.voyage", conformsTo: ["com.apple.package", "public.composite-content"],
          tags: [.filenameExtension: ["voyage"]], localizedDescription: "voyage-type-name",
          referenceURL: URL(string: "https://dragpipe.org/formats/voyage"), iconName: "Voyage.icns"),
        TypeDeclaration(
          "org.dragpipe.crew-list", conformsTo: ["public.json"],
          tags: [.filenameExtension: ["crew"], .mimeType: ["application/vnd.dragpipe.crew+json"]],
          localizedDescription: "crew-list-type-name"),
        TypeDeclaration(
          "org.dragpipe.sea-chart", origin: .imported, conformsTo: ["public.svg-image"],
          tags: [.filenameExtension: ["seachart"]], localizedDescription: "Sea Chart", iconName: "Chart.icns"),
      ])
    let registry = TypeRegistry()
    try registry.declare(propertyList: SampleList.argoLogbook.data)
    #expect(registry.identifiers(above: "org.dragpipe.voyage").contains("public.directory"))
  }

  // MARK: Corrupt lists

  /// Declares a list, and checks that each entry is declared or refused, and that no type is its own ancestor.
  ///
  /// - Returns: Whether the complete list was refused.
  @discardableResult
  private func isRefused(_ data: Data) -> Bool {
    let registry = TypeRegistry()
    guard let list = try? TypeDeclarationList(propertyList: data) else { return true }
    let all = registry.declare(list)
    let refused = all.filter { !$0.isRemark }
    let hasCycle = registry.declarations.contains {
      registry.identifiers(above: $0.identifier).contains($0.identifier)
    }
    if hasCycle || all.contains(where: \.description.isEmpty)
      || Set(refused.map { $0.keyPath.prefix { $0 != "]" } }).count != refused.count
    {
      Issue.record("\([UInt8](data))")
    }
    return false
  }

  @Test(arguments: SampleList.allCases)
  func changedRemovedAndAddedBytesDoNotTrap(sample: SampleList) throws {
    var generator = SeededGenerator.announced("corrupt \(sample)")
    let sound = try Array(sample.data)
    for _ in 0..<(isFullRun ? 300 : 60) {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let start = Int.random(in: bytes.indices, using: &generator)
        let end = min(bytes.count, start + Int.random(in: 0...8, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[start] = .random(in: 0...255, using: &generator)
        case 1: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.removeSubrange(start..<end)
        case 3: bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: bytes.indices, using: &generator))
        default: bytes.swapAt(start, Int.random(in: bytes.indices, using: &generator))
        }
        if bytes.isEmpty { bytes = sound }
      }
      isRefused(Data(bytes))
    }
  }

  @Test(arguments: SampleList.allCases)
  func truncatedListsAreRefused(sample: SampleList) throws {
    let sound = try sample.data
    // White space may follow the last tag of XML.
    let end = sound.lastIndex { $0 != 0x0A } ?? 0
    for count in sampled(0..<end, 60, "truncated \(sample)") where !isRefused(sound.prefix(count)) {
      Issue.record("\(count) bytes were accepted")
    }
    #expect(!isRefused(sound.prefix(end + 1)))
  }
}
