// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// `DataRepresentation`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DataRepresentationTests {
  private struct Note: Hashable, Transferable {
    var text: String

    static var transferRepresentation: some TransferRepresentation {
      DataRepresentation(contentType: .utf8PlainText) { note in
        guard !note.text.isEmpty else { throw Failure(reason: "nothing to say") }
        return Data(note.text.utf8)
      } importing: { data in
        guard let text = String(data: data, encoding: .utf8) else { throw Failure(reason: "not UTF-8") }
        return Note(text: text)
      }
      DataRepresentation(exportedContentType: .html) { Data("<p>\($0.text)</p>".utf8) }
      DataRepresentation(importedContentType: .json) { Note(text: try JSONDecoder().decode(String.self, from: $0)) }
    }
  }

  @Test func closuresEncodeAndDecode() async throws {
    let provider = ItemProvider(Note(text: "Hail"), suggestedName: "note.md")
    #expect(provider.contentTypes == [.utf8PlainText, .html])
    try await provider.expectText("Hail", for: .plainText)
    try await provider.expectValue(Note(text: "Hail"))
    try await ItemProvider(of: .utf8PlainText, "").expectValue(Note(text: ""))
    try await provider.withFile(for: .plainText) { file in
      #expect(file.lastPathComponent == "note.md")
      try await ItemProvider(contentsOf: file, contentType: .utf8PlainText).expectValue(Note(text: "Hail"))
    }
  }

  @Test func exportOnlyAndImportOnlyAreOneWay() async throws {
    let provider = ItemProvider(Note(text: "Hail"))
    try await provider.expectText("<p>Hail</p>", for: .html)
    try await requireProviderError(.noRepresentation, .utf8PlainText) {
      try await ItemProvider(of: .html, "<p>Hail</p>").value(as: Note.self)
    }
    try await ItemProvider(of: .json, #""Hail""#).expectValue(Note(text: "Hail"))
    #expect(!provider.hasRepresentation(conformingTo: .json))
  }

  @Test func errorsOfClosuresFailTheRepresentationOrTheValue() async throws {
    try await requireProviderError(.representationFailed, .utf8PlainText, from: Failure(reason: "nothing to say")) {
      try await ItemProvider(Note(text: "")).data(for: .text)
    }
    try await requireProviderError(.undecodable, .utf8PlainText, from: Failure(reason: "not UTF-8")) {
      try await ItemProvider(of: .utf8PlainText) { _ in Data([0xFF]) }.value(as: Note.self)
    }
  }
}

/// `FileRepresentation`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FileRepresentationTests {
  /// A value that records the URL of its file during the import.
  private struct Trace: Transferable {
    let received: ReceivedTransferredFile

    static var transferRepresentation: some TransferRepresentation {
      FileRepresentation(importedContentType: .text) { received in
        #expect(FileManager.default.fileExists(atPath: received.file.path))
        return Trace(received: received)
      }
    }
  }

  @Test func valueExportsAsItsFileAndImportsFromACopy() async throws {
    let directory = try TemporaryDirectory()
    let own = try directory.write(Data("Sing, goddess".utf8), to: "own.txt")
    let provider = ItemProvider(Scroll(text: "", file: own), suggestedName: "iliad")
    #expect(provider.contentTypes == [.scroll])
    try await provider.expectValue(Scroll(text: "Sing, goddess", receivedName: "iliad.txt"))
    try await provider.expectText("Sing, goddess", for: .plainText)
    #expect(try await provider.withFile(for: .plainText) { $0 } != own)
    #expect(try names(in: directory.url) == ["own.txt"])
  }

  @Test func dataImportsAsAFileThatIsRemoved() async throws {
    for text in ["Tell me, Muse", ""] {
      let provider = ItemProvider(of: .scroll, suggestedName: "odyssey", text)
      try await provider.expectValue(Scroll(text: text, receivedName: "odyssey.txt"))
    }
    let provider = ItemProvider(of: .plainText, suggestedName: "odyssey", "")
    let received = try await provider.value(as: Trace.self).received
    #expect(received.file.lastPathComponent == "odyssey.txt" && !received.isOriginalFile)
    #expect(!FileManager.default.fileExists(atPath: received.file.deletingLastPathComponent().path))
  }

  @Test func errorsOfClosuresAndFilesFailTheLoad() async throws {
    try await requireProviderError(.undecodable, .scroll, from: Failure(reason: "illegible")) {
      try await ItemProvider(of: .scroll, "illegible").value(as: Scroll.self)
    }
    for (file, code) in [
      (nil, .representationFailed), (URL(fileURLWithPath: "/nowhere/own.txt"), .fileUnavailable),
    ] as [(URL?, ItemProviderError.Code)] {
      let provider = ItemProvider(Scroll(text: "", file: file))
      try await requireProviderError(code, .scroll) { try await provider.data(for: .scroll) }
      try await requireProviderError(code, .scroll) { try await provider.value(as: Scroll.self) }
    }
  }
}

