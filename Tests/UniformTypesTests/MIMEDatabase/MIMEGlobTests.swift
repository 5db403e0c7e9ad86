// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMEGlobTests {
  // MARK: Patterns

  /// Returns whether a name matches a pattern, or `nil` if the pattern is invalid.
  private static func matches(_ pattern: String, _ name: String) -> Bool? {
    MIMEGlobPattern(pattern.utf8Span.span, ignoresCase: true).map { $0.matches(name.utf8Span.span) }
  }

  @Test func patternsMatch() {
    for (pattern, name, isMatch) in [
      ("*", "", true), ("*", "abc", true), ("a*c", "abbc", true), ("a*c", "abbcd", false), ("a?c", "abc", true),
      ("a?c", "ac", false), ("*.so.[0-9]*", "lib.so.2.4", true), ("*.so.[0-9]*", "lib.so.x", false),
      ("[!a-c]x", "dx", true), ("[^a-c]x", "bx", false), ("[]]x", "]x", true), ("[a", "[a", true), ("[a", "a", false),
      ("\\*x", "*x", true), ("\\*x", "ax", false), ("a\\", "a\\", true), ("[a-]", "-", true),
      ("README*", "readme.md", true), ("**a**", "bab", true), ("*~", "x~", true), ("[z-a]", "m", false),
      ("*a*b*c", "xxaxxbxxbc", true),
    ] {
      #expect(Self.matches(pattern, name) == isMatch, "\(pattern), \(name)")
    }
    for (length, isPattern) in [(0, false), (1, true), (255, true), (256, false)] {
      let pattern = String(repeating: "a", count: length)
      #expect((Self.matches(pattern, pattern) != nil) == isPattern)
    }
  }

  @Test func patternOfManyStarsMatchesInBoundedTime() async throws {
    // Trying all positions of all stars would never end.
    let pattern = String(repeating: "*a", count: 127) + "b"
    let name = String(repeating: "a", count: 255)
    #expect(try await onThread { Self.matches(pattern, name) } == false)
  }

  // MARK: Names and extensions

  private func expect(
    _ database: MIMEDatabase, _ types: KeyValuePairs<String, String?>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (name, type) in types {
      #expect(database.type(ofName: name) == type, "\(name)", sourceLocation: sourceLocation)
    }
  }

  @Test func extensionsLeadToTypesAndBack() throws {
    let database = try MIMEDatabase.reading([
      "globs2": "40:a/light:*.x\n50:a/tar:*.tar.gz\n50:a/gz:*.gz\n60:a/heavy:*.x\n50:a/gz:*.gzip\n"
    ])
    let types = ["x", "TAR.GZ", ".x", ""].map { database.types(withFilenameExtension: $0) }
    #expect(types == [["a/heavy", "a/light"], ["a/tar"], [], []])
    #expect(["a/GZ", "a/none"].map { database.filenameExtensions(of: $0) } == [["gz", "gzip"], []])
    let long = [254, 255].map { String(repeating: ".", count: $0) + "x" }
    expect(
      database, ["x.tar.gz": "a/tar", "/dir.x/y.Gz": "a/gz", "x.gz/": nil, "x": nil, long[0]: "a/heavy", long[1]: nil])
  }

  @Test func preferredExtensionComesFromTheDocument() throws {
    let fixture = try MIMEFixture([
      "globs2": "50:video/q:*.moov\n50:video/q:*.mov\n50:video/q:*.qt\n",
      "video/q.xml":
        #"<mime-type><glob pattern="*.QT"/><glob pattern='*.mov'/><glob pattern="*.no"/></mime-type>"#,
    ])
    let database = fixture.database()
    for _ in 0..<2 { #expect(database.filenameExtensions(of: "video/q") == ["qt", "mov", "moov"]) }
  }

  @Test func caseSensitiveGlobIgnoresItsCopyForOldReaders() throws {
    let database = try MIMEDatabase.reading([
      "globs2": "50:t/cpp:*.C:cs\n50:t/cpp:*.C\n50:t/c:*.c\n50:t/c:*.c:cs,new\n50:t/core:core:new,cs:more\n"
    ])
    expect(database, ["a.C": "t/cpp", "a.c": "t/c", "core": "t/core", "Core": nil])
    #expect(database.types(withFilenameExtension: "C") == ["t/cpp"])
  }

  @Test func fullNamePrecedesExtensionAndWildcard() throws {
    let database = try MIMEDatabase.reading([
      "globs2": "90:a/wild:read*\n50:a/md:*.md\n10:a/whole:readme.md\n20:a/longer:read.*\n90:a/long:read.?\n"
    ])
    expect(database, ["README.md": "a/whole", "read.md": "a/md", "reading": "a/wild", "read.x": "a/long"])
  }

  // MARK: Directories

  @Test func nearerDirectoryDiscardsFartherGlobs() throws {
    let near = ["globs2": "0:a/x:__NOGLOBS__\n50:a/x:*.new\n"]
    let far = ["globs2": "50:a/x:*.old\n50:a/y:*.old2\n"]
    try expect(.reading(near, far), ["f.old": nil, "f.new": "a/x", "f.old2": "a/y"])
    try expect(.reading(far, near), ["f.old": "a/x"])
  }

  @Test func nearerDirectoryWinsAtEqualWeight() throws {
    let database = try MIMEDatabase.reading(
      ["globs2": "50:a/near:*.x\n10:a/both:*.y\n"], ["globs2": "50:a/far:*.x\n90:a/both:*.y\n50:a/other:*.y\n"])
    let types = ["x", "y"].map { database.types(withFilenameExtension: $0) }
    #expect(types == [["a/near", "a/far"], ["a/other", "a/both"]])
  }

  @Test func readsOlderFileWithoutANewerOne() throws {
    let old = "# comment\na/x:*.x\n"
    try expect(.reading(["globs": old]), ["f.x": "a/x"])
    try expect(.reading(["globs": old, "globs2": "50:a/y:*.y\n"]), ["f.x": nil])
  }

  // MARK: Malformed files

  @Test func skipsMalformedLines() throws {
    let fixture = try MIMEFixture()
    let start = "50:a/x\n:::\n-1:a/x:*.a\n9999999999:a/x:*.b\n50:ax:*.c\n50:a/x/y:*.d\n50:a/x:\n5x:a/x:*.e\n50:a/x:*."
    let end = "\n50:../x:*.g\n50:a/..:*.g\n\n\n50:a/x:*.good\n50:a/x:*.cut"
    try fixture.write("globs2", Array(start.utf8) + [0xFF, 0xFE] + Array(end.utf8))
    let database = fixture.database()
    #expect(database.filenameExtensions(of: "a/x") == ["good", "cut"] && database.allTypes == ["a/x"])
  }

  @Test(arguments: [(4096, true), (4097, false)])
  func skipsOverlongLines(length: Int, isRead: Bool) throws {
    let line = "50:a/x:*.x:"
    let database = try MIMEDatabase.reading([
      "globs2": line + String(repeating: "f", count: length - line.utf8.count) + "\n50:a/y:*.y\n"
    ])
    expect(database, ["f.x": isRead ? "a/x" : nil, "f.y": "a/y"])
  }

  /// In other runs than full ones, the file of the greatest length is not read, which takes long.
  @Test(arguments: isFullRun ? [(0, true), (1, false)] : [(1, false)])
  func skipsOverlongFileWithARemark(excess: Int, isRead: Bool) throws {
    let fixture = try MIMEFixture()
    var bytes = Array("50:a/x:*.x\n".utf8)
    bytes += [UInt8](repeating: UInt8(ascii: "\n"), count: MIMEDatabase.maximumFileLength - bytes.count + excess)
    try fixture.write("globs2", bytes)
    let database = fixture.database()
    expect(database, ["f.x": isRead ? "a/x" : nil])
    let remark = "\(fixture.path)/globs2: the file has more than 16777216 bytes; it is ignored"
    #expect(database.remarks == (isRead ? [] : [remark]))
  }

  @Test func otherKindsOfFilesAreReportedAndDoNotBlock() throws {
    let fixture = try MIMEFixture(["globs": "a/x:*.x\n", "aliases/file": ""])
    try #require(mkfifo("\(fixture.path)/globs2", 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: "\(fixture.path)/types", withDestinationPath: "types")
    let database = fixture.database()
    #expect(
      database.remarks == [
        "\(fixture.path)/types: Too many levels of symbolic links; it is ignored",
        "\(fixture.path)/aliases: this is not a regular file; it is ignored",
        "\(fixture.path)/globs2: this is not a regular file; it is ignored",
      ])
    expect(database, ["f.x": "a/x"])
    #expect(MIMEDatabase(directories: ["/no/such", "/dev/null"]).remarks.isEmpty)
  }

  @Test func limitsClaimsWildcardsAndExtensions() throws {
    var text = (0..<65).map { "50:a/n\($0):*.x\n" }.joined()
    text += (0..<257).map { "50:w/n\($0):w\($0)[x]\n" }.joined()
    text += (0..<257).map { "50:e/e:*.e\($0)\n" }.joined()
    let database = try MIMEDatabase.reading(["globs2": text])
    let counts = [database.types(withFilenameExtension: "x"), database.filenameExtensions(of: "e/e")].map(\.count)
    #expect(counts == [64, 256])
    expect(database, ["w255x": "w/n255", "w256x": nil, "f.e256": "e/e"])
  }

  @Test func readsManyShortLinesInBoundedTime() throws {
    let count = 200_000 / testSizeDivisor
    let database = try MIMEDatabase.reading(["globs2": (0..<count).map { "1:a/\($0 % 7):*.\($0)\n" }.joined()])
    #expect(database.types(withFilenameExtension: "\(count - 1)") == ["a/\((count - 1) % 7)"])
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMEGlobTableTests {
  private struct Line {
    let pattern: String
    let glob: MIMEGlob
    let isCaseSensitive: Bool

    var key: String { String(pattern.dropFirst(isSuffix ? 2 : 0)) }
    var isSuffix: Bool { pattern.utf8.count > 2 && pattern.hasPrefix("*.") }
    var isWildcard: Bool { key.contains { "*?[\\".contains($0) } }

    /// Returns whether the pattern matches a name, tested without an index.
    func matches(_ name: String) -> Bool {
      MIMEGlobPattern(pattern.utf8Span.span, ignoresCase: !isCaseSensitive)?.matches(name.utf8Span.span) == true
    }
  }

  /// Returns the claims on a name, found by trying each line.
  private func plainClaims(_ lines: [Line], onName name: String) -> [MIMEGlob] {
    let matching = lines.filter { $0.matches(name) }
    func claims(_ lines: [Line]) -> [MIMEGlob] {
      let spelled = lines.filter(\.isCaseSensitive)
      var seen: Set<MIMENameTable.ID> = []
      let first = (spelled.isEmpty ? lines : spelled).filter { seen.insert($0.glob.type).inserted }.map(\.glob)
      return first.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
        .map(\.element)
    }
    let whole = claims(matching.filter { !$0.isSuffix && !$0.isWildcard })
    if !whole.isEmpty { return whole }
    let suffixes = Dictionary(grouping: matching.filter { $0.isSuffix && !$0.isWildcard }, by: \.key.utf8.count)
    var best: [MIMEGlob] = []
    for length in suffixes.keys.sorted(by: >) {
      let found = claims(suffixes[length] ?? [])
      if best.isEmpty || (found.first?.weight ?? 0) > (best.first?.weight ?? 0) { best = found }
    }
    if !best.isEmpty { return best }
    let wild = matching.filter(\.isWildcard)
    let top = wild.map { [Int($0.glob.weight), $0.pattern.utf8.count] }.max { $0.lexicographicallyPrecedes($1) }
    var found: [MIMEGlob] = []
    for line in wild where [Int(line.glob.weight), line.pattern.utf8.count] == top && !found.contains(line.glob) {
      found.append(line.glob)
    }
    return found
  }

  @Test func claimsMatchTryingEveryPattern() {
    var generator = SeededGenerator.announced(#function)
    func text(_ alphabet: String, _ range: ClosedRange<Int>) -> String {
      let letters = Array(alphabet)
      return String(
        (0..<Int.random(in: range, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }
    for _ in 0..<(isFullRun ? 300 : 60) {
      var table = MIMEGlobTable()
      table.startDirectory()
      var lines: [Line] = []
      for _ in 0..<Int.random(in: 1...25, using: &generator) {
        let pattern =
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: text("aAb.", 1...3)
          case 1, 2: "*." + text("aAb.", 1...3)
          default: text("aAb.*?", 1...4)
          }
        let line = Line(
          pattern: pattern,
          glob: MIMEGlob(
            type: Int32.random(in: 0..<4, using: &generator), weight: UInt8.random(in: 49...51, using: &generator)),
          isCaseSensitive: Int.random(in: 0..<4, using: &generator) == 0)
        lines.append(line)
        table.insert(pattern.utf8Span.span, line.glob, isCaseSensitive: line.isCaseSensitive)
      }
      for _ in 0..<60 {
        let name = text("aAb.", 1...6)
        if table.claims(onName: name.utf8Span.span) != plainClaims(lines, onName: name) {
          Issue.record("\(name) of \(lines)")
        }
      }
      for type in Int32(0)..<4 {
        // Expects each extension once, in the order of insertion.
        var expected: [String] = []
        var seen: Set<String> = []
        for line in lines where line.glob.type == type && line.isSuffix && !line.isWildcard {
          let key = line.isCaseSensitive ? line.key : line.key.asciiLowercased
          if seen.insert("\(line.isCaseSensitive) \(key)").inserted { expected.append(key.asciiLowercased) }
        }
        if table.extensions(of: type).map(\.asciiLowercased) != expected { Issue.record("\(type) of \(lines)") }
      }
    }
  }

  @Test func dropsClaimsAboveTheLimitAndSortsByWeight() {
    var index = MIMEGlobIndex(ignoresCase: true)
    let weights = (0..<70).map { UInt8(30 + $0 * 7 % 5) }
    for (type, weight) in weights.enumerated() {
      let id = index.insert("x".utf8Span.span, MIMEGlob(type: Int32(type), weight: weight))
      #expect((id == nil) == (type >= MIMEGlobTable.maximumClaims))
    }
    let expected = weights.prefix(MIMEGlobTable.maximumClaims).enumerated()
      .sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }.map {
        MIMEGlob(type: Int32($0.offset), weight: $0.element)
      }
    #expect(["X", "y", "xx"].map { index.find($0.utf8Span.span) } == [expected, [], []])
  }

  @Test func findsPatternsAboveTheLengthBits() {
    var index = MIMEGlobIndex(ignoresCase: true)
    for length in [62, 63, 64, 200] {
      let key = String(repeating: "k", count: length)
      _ = index.insert(key.utf8Span.span, MIMEGlob(type: Int32(length), weight: 50))
      #expect(index.find(key.utf8Span.span).map(\.type) == [Int32(length)])
    }
  }
}
