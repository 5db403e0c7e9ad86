// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DataRepresentationTests {
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

  private func note(from type: UTType, _ data: Data) async throws -> Note {
    let provider = ItemProvider()
    provider.register(type) { _ in data }
    return try await provider.value()
  }

  @Test func closuresEncodeAndDecode() async throws {
    let provider = ItemProvider(Note(text: "Hail"))
    #expect(provider.contentTypes == [.utf8PlainText, .html])
    #expect(try await provider.data(for: .plainText) == Data("Hail".utf8))
    #expect(try await provider.value(as: Note.self) == Note(text: "Hail"))
  }

  @Test func exportOnlyAndImportOnlyAreOneWay() async throws {
    #expect(try await ItemProvider(Note(text: "Hail")).data(for: .html) == Data("<p>Hail</p>".utf8))
    _ = try await requireProviderError(.noRepresentation, .utf8PlainText) {
      try await note(from: .html, Data("<p>Hail</p>".utf8))
    }
    #expect(try await note(from: .json, Data(#""Hail""#.utf8)) == Note(text: "Hail"))
    #expect(!ItemProvider(Note(text: "Hail")).hasRepresentation(conformingTo: .json))
  }

  @Test func exportErrorIsTheSourcesFailure() async throws {
    let error = try await requireProviderError(.representationFailed, .utf8PlainText) {
      try await ItemProvider(Note(text: "")).data(for: .text)
    }
    #expect(error.underlyingError as? Failure == Failure(reason: "nothing to say"))
  }

  @Test func importErrorMakesTheBytesUndecodable() async throws {
    let error = try await requireProviderError(.undecodable, .utf8PlainText) {
      try await note(from: .utf8PlainText, Data([0xFF]))
    }
    #expect(error.underlyingError as? Failure == Failure(reason: "not UTF-8"))
  }

  @Test func emptyDataIsImported() async throws {
    #expect(try await note(from: .utf8PlainText, Data()) == Note(text: ""))
  }

  @Test func fileIsImportedAsItsBytes() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("note.txt")
      try Data("Hail".utf8).write(to: file)
      let provider = ItemProvider(contentsOf: file, contentType: .utf8PlainText)
      #expect(try await provider.value(as: Note.self) == Note(text: "Hail"))
    }
  }

  @Test func bytesAreLoadedAsAFile() async throws {
    try await ItemProvider(Note(text: "Hail"), suggestedName: "note.md").withFile(for: .plainText) { file in
      #expect(file.lastPathComponent == "note.md")
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text == "Hail")
    }
  }
}
