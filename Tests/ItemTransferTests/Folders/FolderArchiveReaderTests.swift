// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

private typealias Entry = CraftedTar.Entry

private let sound = CraftedTar.sound
private let text = "once upon a time"

/// The entries that an archive may have.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FolderArchiveReaderTests {
  private static let allowingLinks = FolderUnpacker.Options { $0.allowsAllLinks = true }

  private func expectSound(_ tar: CraftedTar, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for chunkSize in [1, 511, 512, 700, 100_000] {
      let found = try extractedTree(tar.bytes, chunkSize: chunkSize)["a"]?.content
      if found != Data(text.utf8) { Issue.record("\(found as Any)", sourceLocation: sourceLocation) }
    }
  }

  // MARK: Accepted archives

  @Test func variationsOfOtherWritersAreAccepted() throws {
    let file = Entry("Tales/a", text)
    for tar in [
      sound, sound.with { $0.end += [UInt8](repeating: 0, count: 9000) }, sound.with { $0.entries.reverse() },
      CraftedTar(file), CraftedTar(Entry("Tales/b/c/d", ""), file), CraftedTar(Entry("./"), Entry("./a", text)),
      CraftedTar(Entry(".", kind: "5"), Entry("a", text)), CraftedTar(Entry("./Tales/"), Entry("./Tales/a", text)),
      sound.changingFile { $0.kind = "\u{0}" }, sound.changingFile { $0.kind = "7" },
      // v7 has no magic, and no kind of its own for folders.
      sound.with {
        for index in 0...1 { $0.entries[index].magic = "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}" }
        $0.entries[0].kind = "\u{0}"
      },
      sound.changingFile { $0.magic = "ustar  \u{0}" },
      CraftedTar(Entry("Tales/"), Entry("a", text).with { $0.prefix = "Tales" }),
      sound.changingFile { $0.size = Array("        20 ".utf8) },
      sound.changingFile { $0.size = [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16] },
      sound.with { $0.entries.insert(Entry("Label", kind: "V"), at: 0) },
    ] {
      try expectSound(tar)
    }
  }

  @Test func recordsReplaceFieldsOfTheNextHeader() throws {
    let wrong = Entry("Tales/x", text)
    for kind in ["x", "X"] as [Character] {
      let records = CraftedTar.records(["path": "Tales/a", "comment": "none", "mtime": "-1.5"], kind: kind)
      let tar = CraftedTar(Entry("Tales/"), records, wrong)
      try expectSound(tar)
      #expect(try extractedTree(tar.bytes)["a"]?.modified == [-2, 500_000_000])
    }
    let global = CraftedTar.records(["mtime": "5", "path": "Tales/z"], kind: "g")
    for tar in [
      CraftedTar(Entry("Tales/"), Entry("././@LongLink", "Tales/a\u{0}", kind: "L"), wrong),
      CraftedTar(global, CraftedTar.records(["path": "Tales/a"]), Entry("x", text)),
      CraftedTar(global, CraftedTar.records(["path": ""]), Entry("Tales/a", text)),
      // The size of the records wins.
      CraftedTar(Entry("Tales/"), CraftedTar.records(["size": "16"]), Entry("Tales/a", text).with { $0.size = [0x30] }),
    ] {
      try expectSound(tar)
    }
  }

  @Test func everyFormOfSparseFileIsRead() throws {
    var expected = Data(count: 20_000)
    expected.replaceSubrange(4096..<4100, with: Data("once".utf8))
    expected.replaceSubrange(9000..<9004, with: Data("upon".utf8))
    let stored = Entry("Tales/x", "onceupon")
    let map = "3\n4096\n4\n9000\n4\n20000\n0\n"
    func octal(_ number: Int) -> [UInt8] {
      let digits = String(number, radix: 8)
      return Array((String(repeating: "0", count: 11 - digits.count) + digits + "\u{0}").utf8)
    }
    let old = Entry("Tales/a", "onceupon", kind: "S").with {
      $0.magic = "ustar  \u{0}"
      $0.patches = [386: octal(4096) + octal(4) + octal(9000) + octal(4), 483: octal(20_000)]
    }
    let extended = old.with { $0.patches = [386: octal(4096) + octal(4), 482: [1], 483: octal(20_000)] }
    let forms = [
      CraftedTar.records([
        "GNU.sparse.name": "Tales/a", "GNU.sparse.size": "20000", "GNU.sparse.numblocks": "2",
        "GNU.sparse.offset": "4096", "GNU.sparse.numbytes": "4", "GNU.sparse.offset": "9000",
        "GNU.sparse.numbytes": "4",
      ]).bytes + stored.bytes,
      CraftedTar.records([
        "GNU.sparse.name": "Tales/a", "GNU.sparse.size": "20000", "GNU.sparse.map": "4096,4,9000,4",
      ]).bytes + stored.bytes,
      CraftedTar.records([
        "GNU.sparse.name": "Tales/a", "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "20000",
      ]).bytes + Entry("x", map + String(repeating: "\u{0}", count: 512 - map.utf8.count) + "onceupon").bytes,
      old.bytes,
      extended.header + octal(9000) + octal(4) + [UInt8](repeating: 0, count: 512 - 24) + extended.content
        + [UInt8](repeating: 0, count: 504),
    ]
    for form in forms {
      for chunkSize in [1, 500, 100_000] {
        let found = try extractedTree(Entry("Tales/").bytes + form + sound.end, chunkSize: chunkSize)
        #expect(found["a"]?.content == expected)
      }
    }
  }

  // MARK: Names

  @Test(arguments: [
    "Tales/../a", "../a", "Tales/..", "Tales/./b", "/Tales/a", "/etc/passwd", "Tales//a", "..", "../", "Tales/a\n",
    "Tales/\u{1B}[2J", "Tales/\u{7F}", "Tales/\u{9B}", "Tales/\u{202E}gpj.exe", "Tales/\u{2066}", "Tales/\u{2028}",
    // A later receiver into the folder would take these for its own.
    "Tales/.dragpipe-abcdefghijk9", "Tales/b/.dragpipe-abcdefghijk9.partial/parts",
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
      try refuse(.unsafeName, sound.changingFile { $0.name += bytes })
    }
  }

  @Test func unusualNamesAreAccepted() throws {
    // A backslash is an ordinary character, and names that look the same differ.
    let names = ["..\\..\\a", "caf\u{E9}", "cafe\u{301}", "caf", ".dragpipe-abcdefghijk", ".dragpipe-abcdefghijk9.txt"]
    let tar = CraftedTar().with { $0.entries = names.map { Entry("Tales/\($0)", "x") } }
    #expect(try Set(extractedTree(tar.bytes).keys) == Set(([""] + names).map { Array($0.utf8) }))
  }

  @Test func repeatedPathsAndSeveralTopFoldersAreRejected() throws {
    for (path, tar) in [
      ("Tales/a", sound.adding(Entry("Tales/a", "x"))), ("Tales/a", sound.adding(Entry("Tales/a/"))),
      ("Tales/a/b", sound.adding(Entry("Tales/a/b", "x"))),
      ("Tales/a", sound.with { $0.entries.insert(Entry("Tales/a/b/c", "x"), at: 0) }),
      ("Tales", sound.adding(Entry("Tales/"))), ("Tales/b", CraftedTar(Entry("Tales/b/"), Entry("Tales/b/"))),
      (nil, CraftedTar()), ("a", CraftedTar(Entry("a", "x"))), ("Zoo", sound.adding(Entry("Zoo/"))),
      ("U/a", sound.adding(Entry("U/a", "x"))), ("A", sound.with { $0.entries.insert(Entry("A", "x"), at: 0) }),
    ] {
      try refuse(.malformed, at: path, tar)
    }
  }

  // MARK: Kinds

  @Test func otherKindsAreRejected() throws {
    for kind in ["3", "4", "6"] as [Character] {
      try refuse(.specialFile, at: "Tales/a", sound.changingFile { $0.kind = kind })
      try refuse(.specialFile, at: "Tales", sound.with { $0.entries[0].kind = kind })
    }
    for kind in ["D", "M", "N", "A", "Z", "9", "\u{7F}"] as [Character] {
      try refuse(.unsupported, at: "Tales/a", sound.changingFile { $0.kind = kind })
    }
    // Only files have content.
    for kind in ["1", "2", "5"] as [Character] {
      try refuse(
        .malformed, at: "Tales/a",
        sound.changingFile {
          $0.kind = kind
          $0.target = Array("Tales/b".utf8)
        })
    }
  }

  @Test(arguments: [false, true])
  func setUserIDBitsAreDropped(isExact: Bool) throws {
    let tar = CraftedTar(
      Entry("Tales/a").with { $0.mode = "0106755\0" }, Entry("Tales/b/", "").with { $0.mode = "0007700\0" },
      Entry("Tales/c").with { $0.mode = "0000000\0" })
    let found = try extractedTree(tar.bytes, options: .init { $0.ignoresUmask = isExact })
    let modes = ["a", "b", "c"].map { (found[$0]?.permissions ?? -1) & 0o7700 }
    #expect(modes == [0o700, isExact ? 0o1700 : 0o700, 0] && found["c"]?.permissions == 0)
  }

  // MARK: Links

  private func link(_ path: String, _ target: String) -> Entry { Entry(path, kind: "2", target: target) }

  @Test(arguments: ["a", "../Tales2/../Tales/a", "./a", "b/../a", "b/c", "nowhere", "b/c/../../a", "."])
  func linksThatStayInTheFolderAreMade(target: String) throws {
    let isOutside = target.hasPrefix("../")
    let tar = sound.adding(link("Tales/link", target), Entry("Tales/b/c/"))
    if isOutside { try refuse(.unsafeName, at: "Tales/link", tar) }
    let found = try extractedTree(tar.bytes, options: isOutside ? Self.allowingLinks : .init())
    #expect(found["link"]?.target == target)
  }

  @Test(arguments: [
    "/etc/passwd", "..", "../..", "../Tales/a", "b/../..", "b/../../Tales/a", "./../a", "nowhere/../a", "s/../a",
    "a/../b",
  ])
  func linksThatMayLeaveTheFolderAreRefused(target: String) throws {
    let tar = sound.adding(Entry("Tales/b/c/"), link("Tales/s", "b/c"), link("Tales/link", target))
    try refuse(.unsafeName, at: "Tales/link", tar)
    #expect(try extractedTree(tar.bytes, options: Self.allowingLinks)["link"]?.target == target)
  }

  @Test func membersBelowALinkAndWrongTargetsAreRefused() throws {
    for target in ["/tmp", "b", "."] {
      let tar = sound.adding(Entry("Tales/b/"), link("Tales/link", target), Entry("Tales/link/file", "x"))
      try refuse(.malformed, tar, options: Self.allowingLinks)
    }
    let tooLong = CraftedTar.records(["linkpath": String(repeating: "a/", count: 3000)])
    for tar in [
      sound.adding(link("Tales/link", "")), sound.adding(link("Tales/link", "a").with { $0.target = [0xFF] }),
      sound.adding(tooLong, link("Tales/link", "a")),
    ] {
      try refuse(.unsafeName, at: "Tales/link", tar)
    }
  }

  @Test func hardLinksNeedAnEarlierFileInTheFolder() throws {
    func hard(_ path: String, _ target: String) -> Entry { Entry(path, kind: "1", target: target) }
    #expect(try extractedTree(sound.adding(hard("Tales/b/c", "Tales/a")).bytes)["b/c"]?.names == 2)
    for target in ["Tales/none", "Tales/b", "Tales/d/../a", "/etc/passwd", "../x", "Other/a", "Tales", "Tales/s/x"] {
      let tar = sound.adding(Entry("Tales/d/"), link("Tales/s", "d"), hard("Tales/b", target))
      #expect(throws: FolderArchiveError.self) { try extract(tar.bytes) { _ in } }
    }
    // Links to each other have no file.
    let ring = CraftedTar(Entry("Tales/"), hard("Tales/a", "Tales/b"), hard("Tales/b", "Tales/a"))
    try refuse(.malformed, at: "Tales/a", ring)
    // A symbolic link may have two names.
    let both = try extractedTree(sound.adding(link("Tales/s", "a"), hard("Tales/t", "Tales/s")).bytes)["t"]
    #expect(both?.target == "a" && both?.names == 2)
  }

  @Test func ringOfManyLinksIsRefusedInBoundedMemory() throws {
    var tar = CraftedTar(Entry("Tales/"))
    for number in 0..<2000 {
      tar.entries.append(Entry("Tales/\(number)", kind: "1", target: "Tales/\((number + 1) % 2000)"))
    }
    try refuse(.limitExceeded, tar, limits: .init(\.tableBytes, 100_000))
    try refuse(.malformed, at: "Tales/0", tar)
  }
}

