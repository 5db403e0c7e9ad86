// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// The names and folders that a sender may give to files.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFolderNameTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  private func stream(_ names: [String]) -> [UInt8] {
    StreamBuilder.stream { stream in
      for name in names { stream.item(name: name) }
    }
  }

  /// Checks that a stream is refused because of a name, and that the error does not act on a terminal.
  private func expectRefusal(_ bytes: [UInt8], _ folder: DropFolder? = nil) async throws {
    let error = try await requireDropError(.unsafeName) {
      try await (folder ?? fixture.folder).receive(from: .descriptor(try pipe(holding: bytes)))
    }
    #expect(!error.description.unicodeScalars.contains { $0.isInvisibleControl })
    try fixture.expect(names: [])
  }

  @Test func refusesNamesThatLeaveTheFolderActOnATerminalOrShowNothing() {
    let control = "it has the control character U+"
    // Names that are not text are shown in ASCII.
    for (isText, reason, names) in [
      (true, "it contains a slash", ["../../x", "../canary", "/abs", "a/b", "a/../../x", "a/"]),
      (true, "it is reserved for directories", ["..", "."]), (true, "it is empty", [""]),
      (true, DropFileName.hidden, [".bashrc", ".\u{301}bashrc", "..."]),
      (true, "it is longer than 255 bytes", ["-".padded(to: 256), "é".padded(to: 256)]),
      (true, "names of this form are reserved for staging directories", [".dragpipe-abcdefghijkl"]),
      (
        false, "it has no visible character",
        [
          "\u{3164}", "\u{2800}", "\u{115F}", "\u{1160}", "\u{FFA0}", "\u{FE0F}", "\u{3164}\u{2800} ", " \u{FE0F}",
          "\u{34F}",
        ]
      ),
      (
        true, control,
        [
          "a\0b", "\0", "a\nb", "a\rb", "a\tb", "\u{1B}[2Jx", "a\u{7F}", "a\u{85}b", "a\u{9B}b", "a\u{202E}txt.exe",
          "a\u{2066}b", "a\u{200B}b", "\u{FEFF}a", "a\u{2028}b", "a\u{AD}b", "a\u{200E}b", "a\u{2060}b",
          "a\u{61C}b", "a\u{180E}b", "a\u{2069}b",
        ]
      ),
      // Noncharacters.
      (false, control, ([0xFFFF, 0x1FFFE, 0xFDD0] as [UInt32]).compactMap { Unicode.Scalar($0) }.map { "a\($0)b" }),
      // Joiners without letters or emoji on both sides.
      (
        true, control,
        [
          "\u{200D}a", "a\u{200D}", "a\u{200D}b", "pay\u{200C}pal", "\u{200C}a", "a\u{200C}", "\u{200D}",
          "\u{915}\u{200D}\u{200D}\u{937}", "\u{915}\u{200D}a", "a\u{200D}\u{200D}b", "a\u{200C}\u{200D}b",
          "a\u{200C}\u{200C}b", "a\u{200D}.txt", "a\u{200D} b", "1\u{200D}2", "a\u{200D}1", "a.\u{200D}txt",
          "-\u{200D}a", "a\u{200D}\u{202E}b", "a\u{200D}\u{FE0F}b", "\u{3164}\u{200D}a", "a\u{200D}\u{3164}",
          "\u{1F468}\u{200D}", "\u{1F468}\u{200D}\u{E0041}", "\u{1F3F4}\u{E0067}\u{E007F}",
        ]
      ),
    ] as [(Bool, String, [String])] {
      for name in names {
        let error = #expect(throws: DropStreamError.self) { try DropFileName(name, allowsHidden: false) }
        let shown = error?.description ?? "accepted"
        #expect(error?.code == .unsafeName && shown.contains("\": \(reason)"), "\(name.escapedForDisplay()): \(shown)")
        #expect(!shown.unicodeScalars.contains { $0.isInvisibleControl }, "\(shown)")
        if !isText { #expect(shown.utf8.allSatisfy { $0 < 0x80 }, "\(shown)") }
      }
    }
  }

  /// The first and last items of the stream are valid, but must not remain either.
  @Test(arguments: ["../canary", "\u{1B}[2Jx", "a\u{202E}txt.exe", "\u{3164}", ".bashrc", "a\u{200D}b"])
  func refusedNameLeavesNoFile(_ name: String) async throws {
    try await expectRefusal(stream(["first", name, "last"]))
  }

  @Test(arguments: [
    "..", "a/..", "../a", "/abs", "/", "a//b", "a/", "", ".", "a/./b", "a\0b", "a/\u{202E}b", "a/.hidden", ".git",
    "a/" + "é".padded(to: 256), Array(repeating: "a", count: 65).joined(separator: "/"), "a\tb/c",
  ])
  func refusesHostileFolderOfAFile(_ folder: String) async throws {
    try await expectRefusal(
      StreamBuilder.stream {
        $0.item(name: "first")
        $0.offer(
          StreamBuilder.fields(["public.data"], name: "x") + StreamBuilder.field(OfferField.folder, Array(folder.utf8)))
        $0.whole([1])
        $0.endOfItem()
      })
  }

  @Test(arguments: [[], [0xC0, 0xAF], [0xFF], [0xED, 0xA0, 0x80], [0x61, 0xC3]] as [[UInt8]])
  func refusesAnEmptyNameAndNamesThatAreNotText(_ name: [UInt8]) async throws {
    try await expectRefusal(
      StreamBuilder.stream {
        $0.offer(StreamBuilder.field(OfferField.suggestedName, name) + StreamBuilder.fields(["public.data"]))
        $0.whole([1])
        $0.endOfItem()
      })
  }

  @Test func keepsAllOtherNamesByteForByte() async throws {
    let names = [
      "-rf", "--help", "$(touch x)", "*", "~", "a b", " ", "\u{3000}", "'\"", "a..b", "a.", "CON", "a", "A", "\u{E9}",
      "e\u{301}",
      "\u{1F4DC}.txt", "日本語", "a".padded(to: 255), "é".padded(to: 254), "\\",
      // Blanks beside a visible character.
      "\u{3164}.png", "\u{2813}\u{2800}\u{2811}", "\u{2764}\u{FE0F}.png", "1\u{FE0F}\u{20E3}",
      // Joiners in a family, a woman astronaut, a heart on fire, and in words of Hindi, Sinhala, Bengali and Persian.
      "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}.png", "\u{1F469}\u{1F3FD}\u{200D}\u{1F680}",
      "\u{2764}\u{FE0F}\u{200D}\u{1F525}", "\u{1F3F3}\u{FE0F}\u{200D}\u{26A7}\u{FE0F}",
      "\u{915}\u{94D}\u{200D}\u{937}", "\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}.txt", "\u{9B0}\u{200D}\u{9CD}\u{9AF}",
      "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}",
    ]
    let files = try await fixture.receive(stream(names))
    #expect(files.map { Array($0.name.utf8) } == names.map { Array($0.utf8) })
    // A set of strings would treat two names that only look alike as one.
    let found = try FileManager.default.contentsOfDirectory(atPath: fixture.url.path).map { Array($0.utf8) }
    #expect(Set(found) == Set(names.map { Array($0.utf8) }))
    for name in names {
      #expect(try fixture.content(name) == [1, 2, 3])
      // These joiners alter how their neighbours are drawn, so they are part of the text.
      #expect(!name.escapedForDisplay().contains("\\u{200"))
    }
  }

  @Test func insertsANumberBeforeTheExtension() {
    for (name, expected) in [
      ("a.txt", "a-2.txt"), ("\u{D4E}.txt", "\u{D4E}-2.txt"), ("e\u{301}.txt", "e\u{301}-2.txt"),
      ("a" + "\u{301}".padded(to: 250) + ".txt", "a" + "\u{301}".padded(to: 248) + "-2.txt"),
      (String(repeating: "x", count: 255), String(repeating: "x", count: 253) + "-2"),
    ] {
      #expect(Array(DropFileName.numbered(name, 2).utf8) == Array(expected.utf8))
      #expect(expected.utf8.count <= DropFileName.maximumLength)
    }
  }

  @Test func acceptsHiddenButNotUnsafeNamesOnRequest() async throws {
    let folder = fixture.folder { $0.allowsHiddenNames = true }
    for name in [".", "..", "./x", ".\u{200D}", ".dragpipe-abcdefghijkl"] {
      try await expectRefusal(stream([name]), folder)
    }
    let names = [".bashrc", "...", ".\u{301}a", ".dragpipe-abc"]
    _ = try await folder.receive(from: .descriptor(try pipe(holding: stream(names))))
    try fixture.expect(names: Set(names))
  }
}

