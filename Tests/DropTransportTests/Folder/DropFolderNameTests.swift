// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFolderNameTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  private func stream(_ names: String...) -> [UInt8] {
    // The first item is valid, but must not remain either.
    StreamBuilder.stream { stream in
      for name in names { stream.item(name: name) }
    }
  }

  @Test(
    "a name that leads outside of the folder, or acts on a terminal, is refused",
    arguments: [
      "../../x", "../canary", "/abs", "a/b", "a/../../x", "a/", "..", ".", "a\0b", "\0", "a\nb", "a\rb", "a\tb",
      "\u{1B}[2Jx", "a\u{7F}", "a\u{85}b", "a\u{9B}b", "a\u{202E}txt.exe", "a\u{2066}b", "a\u{200B}b", "\u{FEFF}a",
      "a\u{2028}b", "a\u{AD}b", ".bashrc", ".\u{301}bashrc", "...", "-".padded(to: 256), "é".padded(to: 256),
    ])
  func refusesANameThatLeavesTheFolderOrActsOnATerminal(_ name: String) async throws {
    let error = try await requireDropError(.unsafeName) { try await fixture.receive(stream("first", name, "last")) }
    #expect(!error.description.unicodeScalars.contains { $0.isInvisibleControl })
    #expect(try fixture.names == [])
    #expect(try fixture.surroundingsAreUntouched)
  }

  @Test(
    arguments: [
      "..", "a/..", "../a", "/abs", "/", "a//b", "a/", "", ".", "a/./b", "a\0b", "a/\u{202E}b", "a/.hidden", ".git",
      "a/" + "é".padded(to: 256), Array(repeating: "a", count: 65).joined(separator: "/"), "a\tb/c",
    ])
  func refusesHostileFolderOfAFile(_ folder: String) async throws {
    let bytes = StreamBuilder.stream {
      $0.item(name: "first")
      $0.offer(
        StreamBuilder.fields(["public.data"], name: "x")
          + StreamBuilder.field(OfferField.folder, Array(folder.utf8)))
      $0.whole([1])
      $0.endOfItem()
    }
    let error = try await requireDropError(.unsafeName) { try await fixture.receive(bytes) }
    #expect(!error.description.unicodeScalars.contains { $0.isInvisibleControl })
    #expect(try fixture.names == [])
    #expect(try fixture.surroundingsAreUntouched)
  }

  @Test(
    "an empty name and names that are not text are rejected",
    arguments: [[], [0xC0, 0xAF], [0xFF], [0xED, 0xA0, 0x80], [0x61, 0xC3]] as [[UInt8]])
  func refusesAnEmptyNameAndNamesThatAreNotText(_ name: [UInt8]) async throws {
    let bytes = StreamBuilder.stream {
      $0.offer(StreamBuilder.field(OfferField.suggestedName, name) + StreamBuilder.fields(["public.data"]))
      $0.whole([1])
      $0.endOfItem()
    }
    try await requireDropError(.unsafeName) { try await fixture.receive(bytes) }
    #expect(try fixture.names == [])
  }

  @Test(
    "all other names are kept byte for byte",
    arguments: [
      "-rf", "--help", "$(touch x)", "*", "~", "a b", " ", "'\"", "a..b", "a.", "CON", "é", "e\u{301}", "\u{1F4DC}.txt",
      "日本語", "a".padded(to: 255), "é".padded(to: 254), "\\",
    ])
  func keepsAllOtherNamesByteForByte(_ name: String) async throws {
    let files = try await fixture.receive(stream(name))
    #expect(files.map { Array($0.name.utf8) } == [Array(name.utf8)])
    let names = try fixture.names
    #expect(names.map { Array($0.utf8) } == [Array(name.utf8)])
    #expect(try fixture.content(name) == [1, 2, 3])
  }

  /// Tests emoji of a family, a woman astronaut and a heart on fire, and words of Hindi, Sinhala, Bengali and Persian.
  @Test(
    "joiners between letters or emoji are kept",
    arguments: [
      "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}.png", "\u{1F469}\u{1F3FD}\u{200D}\u{1F680}",
      "\u{2764}\u{FE0F}\u{200D}\u{1F525}", "\u{1F3F3}\u{FE0F}\u{200D}\u{26A7}\u{FE0F}",
      "\u{915}\u{94D}\u{200D}\u{937}", "\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}.txt", "\u{9B0}\u{200D}\u{9CD}\u{9AF}",
      "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}",
    ])
  func keepsJoinersBetweenLettersOrEmoji(_ name: String) async throws {
    let files = try await fixture.receive(stream(name))
    #expect(files.map { Array($0.name.utf8) } == [Array(name.utf8)])
    #expect(try fixture.content(name) == [1, 2, 3])
    // These characters are invisible.
    #expect(name.escapedForDisplay().contains("\\u{200"))
  }

  @Test(arguments: [
    "\u{3164}", "\u{2800}", "\u{115F}", "\u{1160}", "\u{FFA0}", "\u{FE0F}", "\u{3164}\u{2800} ", " \u{FE0F}", "\u{34F}",
  ])
  func refusesANameWithoutAVisibleCharacter(_ name: String) async throws {
    let error = try await requireDropError(.unsafeName) { try await fixture.receive(stream("first", name)) }
    #expect(error.reason.hasSuffix("it has no visible character"))
    #expect(error.reason.utf8.allSatisfy { $0 < 0x80 })
    #expect(try fixture.names == [])
  }

  @Test(arguments: [0xFFFF, 0x1FFFE, 0xFDD0] as [UInt32]) func refusesANoncharacter(_ value: UInt32) async throws {
    let scalar = try #require(Unicode.Scalar(value))
    let error = try await requireDropError(.unsafeName) { try await fixture.receive(stream("a\(scalar)b")) }
    #expect(error.reason.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test(arguments: [
    "\u{3164}.png", "\u{2813}\u{2800}\u{2811}", "\u{2764}\u{FE0F}.png", "1\u{FE0F}\u{20E3}", "\u{3000}",
  ])
  func acceptsBlanksBesideAVisibleCharacter(_ name: String) async throws {
    let files = try await fixture.receive(stream(name))
    #expect(files.map { Array($0.name.utf8) } == [Array(name.utf8)])
  }

  @Test(
    "joiners without letters and other invisible characters are refused",
    arguments: [
      "\u{200D}a", "a\u{200D}", "a\u{200D}b", "pay\u{200C}pal", "\u{200C}a", "a\u{200C}", "\u{200D}",
      "\u{915}\u{200D}\u{200D}\u{937}", "\u{915}\u{200D}a", "a\u{200D}\u{200D}b", "a\u{200C}\u{200D}b",
      "a\u{200C}\u{200C}b", "a\u{200D}.txt", "a\u{200D} b", "1\u{200D}2", "a\u{200D}1", "a.\u{200D}txt", "-\u{200D}a",
      "a\u{200D}\u{202E}b", "a\u{200D}\u{FE0F}b", "\u{3164}\u{200D}a", "a\u{200D}\u{3164}", "\u{1F468}\u{200D}",
      "\u{1F468}\u{200D}\u{E0041}", "\u{1F3F4}\u{E0067}\u{E007F}", "a\u{200E}b", "a\u{2060}b", "a\u{61C}b",
      "a\u{180E}b", "a\u{2069}b",
    ])
  func refusesInvisibleCharactersAndJoinersWithoutLetters(_ name: String) async throws {
    let error = try await requireDropError(.unsafeName) { try await fixture.receive(stream("first", name)) }
    #expect(error.reason.contains("it has the control character U+"))
    #expect(!error.description.unicodeScalars.contains { $0.isInvisibleControl })
    #expect(try fixture.names == [])
  }

  @Test(
    "a number precedes the extension, and a part of the name remains",
    arguments: [
      ("a.txt", "a-2.txt"), ("\u{D4E}.txt", "\u{D4E}-2.txt"), ("e\u{301}.txt", "e\u{301}-2.txt"),
      (
        "a" + String(repeating: "\u{301}", count: 125) + ".txt",
        "a" + String(repeating: "\u{301}", count: 124) + "-2.txt"
      ),
      (String(repeating: "x", count: 255), String(repeating: "x", count: 253) + "-2"),
    ])
  func insertsANumberBeforeTheExtension(_ name: String, _ expected: String) {
    #expect(Array(DropFileName.numbered(name, 2).utf8) == Array(expected.utf8))
    #expect(expected.utf8.count <= DropFileName.maximumLength)
  }

  @Test("hidden names are accepted on request, but unsafe names are not", arguments: [".bashrc", "...", ".\u{301}a"])
  func acceptsHiddenButNotUnsafeNamesOnRequest(_ name: String) async throws {
    var folder = fixture.folder
    folder.allowsHiddenNames = true
    let files = try await folder.receive(from: .descriptor(try pipe(holding: stream(name)))).files
    #expect(files.map(\.name) == [name])
    #expect(try fixture.names == [name])
    for directory in [".", "..", "./x", ".\u{200D}"] {
      try await requireDropError(.unsafeName) {
        try await folder.receive(from: .descriptor(try pipe(holding: stream(directory))))
      }
    }
  }

  @Test("two items of one name are refused")
  func refusesTwoItemsOfOneName() async throws {
    let error = try await requireDropError(.duplicateName) { try await fixture.receive(stream("a", "b", "a")) }
    #expect(error.reason == "two items have the name \"a\"")
    #expect(try fixture.names == [])
  }

  @Test("names that only look alike are two names")
  func keepsNamesThatOnlyLookAlikeApart() async throws {
    _ = try await fixture.receive(stream("a", "A", "\u{E9}", "e\u{301}"))
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.url.path).map { Array($0.utf8) }
    #expect(Set(names) == [[0x61], [0x41], [0xC3, 0xA9], [0x65, 0xCC, 0x81]])
  }
}

extension String {
  /// Returns the text repeated up to `count` bytes of UTF-8.
  fileprivate func padded(to count: Int) -> String {
    String(repeating: self, count: count / utf8.count)
  }
}
