// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FolderArchiveReaderTests {
  private typealias Entry = CraftedTar.Entry

  private let sound = CraftedTar.sound

  private func expectSound(_ tar: CraftedTar, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for chunkSize in [1, 511, 512, 700, 100_000] {
      try extract(tar.bytes, chunkSize: chunkSize, sourceLocation: sourceLocation) { parent in
        let text = try String(contentsOf: parent.appendingPathComponent("Tales/a"), encoding: .utf8)
        #expect(text == "once upon a time", sourceLocation: sourceLocation)
      }
    }
  }

  // MARK: Accepted archives

  @Test func variationsOfOtherWritersAreAccepted() throws {
    let text = "once upon a time"
    try expectSound(sound)
    try expectSound(sound.with { $0.end += [UInt8](repeating: 0, count: 9000) })
    try expectSound(sound.with { $0.entries.reverse() })
    try expectSound(CraftedTar(Entry("Tales/a", text)))
    try expectSound(CraftedTar(Entry("Tales/b/c/d", ""), Entry("Tales/a", text)))
    try expectSound(CraftedTar(Entry("./"), Entry("./a", text)))
    try expectSound(CraftedTar(Entry("."), Entry("a", text)).with { $0.entries[0].kind = "5" })
    try expectSound(CraftedTar(Entry("./Tales/"), Entry("./Tales/a", text)))
    try expectSound(sound.with { $0.entries[1].kind = "\u{0}" })
    try expectSound(sound.with { $0.entries[1].kind = "7" })
    // v7 has no magic, and no kind of its own for folders.
    try expectSound(
      sound.with {
        for index in 0...1 { $0.entries[index].magic = "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}" }
        $0.entries[0].kind = "\u{0}"
      })
    try expectSound(sound.with { $0.entries[1].magic = "ustar  \u{0}" })
    try expectSound(CraftedTar(Entry("Tales/"), Entry("a", text).with { $0.prefix = "Tales" }))
    try expectSound(sound.with { $0.entries[1].size = Array("        20 ".utf8) })
    try expectSound(sound.with { $0.entries[1].size = [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16] })
    try expectSound(sound.with { $0.entries.insert(Entry("Label", kind: "V"), at: 0) })
  }

  @Test func recordsReplaceFieldsOfTheNextHeader() throws {
    let text = "once upon a time"
    let wrong = Entry("Tales/x", text)
    for kind in ["x", "X"] as [Character] {
      let records = CraftedTar.records(["path": "Tales/a", "comment": "none", "mtime": "-1.5"], kind: kind)
      let tar = CraftedTar(Entry("Tales/"), records, wrong)
      try expectSound(tar)
      let found = try extract(tar.bytes) { try tree(at: $0.appendingPathComponent("Tales")) }
      #expect(found[Array("a".utf8)]?.modified == [-2, 500_000_000])
    }
    let long = Entry("././@LongLink", "Tales/a\u{0}", kind: "L")
    try expectSound(CraftedTar(Entry("Tales/"), long, wrong))
    let global = CraftedTar.records(["mtime": "5", "path": "Tales/z"], kind: "g")
    let tar = CraftedTar(global, CraftedTar.records(["path": "Tales/a"]), Entry("x", text))
    try expectSound(tar)
    try expectSound(CraftedTar(global, CraftedTar.records(["path": ""]), Entry("Tales/a", text)))
    // The size of the records wins.
    try expectSound(
      CraftedTar(Entry("Tales/"), CraftedTar.records(["size": "16"]), Entry("Tales/a", text).with { $0.size = [0x30] }))
  }

  @Test func everyFormOfSparseFileIsRead() throws {
    var expected = [UInt8](repeating: 0, count: 20_000)
    expected.replaceSubrange(4096..<4100, with: Array("once".utf8))
    expected.replaceSubrange(9000..<9004, with: Array("upon".utf8))
    let name = ("GNU.sparse.name", "Tales/a")
    func records(_ pairs: (String, String)...) -> Entry {
      var bytes: [UInt8] = []
      for (key, value) in pairs { PaxAttributes.append(key, value.utf8, to: &bytes) }
      return Entry("x", kind: "x").with { $0.content = bytes }
    }
    let stored = Entry("Tales/x", "onceupon")
    let text = "3\n4096\n4\n9000\n4\n20000\n0\n"
    func octal(_ number: Int) -> [UInt8] {
      let digits = String(number, radix: 8)
      return Array((String(repeating: "0", count: 11 - digits.count) + digits + "\u{0}").utf8)
    }
    let old = Entry("Tales/a", "onceupon", kind: "S").with {
      $0.magic = "ustar  \u{0}"
      $0.patches = [386: octal(4096) + octal(4) + octal(9000) + octal(4), 483: octal(20_000)]
    }
    let extended = old.with {
      $0.patches = [386: octal(4096) + octal(4), 482: [1], 483: octal(20_000)]
    }
    let continued = octal(9000) + octal(4) + [UInt8](repeating: 0, count: 512 - 24)
    let forms: [[UInt8]] = [
      (records(
        name, ("GNU.sparse.size", "20000"), ("GNU.sparse.numblocks", "2"), ("GNU.sparse.offset", "4096"),
        ("GNU.sparse.numbytes", "4"), ("GNU.sparse.offset", "9000"), ("GNU.sparse.numbytes", "4")
      ).bytes + stored.bytes),
      (records(name, ("GNU.sparse.size", "20000"), ("GNU.sparse.map", "4096,4,9000,4")).bytes + stored.bytes),
      (records(name, ("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.realsize", "20000")).bytes
        + Entry("x", text + String(repeating: "\u{0}", count: 512 - text.utf8.count) + "onceupon").bytes),
      old.bytes,
      extended.header + continued + extended.content + [UInt8](repeating: 0, count: 504),
    ]
    for form in forms {
      for chunkSize in [1, 500, 100_000] {
        try extract(Entry("Tales/").bytes + form + sound.end, chunkSize: chunkSize) { parent in
          let found = try Data(contentsOf: parent.appendingPathComponent("Tales/a"))
          #expect(Array(found) == expected)
        }
      }
    }
  }

  // MARK: Names

  @Test(arguments: [
    "Tales/../a", "../a", "Tales/..", "Tales/./b", "/Tales/a", "/etc/passwd", "Tales//a", "..", "../", "Tales/a\n",
    "Tales/\u{1B}[2J", "Tales/\u{7F}", "Tales/\u{9B}", "Tales/\u{202E}gpj.exe", "Tales/\u{2066}", "Tales/\u{2028}",
  ])
  func unsafeNamesAreRejected(name: String) throws {
    let error = try refuse(.unsafeName, CraftedTar(Entry("Tales/"), Entry(name, "x", kind: "0")))
    #expect(error.byteOffset == 512)
    let records = CraftedTar.records(["path": name])
    try refuse(.unsafeName, CraftedTar(Entry("Tales/"), records, Entry("Tales/a", "x")))
    try refuse(.unsafeName, CraftedTar(Entry("Tales/"), records, Entry("Tales/a/", kind: "5")))
  }

  @Test func nameThatIsNotUTF8IsRejected() throws {
    for bytes: [UInt8] in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x80]] {
      try refuse(.unsafeName, sound.with { $0.entries[1].name += bytes })
    }
  }

  @Test func backslashIsAnOrdinaryCharacter() throws {
    try extract(CraftedTar(Entry("Tales/..\\..\\a", "x")).bytes) { parent in
      try #expect(FileManager.default.contentsOfDirectory(atPath: parent.path + "/Tales") == ["..\\..\\a"])
    }
  }

  @Test func repeatedPathsAreRejected() throws {
    try refuse(.malformed, "Tales/a", sound.with { $0.entries.append(Entry("Tales/a", "x")) })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries.append(Entry("Tales/a/")) })
    try refuse(.malformed, "Tales/a/b", sound.with { $0.entries.append(Entry("Tales/a/b", "x")) })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries.insert(Entry("Tales/a/b/c", "x"), at: 0) })
    try refuse(.malformed, "Tales", sound.with { $0.entries.append(Entry("Tales/")) })
    try refuse(.malformed, "Tales/b", CraftedTar(Entry("Tales/b/"), Entry("Tales/b/")))
    let spellings = CraftedTar(Entry("Tales/caf\u{E9}", "1"), Entry("Tales/cafe\u{301}", "2"), Entry("Tales/caf", ""))
    try extract(spellings.bytes) { try #expect(tree(at: $0.appendingPathComponent("Tales")).count == 4) }
  }

  @Test func archiveMustHaveExactlyOneTopFolder() throws {
    try refuse(.malformed, CraftedTar())
    try refuse(.malformed, "a", CraftedTar(Entry("a", "x")))
    try refuse(.malformed, "Zoo", sound.with { $0.entries.append(Entry("Zoo/")) })
    try refuse(.malformed, "U/a", sound.with { $0.entries.append(Entry("U/a", "x")) })
    try refuse(.malformed, "A", sound.with { $0.entries.insert(Entry("A", "x"), at: 0) })
  }

  // MARK: Kinds

  @Test func devicesAndPipesAreRejected() throws {
    for kind in ["3", "4", "6"] as [Character] {
      try refuse(.specialFile, "Tales/a", sound.with { $0.entries[1].kind = kind })
      try refuse(.specialFile, "Tales", sound.with { $0.entries[0].kind = kind })
    }
  }

  @Test func otherKindsAreUnsupported() throws {
    for kind in ["D", "M", "N", "A", "Z", "9", "\u{7F}"] as [Character] {
      try refuse(.unsupported, "Tales/a", sound.with { $0.entries[1].kind = kind })
    }
  }

  @Test func onlyFilesHaveContent() throws {
    for kind in ["1", "2", "5"] as [Character] {
      try refuse(
        .malformed, "Tales/a",
        sound.with {
          $0.entries[1].kind = kind
          $0.entries[1].target = Array("Tales/b".utf8)
        })
    }
  }

  @Test func setUserIDBitsAreDropped() throws {
    var options = FolderUnpacker.Options()
    for isExact in [false, true] {
      options.ignoresUmask = isExact
      let tar = CraftedTar(
        Entry("Tales/a").with { $0.mode = "0106755\0" }, Entry("Tales/b/", "").with { $0.mode = "0007700\0" },
        Entry("Tales/c").with { $0.mode = "0000000\0" })
      try extract(tar.bytes, options: options) { parent in
        let found = try tree(at: parent.appendingPathComponent("Tales"))
        #expect(found[Array("a".utf8)].map { $0.permissions & 0o7700 } == 0o700)
        #expect(found[Array("b".utf8)].map { $0.permissions & 0o7700 } == (isExact ? 0o1700 : 0o700))
        #expect(found[Array("c".utf8)].map { $0.permissions } == 0)
      }
    }
  }

  // MARK: Links

  private func link(_ path: String, _ target: String) -> Entry { Entry(path, kind: "2", target: target) }

  @Test(arguments: ["a", "../Tales2/../Tales/a", "./a", "b/../a", "b/c", "nowhere", "b/c/../../a", "."])
  func linksThatStayInTheFolderAreMade(target: String) throws {
    let isOutside = target.hasPrefix("../")
    let tar = sound.with { $0.entries += [link("Tales/link", target), Entry("Tales/b/c/")] }
    if isOutside { try refuse(.unsafeName, "Tales/link", tar) }
    var options = FolderUnpacker.Options()
    options.allowsAllLinks = isOutside
    try extract(tar.bytes, options: options) { parent in
      let found = try tree(at: parent.appendingPathComponent("Tales"))
      #expect(found[Array("link".utf8)]?.target == target)
    }
  }

  @Test(arguments: [
    "/etc/passwd", "..", "../..", "../Tales/a", "b/../..", "b/../../Tales/a", "./../a", "nowhere/../a", "s/../a",
    "a/../b",
  ])
  func linksThatMayLeaveTheFolderAreRefused(target: String) throws {
    let tar = sound.with {
      $0.entries += [Entry("Tales/b/c/"), link("Tales/s", "b/c"), link("Tales/link", target)]
    }
    try refuse(.unsafeName, "Tales/link", tar)
    var options = FolderUnpacker.Options()
    options.allowsAllLinks = true
    try extract(tar.bytes, options: options) { parent in
      let found = try FileManager.default.destinationOfSymbolicLink(atPath: parent.path + "/Tales/link")
      #expect(found == target)
    }
  }

  @Test func membersBelowALinkAreRefused() throws {
    for target in ["/tmp", "b", "."] {
      var options = FolderUnpacker.Options()
      options.allowsAllLinks = true
      let tar = sound.with {
        $0.entries += [Entry("Tales/b/"), link("Tales/link", target), Entry("Tales/link/file", "x")]
      }
      try requireFolderError(.malformed) { try extract(tar.bytes, options: options) { _ in } }
    }
  }

  @Test func wrongTextsOfLinksAreRefused() throws {
    try refuse(.unsafeName, "Tales/link", sound.with { $0.entries.append(link("Tales/link", "")) })
    try refuse(
      .unsafeName, "Tales/link", sound.with { $0.entries.append(link("Tales/link", "a").with { $0.target = [0xFF] }) })
    try refuse(
      .unsafeName, "Tales/link",
      sound.with {
        $0.entries += [
          CraftedTar.records(["linkpath": String(repeating: "a/", count: 3000)]), link("Tales/link", "a"),
        ]
      })
  }

  @Test func hardLinksNeedAnEarlierFileInTheFolder() throws {
    func hard(_ path: String, _ target: String) -> Entry { Entry(path, kind: "1", target: target) }
    try extract(sound.with { $0.entries.append(hard("Tales/b/c", "Tales/a")) }.bytes) { parent in
      let found = try tree(at: parent.appendingPathComponent("Tales"))
      #expect(found[Array("b/c".utf8)]?.names == 2)
    }
    for target in ["Tales/none", "Tales/b", "Tales/d/../a", "/etc/passwd", "../x", "Other/a", "Tales", "Tales/s/x"] {
      let tar = sound.with {
        $0.entries += [Entry("Tales/d/"), link("Tales/s", "d"), hard("Tales/b", target)]
      }
      #expect(throws: FolderArchiveError.self) { try extract(tar.bytes) { _ in } }
    }
    // Links to each other have no file.
    let ring = CraftedTar(Entry("Tales/"), hard("Tales/a", "Tales/b"), hard("Tales/b", "Tales/a"))
    try refuse(.malformed, "Tales/a", ring)
    // A symbolic link may have two names.
    let both = sound.with { $0.entries += [link("Tales/s", "a"), hard("Tales/t", "Tales/s")] }
    try extract(both.bytes) { parent in
      let found = try tree(at: parent.appendingPathComponent("Tales"))
      #expect(found[Array("t".utf8)]?.target == "a" && found[Array("t".utf8)]?.names == 2)
    }
  }

  @Test func ringOfManyLinksIsRefusedInBoundedMemory() throws {
    var limits = FolderArchive.Limits()
    limits.tableBytes = 100_000
    var tar = CraftedTar(Entry("Tales/"))
    for number in 0..<2000 {
      tar.entries.append(Entry("Tales/\(number)", kind: "1", target: "Tales/\((number + 1) % 2000)"))
    }
    try refuse(.limitExceeded, tar, limits: limits)
    try refuse(.malformed, "Tales/0", tar)
  }
}