/// `CodableRepresentation`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CodableRepresentationTests {
  /// A value with a custom encoder.
  private struct Shout: Codable, Hashable, Transferable {
    var words: String

    static var transferRepresentation: some TransferRepresentation {
      CodableRepresentation(contentType: .plainText, encoder: CapitalsEncoder(), decoder: PlainDecoder())
    }
  }

  private struct CapitalsEncoder: ItemEncoder {
    func encode<Value: Encodable>(_ value: Value) throws -> Data {
      guard let shout = value as? Shout, !shout.words.isEmpty else {
        throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "nothing to shout"))
      }
      return Data(shout.words.uppercased().utf8)
    }
  }

  private struct PlainDecoder: ItemDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
      try #require(Shout(words: String(decoding: data, as: UTF8.self)) as? Value)
    }

    func validate(_ data: Data) throws {
      guard data.first != UInt8(ascii: "?") else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a question"))
      }
    }
  }

  @Test func equalValuesHaveEqualBytesWithSortedKeysAndPlainSlashes() async throws {
    let provider = ItemProvider(Hero(name: "a/b", strength: 3))
    for _ in 0..<20 { try await provider.expectText(#"{"name":"a/b","strength":3}"#, for: .hero) }
  }

  @Test func valueRoundTripsThroughEachCoder() async throws {
    let hero = Hero(name: "Ajax", strength: 9)
    for type in [UTType.hero, .heroList] {
      let data = try await ItemProvider(hero).data(for: type)
      try await ItemProvider(of: type) { _ in data }.expectValue(hero)
    }
    let list = try await ItemProvider(hero).data(for: .propertyList)
    #expect(try PropertyListDecoder().decode(Hero.self, from: list) == hero)
  }

  @Test func concurrentValuesRoundTrip() async throws {
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<50 {
            let hero = Hero(name: "\(task)/\(index)", strength: index)
            let received = try await ItemProvider(hero).value(as: Hero.self)
            if received != hero { Issue.record("\(received) instead of \(hero)") }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func customCoderIsUsedForExportAndImport() async throws {
    let provider = ItemProvider(Shout(words: "ho"))
    try await provider.expectText("HO", for: .plainText)
    try await provider.expectValue(Shout(words: "HO"))
    let encoding = try await requireProviderError(.representationFailed, .plainText) {
      try await ItemProvider(Shout(words: "")).data(for: .text)
    }
    #expect(encoding.underlyingError is EncodingError)
    // The bytes are validated before they are decoded.
    let decoding = try await requireProviderError(.undecodable, .utf8PlainText) {
      try await ItemProvider(of: .utf8PlainText, "?").value(as: Shout.self)
    }
    #expect(decoding.underlyingError is DecodingError)
  }
}

/// `exportingCondition(_:)`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ConditionalRepresentationTests {
  private struct Letter: Hashable, Transferable {
    var text = ""
    var attachment = ""

    static var transferRepresentation: some TransferRepresentation {
      DataRepresentation<Letter>(contentType: .pdf) {
        Data($0.attachment.utf8)
      } importing: { data in
        Letter(attachment: String(decoding: data, as: UTF8.self))
      }
      .exportingCondition { !$0.attachment.isEmpty }
      .exportingCondition { $0.attachment != "secret" }
      DataRepresentation(contentType: .utf8PlainText) {
        Data($0.text.utf8)
      } importing: { data in
        Letter(text: String(decoding: data, as: UTF8.self))
      }
    }
  }

  @Test func representationIsOfferedIfAllItsConditionsHold() async throws {
    let offered = ItemProvider(Letter(text: "Dear", attachment: "map"))
    #expect(offered.contentTypes == [.pdf, .utf8PlainText])
    try await offered.expectText("map", for: .pdf)
    for attachment in ["", "secret"] {
      let provider = ItemProvider(Letter(text: "Dear", attachment: attachment))
      #expect(provider.contentTypes == [.utf8PlainText])
      try await requireProviderError(.noRepresentation, .pdf) { try await provider.data(for: .pdf) }
    }
  }

  @Test func importIgnoresTheCondition() async throws {
    try await ItemProvider(of: .pdf, "secret").expectValue(Letter(attachment: "secret"))
    #expect(Letter.representations.importers.map(\.contentType) == [.pdf, .utf8PlainText])
  }

  @Test func conditionIsCheckedWhenTheValueIsOfferedAndTheExportRunsOnDemand() async throws {
    struct Moody: Transferable {
      let asked = Counter()
      let exports = Counter()

      static var transferRepresentation: some TransferRepresentation {
        DataRepresentation<Moody>(exportedContentType: .png) { item in
          item.exports.increase()
          return Data()
        }
        .exportingCondition { item in
          item.asked.increase()
          return true
        }
      }
    }
    let moody = Moody()
    let provider = ItemProvider(moody)
    #expect(moody.asked.count == 1 && moody.exports.count == 0)
    for _ in 0..<2 { _ = try await provider.data(for: .png) }
    #expect(moody.asked.count == 1 && moody.exports.count == 2)
  }

  @Test func conditionAppliesToAllPartsOfACombinationAndTheFirstOfATypeWins() async throws {
    /// A named type that combines representations, as the documentation suggests.
    struct Pair: TransferRepresentation {
      typealias Item = Note

      var body: some TransferRepresentation {
        DataRepresentation<Note>(exportedContentType: .png) { _ in Data("png".utf8) }
        DataRepresentation<Note>(exportedContentType: .gif) { _ in Data("first".utf8) }
      }
    }
    struct Note: Transferable {
      var isDrawn: Bool

      static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .pdf) { _ in Data("pdf".utf8) }
        Pair().exportingCondition { $0.isDrawn }
        DataRepresentation(exportedContentType: .gif) { _ in Data("second".utf8) }
        DataRepresentation(exportedContentType: .html) { _ in Data("html".utf8) }
      }
    }
    for (isDrawn, types, text) in [
      (true, [.pdf, .png, .gif, .html], "first"), (false, [.pdf, .gif, .html], "second"),
    ] as [(Bool, [UTType], String)] {
      let provider = ItemProvider(Note(isDrawn: isDrawn))
      #expect(provider.contentTypes == types)
      try await provider.expectText(text, for: .gif)
    }
  }
}