/// The headers, the records and the end of an archive.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TarRecordTests {
  // MARK: Headers

  @Test func wrongChecksumsAreRejected() throws {
    let first = try refuse(.malformed, sound.with { $0.entries[0].checksum = "000000\u{0} " })
    #expect("\(first)" == "this is not a tar archive at byte 0")
    let second = try refuse(.malformed, sound.changingFile { $0.checksum = "00000x\u{0} " })
    #expect("\(second)" == "the checksum of the header is wrong at byte 512")
    for bytes in [Array("PK no archive".utf8), [UInt8](repeating: 0x50, count: 4096)] {
      try requireFolderError(.malformed) { try extract(bytes) { _ in } }
    }
    // Some programs add bytes as signed numbers.
    let signed = sound.changingFile { $0.name = Array("Tales/caf\u{E9}".utf8) }
    let sum = signed.entries[1].header.enumerated().reduce(0) { sum, byte in
      sum + ((148..<156).contains(byte.offset) ? 0x20 : Int(Int8(bitPattern: byte.element)))
    }
    try extract(signed.changingFile { $0.checksum = "0" + String(sum, radix: 8) + "\u{0} " }.bytes) { _ in }
  }

  @Test func wrongNumbersAreRejected() throws {
    let sizes: [[UInt8]] = [
      Array("0000000002x\0".utf8), Array("00000000080\0".utf8), Array("-0000000020\0".utf8),
      Array("20 00000000\0".utf8),
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xF0],
      [0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0], [0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16],
    ]
    for size in sizes { try refuse(.malformed, sound.changingFile { $0.size = size }) }
    try refuse(.malformed, at: "Tales/a", sound.changingFile { $0.mode = "0009644\0" })
    try refuse(.malformed, at: "Tales/a", sound.changingFile { $0.time = "0000000000z\0" })
    let largest: [UInt8] = [0x80, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    try refuse(.limitExceeded, at: "Tales/a", sound.changingFile { $0.size = largest })
    let records = Entry("Tales/a", "x", kind: "x").with { $0.size = Array("77777777777x".utf8) }
    try refuse(.malformed, CraftedTar(Entry("Tales/"), records))
  }

  // MARK: The end

  @Test func truncatedArchiveIsRejectedAtEveryLength() throws {
    let bytes = sound.bytes
    // Two blocks of zeros are the end.
    for length in sampled(0..<bytes.count, 200, "lengths of an archive") {
      try requireFolderError(.malformed) { try extract(bytes.prefix(length)) { _ in } }
    }
  }

  @Test func offsetsOfErrorsDoNotDependOnChunks() throws {
    for bytes in [
      sound.changingFile { $0.checksum = "000000\u{0} " }.bytes, sound.bytes + [0, 0, 1],
      sound.changingFile { $0.kind = "6" }.bytes, Array(sound.bytes.dropLast(700)),
      CraftedTar(Entry("Tales/"), Entry("x", "9 path=a", kind: "x")).bytes,
    ] {
      let errors = [1, 3, 511, 513, 100_000].map { chunkSize in
        #expect(throws: FolderArchiveError.self) { try extract(bytes, chunkSize: chunkSize) { _ in } }
      }
      #expect(Set(errors).count == 1 && errors.first??.byteOffset != nil)
    }
  }

  @Test func bytesAfterTheEndAndRecordsWithoutAnEntryAreRejected() throws {
    let (block, entry) = ([UInt8](repeating: 0, count: 512), Entry("Tales/b", "x").bytes)
    for end in [sound.end + [1], sound.end + entry, block + entry, block] {
      try refuse(.malformed, sound.with { $0.end = end })
    }
    try refuse(.malformed, sound.adding(CraftedTar.records(["path": "Tales/b"])))
    try refuse(.malformed, sound.adding(Entry("x", "Tales/b\u{0}", kind: "L")))
  }

  // MARK: Records

  @Test(arguments: [
    "", "x", "9", "99 path=a\n", "5 path=Tales/a\n", "15 path=Tales/a", "16 path=Tales/ax", "0 path=a\n", "-1 path=a\n",
    "10 pathaaa\n", "99999999999999999999999999 path=a\n", " 12 path=aa\n", "9223372036854775807 path=a\n", "3 \n",
    "12 size=16x\n", "11 size=-1\n", "28 size=9999999999999999999\n", "14 mtime=1.2.3\n", "12 mtime=--1\n",
    "10 uid=-1\n",
    "27 GNU.sparse.map=1,2,x,4\n", "23 GNU.sparse.offset=x\n", "25 GNU.sparse.numbytes=1\n",
  ])
  func wrongRecordsAreRejected(text: String) throws {
    let records = Entry("x", text.isEmpty ? "\u{0}" : text, kind: "x")
    let error = try refuse(.malformed, CraftedTar(Entry("Tales/"), records, Entry("Tales/a", "x")))
    #expect((1024...1536).contains(error.byteOffset ?? 0))
  }

  @Test func wrongMapsOfSparseFilesAreRejected() throws {
    for map in [
      "0,4,2,4", "4,4,0,4", "0,8,4,0", "0,9", "0,4", "99,1,100,7", "96,8", "0,-8", "0,8,9223372036854775807,1",
      "9223372036854775807,8", "0,8,9",
    ] {
      let records = CraftedTar.records([
        "GNU.sparse.name": "Tales/a", "GNU.sparse.size": "100", "GNU.sparse.map": map,
      ])
      try refuse(.malformed, CraftedTar(Entry("Tales/"), records, Entry("x", "12345678")))
    }
    let size = CraftedTar.records(["GNU.sparse.name": "Tales/a", "GNU.sparse.map": "0,8"])
    try refuse(.malformed, CraftedTar(Entry("Tales/"), size, Entry("x", "12345678")))
    for text in ["x", "1\n0\n", "1\n0\n9\n", "2\n0\n4\n2\n4\n", "-1\n", "\n", "99999999999999999999\n", "1\n4\n-4\n"] {
      let records = CraftedTar.records([
        "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "Tales/a", "GNU.sparse.realsize": "100",
      ])
      let block = text + String(repeating: "\u{0}", count: 512 - text.utf8.count)
      try refuse(.malformed, CraftedTar(Entry("Tales/"), records, Entry("x", block + "12345678")))
    }
    let newer = CraftedTar.records(["GNU.sparse.major": "2", "GNU.sparse.size": "1"])
    try refuse(.unsupported, CraftedTar(Entry("Tales/"), newer, Entry("Tales/a", "x")))
  }

  @Test func timesAreRoundedDownToNanoseconds() throws {
    for (text, seconds, nanoseconds) in [
      ("0", 0, 0), ("1.5", 1, 500_000_000), ("-0.5", -1, 500_000_000), ("-1.25", -2, 750_000_000), ("7.", 7, 0),
      ("12.1234567899", 12, 123_456_789), ("-3", -3, 0),
    ] as [(String, Int64, UInt32)] {
      let time = try #require(PaxAttributes.time(Array(text.utf8)[...]), "\(text)")
      #expect((time.seconds, time.nanoseconds) == (seconds, nanoseconds), "\(text)")
      #expect(PaxAttributes.time(Array(PaxAttributes.text(time).utf8)[...]) == time)
    }
    for text in ["", "-", "1,5", "1.x", "0x1", "9223372036854775808", ".5"] {
      #expect(PaxAttributes.time(Array(text.utf8)[...]) == nil, "\(text)")
    }
  }

  @Test func recordLengthCountsItsOwnDigits() {
    for count in [1, 2, 90, 91, 92, 93, 94, 980, 990, 991, 992, 993, 9985, 9990] {
      var bytes: [UInt8] = []
      PaxAttributes.append("k", [UInt8](repeating: 0x61, count: count), to: &bytes)
      #expect(bytes.starts(with: "\(bytes.count) k=a".utf8))
    }
  }

  @Test func lastValueOfAnExtendedAttributeWins() throws {
    var bytes: [UInt8] = []
    let values = [("user.b", "1"), ("user.a", "2"), ("user.b", "3"), ("user.e\u{301}", "4"), ("user.\u{E9}", "5")]
    for (name, value) in values {
      PaxAttributes.append(PaxAttributes.extendedPrefix + name, value.utf8, to: &bytes)
    }
    var attributes = PaxAttributes()
    try attributes.read(bytes, at: 0, .init())
    // Names are compared by their bytes.
    let found = attributes.lastExtended.flatMap { Array($0.name.utf8) + $0.value }
    #expect(found == Array("user.a2user.b3user.e\u{301}4user.\u{E9}5".utf8))
  }

  /// Each member leads from one deep branch to another, which must not cost a walk from the top for each level.
  @Test func extractionReturnsFromDeepFolders() throws {
    let branch = (0..<200).map { _ in "d" }.joined(separator: "/")
    var tar = CraftedTar(Entry("Tales/"))
    for number in 0..<20 {
      tar.entries.append(CraftedTar.records(["path": "Tales/\(number % 2)/\(branch)/\(number)"]))
      tar.entries.append(Entry("x", text))
    }
    let found = try extractedTree(tar.bytes)
    #expect(found.values.count { $0.content == Data(text.utf8) } == 20)
    #expect(found.count == 1 + 2 * 201 + 20)
  }

  @Test func folderThatIsMovedDuringExtractionIsAnError() throws {
    try withTemporaryDirectory { directory in
      let raw = open(directory.path, O_RDONLY | O_DIRECTORY)
      defer { close(raw) }
      let unpacker = try FolderUnpacker(into: raw, as: "Tales")
      func append(_ tar: [UInt8]) throws(FolderArchiveError) {
        try tar.withUnsafeBytes { bytes in
          Result { () throws(FolderArchiveError) in try unpacker.append(bytes) }
        }.get()
      }
      try append(Entry("Tales/one/two/a", text).bytes)
      try FileManager.default.moveItem(
        atPath: directory.path + "/Tales/one/two", toPath: directory.path + "/elsewhere")
      try requireFolderError(.changedWhileRead) { try append(Entry("Tales/one/b", text).bytes) }
      #expect(try names(in: directory) == ["elsewhere"])
    }
  }

  @Test func zerosMayArriveAsRuns() throws {
    let content = String(repeating: "\u{0}", count: 9000) + "middle" + String(repeating: "\u{0}", count: 5000)
    let tar = CraftedTar(Entry("Tales/"), Entry("Tales/a", content), Entry("Tales/b", "end")).with {
      $0.end += [UInt8](repeating: 0, count: 100_000)
    }
    try withTemporaryDirectory { directory in
      let raw = open(directory.path, O_RDONLY | O_DIRECTORY)
      defer { close(raw) }
      let unpacker = try FolderUnpacker(into: raw, as: "Tales")
      var rest = tar.bytes[...]
      while !rest.isEmpty {
        let zeros = rest.prefix { $0 == 0 }.count
        let bytes = Array(rest.dropFirst(zeros).prefix { $0 != 0 })
        try unpacker.append(zeros: UInt64(zeros))
        try bytes.withUnsafeBytes { try unpacker.append($0) }
        rest = rest.dropFirst(zeros + bytes.count)
      }
      try unpacker.finish()
      let found = try tree(at: directory.appendingPathComponent("Tales"))
      #expect(found["a"]?.content == Data(content.utf8))
      #expect(found["b"]?.content == Data("end".utf8))
    }
  }

  // MARK: Limits

  @Test func limitsApplyFromOneBeyondThem() throws {
    func hold<Number: FixedWidthInteger>(
      _ path: WritableKeyPath<FolderArchive.Limits, Number>, _ bound: Number, _ tar: CraftedTar
    ) throws {
      try extract(tar.bytes, limits: .init(path, bound)) { _ in }
      try refuse(.limitExceeded, tar, limits: .init(path, bound - 1))
    }
    let tar = CraftedTar(
      Entry("Tales/one/two/three", "12345"), CraftedTar.records(["mtime": "1.5"]), Entry("Tales/four", "678"))
    // Folders that only paths imply are entries too.
    try hold(\.entries, 4, tar)
    try hold(\.nameBytes, 5, tar)
    try hold(\.pathBytes, "Tales/one/two/three".utf8.count, tar)
    try hold(\.contentBytes, 8, tar)
    try hold(\.depth, 4, tar)
    try hold(\.recordBytes, 13, tar)
    // The records of one entry may be in several headers.
    let records = CraftedTar.records(["mtime": "1.5"])
    let several = CraftedTar(Entry("Tales/"), records, records, Entry("Tales/a"), records, Entry("Tales/b"))
    try hold(\.recordBytes, 13 + 512 + 13, several)
    let empty = Array(repeating: CraftedTar.records([:]), count: 2050)
    try refuse(.limitExceeded, CraftedTar().with { $0.entries = [Entry("Tales/")] + empty })
    try hold(\.tableBytes, 41 + 8 + 64, CraftedTar(Entry("Tales/"), Entry("Tales/a", kind: "2", target: "b")))
    let sparse = CraftedTar.records(["GNU.sparse.name": "Tales/a", "GNU.sparse.size": "9", "GNU.sparse.map": "0,1,8,1"])
    try hold(\.segments, 2, CraftedTar(sparse, Entry("Tales/a", "12")))
  }

  // MARK: Corruption

  private enum Mutation: CaseIterable {
    case flip, set, word, cut, insert, swap
  }

  private func mutate(_ bytes: inout [UInt8], with generator: inout SeededGenerator) {
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    switch Mutation.allCases.randomElement(using: &generator) ?? .flip {
    case .flip: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case .set: bytes[place] = [0, 1, 0x2F, 0x2E, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
    case .word: for index in place..<min(place + 4, bytes.count) { bytes[index] = 0xFF }
    case .cut: bytes.removeSubrange(place..<min(place + Int.random(in: 1..<9, using: &generator), bytes.count))
    case .insert: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
    case .swap: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &generator))
    }
    if bytes.isEmpty { bytes = [0] }
  }

  @Test func mutatedArchiveExtractsCompletelyOrLeavesNothing() throws {
    var generator = SeededGenerator.announced("folder archive mutations")
    let records = CraftedTar.records(["mtime": "12.5", "path": "Tales/a"])
    let sparse = CraftedTar.records([
      "GNU.sparse.name": "Tales/d", "GNU.sparse.size": "90", "GNU.sparse.map": "0,2,8,2",
    ])
    var archives = [
      CraftedTar(
        Entry("Tales/"), Entry("Tales/a", "once"), Entry("Tales/b/c", "upon"),
        Entry("Tales/s", kind: "2", target: "b/c"), Entry("Tales/h", kind: "1", target: "Tales/a")
      ).bytes,
      CraftedTar(records, Entry("x", "once"), sparse, Entry("x", "upon")).bytes,
    ]
    try withFolder(["a": "once", "b/c": "upon", "d/": "", "e": ""]) { archives.append(Array(try archive(of: $0))) }
    var refused = 0
    let rounds = isFullRun ? 450 : 150
    for round in 0..<rounds {
      var bytes = archives[round % archives.count]
      for _ in 0...Int.random(in: 0..<3, using: &generator) { mutate(&bytes, with: &generator) }
      do {
        try extract(bytes) { destination in
          let names = try names(in: destination)
          if names.count != 1 { Issue.record("\(names)") }
          for name in names { _ = try tree(at: destination.appendingPathComponent(name)) }
        }
      } catch is FolderArchiveError {
        refused += 1
      }
    }
    #expect(refused > rounds / 5)
  }
}