extension String {
  /// Returns the text repeated up to `count` bytes of UTF-8.
  fileprivate func padded(to count: Int) -> String {
    String(repeating: self, count: count / utf8.count)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct NameNumbersTests {
  /// Assigns numbers to items with these names, and checks the final names and the number of names that were looked up.
  private func expect(
    _ expected: [[String]], lookups: Int? = nil, of items: [[String]], taken: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var taken = Set(taken.map { Array($0.utf8) })
    var numbers = NameNumbers()
    var count = 0
    let names = items.map { item in
      let wishes = PreferredName.list(item)
      let number = numbers.take(for: wishes) { name in
        count += 1
        return !taken.contains(Array(name.utf8))
      }
      let names = wishes.map { Array($0.name(number).utf8) }
      taken.formUnion(names)
      return names
    }
    #expect(names == expected.map { $0.map { Array($0.utf8) } }, sourceLocation: sourceLocation)
    if let lookups { #expect(count == lookups, sourceLocation: sourceLocation) }
  }

  @Test func eachItemAndEachTakenNameIsLookedUpOnce() {
    expect(
      (2...5001).map { ["a-\($0).txt"] }, lookups: 5000, of: Array(repeating: ["a.txt"], count: 5000))
    expect([["a-3"], ["a-5"], ["a-6"]], lookups: 5, of: Array(repeating: ["a"], count: 3), taken: ["a-2", "a-4"])
  }

  @Test func partsOfAnItemGetOneNumberThatIsFreeForAll() {
    let item = ["a.html", "a.txt", "a.txt"]
    expect(
      [["a-2.html", "a-2.txt", "a-3.txt"], ["a-4.html", "a-4.txt", "a-5.txt"], ["a-6.txt"], ["a-5.html"]],
      of: [item, item, ["a.txt"], ["a.html"]], taken: ["a-3.html"])
  }

  @Test func similarNamesAreNumberedSeparately() {
    expect([["\u{E9}-2"], ["e\u{301}-2"], ["\u{E9}-3"]], lookups: 3, of: [["\u{E9}"], ["e\u{301}"], ["\u{E9}"]])
    // A name that ends in a number is numbered like any name.
    expect([["a-2-2"], ["a-2"], ["a-2-3"]], of: [["a-2"], ["a"], ["a-2"]])
  }

  @Test func returnedNumberIsUsedNext() {
    let wishes = PreferredName.list(["a"])
    var numbers = NameNumbers()
    #expect(numbers.take(for: wishes) { _ in true } == 2)
    #expect(numbers.take(for: wishes) { _ in true } == 3)
    numbers.giveBack(3, of: wishes[0])
    #expect(numbers.take(for: wishes) { _ in true } == 3)
    // Number 1 stands for the name without a number.
    numbers.giveBack(1, of: wishes[0])
    #expect(numbers.take(for: wishes) { _ in true } == 4)
  }
}
