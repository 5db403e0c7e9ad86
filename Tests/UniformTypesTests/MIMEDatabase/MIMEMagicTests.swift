// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

private typealias Rule = MIMEFixture.Rule

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMEMagicTests {
  /// Returns whether rules of one type match a content.
  private func matches(_ rules: [Rule], _ content: [UInt8]) throws -> Bool {
    let match = try MIMEDatabase.reading(magic: [("50:a/x", rules)]).sniff(content)
    return match == .init(type: "a/x", evidence: .content)
  }

  private func expect(
    _ rules: [Rule], match: [String] = [], notMatch others: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for text in match + others {
      #expect(
        try matches(rules, Array(text.utf8)) == match.contains(text), "\(text)", sourceLocation: sourceLocation)
    }
  }

  @Test func findsValueAtItsOffsets() throws {
    try expect([Rule("abc", at: 2)], match: ["xxabc"], notMatch: ["xabc", "xxab"])
    try expect([Rule("abc", at: 1, suffix: "+3")], match: ["xxxabc"], notMatch: ["xxxxabc"])
    try expect([Rule("aab", at: 0, suffix: "+9")], match: ["aaab"])
  }

  @Test func maskSelectsTheComparedBits() throws {
    let rule = Rule([0xFF, 0xF1], mask: [0xFF, 0xF0])
    #expect(try [[0xFF, 0xFE], [0xFF, 0xEF]].map { try matches([rule], $0) } == [true, false])
    // Each doubling of its offsets counts as one bit less.
    #expect(try !matches([Rule([0x10, 0xFF], mask: [0xF0, 0xFF], suffix: "+4")], [0, 0, 0x1A, 0xFF]))
  }

  @Test func wordsAreInTheByteOrderOfTheMachine() throws {
    let value: [UInt8] = [1, 2, 3, 4]
    let two: [UInt8] = 1.littleEndian == 1 ? [2, 1, 4, 3] : value
    let four: [UInt8] = 1.littleEndian == 1 ? [4, 3, 2, 1] : value
    for (value, suffix, content, isMatch) in [
      (value, "~1", value, true), (value, "~2", two, true), (value, "~4", four, true), (value, "~0", value, false),
      (value, "~3", value, false), (value, "~8", value, false), (value, "~", value, false),
      ([1, 2, 3], "~2", [2, 1, 3], false),
    ] {
      #expect(try matches([Rule(value, suffix: suffix)], content) == isMatch, "\(suffix)")
    }
  }

  @Test func valuesMayContainAnyByte() throws {
    let value = Array("\n[90:b/y]\n>0=".utf8) + [0, 0xFF]
    #expect(try matches([Rule(value)], value))
  }

  @Test func ruleWithChildrenNeedsAMatchingChild() throws {
    let rules = [
      Rule("PK"), Rule("one", at: 2, depth: 1), Rule("two", at: 2, depth: 1), Rule("deep", at: 5, depth: 2),
      Rule("other"),
    ]
    try expect(rules, match: ["PKone", "PKtwodeep", "other"], notMatch: ["PKtwo", "PK", "xxone"])
  }

  @Test(arguments: [(32, true), (33, false)])
  func dropsRulesAboveTheDepthLimit(depth: Int, isRead: Bool) throws {
    let rules = (0...depth).map { Rule("ab", at: 0, depth: $0) }
    #expect(try matches(rules, Array("ab".utf8)) == isRead)
  }

  @Test(arguments: [(65_534, "", true), (65_535, "", false), (0, "+65535", true), (0, "+65536", false)])
  func dropsRulesAboveTheExtentLimit(offset: Int, suffix: String, isRead: Bool) throws {
    let database = try MIMEDatabase.reading(magic: [("50:a/x", [Rule("ab", at: offset, suffix: suffix)])])
    #expect(database.magicExtent == (isRead ? MIMEDatabase.maximumMagicExtent : 0))
  }

  @Test func priorityThenDirectoryThenOrderDecides() throws {
    let database = try MIMEDatabase.reading(
      magic: [("50:near/first", [Rule("ab")]), ("50:near/second", [Rule("ab")]), ("40:near/low", [Rule("cd")])],
      [("60:far/high", [Rule("ef")]), ("50:far/same", [Rule("ab")]), ("50:far/cd", [Rule("cd")])])
    #expect(["ab", "cd", "ef"].map { database.sniff($0).type } == ["near/first", "far/cd", "far/high"])
  }

  @Test func nearerDirectoryDiscardsFartherMagic() throws {
    let database = try MIMEDatabase.reading(
      magic: [("50:a/x", [Rule("__NOMAGIC__"), Rule("new")])], [("90:a/x", [Rule("old")]), ("50:a/y", [Rule("other")])])
    let types = ["new", "old", "other", "__NOMAGIC__"].map { database.sniff($0).type }
    #expect(types == ["a/x", "text/plain", "a/y", "text/plain"])
  }

  // MARK: Malformed files

  @Test func malformedRuleIsDroppedWithItsChildren() throws {
    try expect(
      [Rule("PK"), Rule("one", at: 2, depth: 1, suffix: "?"), Rule("deep", depth: 2), Rule("okay")],
      match: ["okay"], notMatch: ["PKone", "PK", "deep"])
    try expect(
      [Rule("PK"), Rule("far", at: 2, depth: 2), Rule("near", at: 2, depth: 1)], match: ["PKnear"], notMatch: ["PKfar"])
    try expect([Rule("orphan", depth: 1)], notMatch: ["orphan"])
    try expect([Rule("")], notMatch: ["anything"])
    try expect([Rule("many", suffix: "+0"), Rule("more", suffix: "+99999999999")], notMatch: ["manymore"])
  }

  @Test(arguments: ["50", "x:a/x", ":a/x", "50:ax", "50:", "-1:a/x", "50:a/x/y", "99999999999:a/x"])
  func skipsSectionWithMalformedHeader(header: String) throws {
    let database = try MIMEDatabase.reading(magic: [(header, [Rule("ab")]), ("50:b/y", [Rule("cd")])])
    #expect(database.sniff("ab").evidence == .guess)
    #expect(database.sniff("cd") == .init(type: "b/y", evidence: .content))
  }

  @Test func malformedFilesAreNotRead() throws {
    let head = "MIME-Magic\0\n[50:a/x]\n>0="
    for (text, bytes) in [
      (head, [0xFF, 0xFF, 1]), (head, [0]), (head + "\0\u{2}ab&a", []), ("MIME-Magic\n[50:a/x]\n>0=\0\u{2}ab\n", []),
    ] as [(String, [UInt8])] {
      let fixture = try MIMEFixture()
      try fixture.write("magic", Array(text.utf8) + bytes)
      #expect(fixture.database().magicExtent == 0)
    }
  }

  @Test func truncatedFileKeepsOnlyCompleteRules() throws {
    let whole = MIMEFixture.magic([
      ("50:a/x", [Rule("abcd"), Rule([1, 2], at: 4, depth: 1, mask: [3, 4], suffix: "~2+9")]), ("40:b/y", [Rule("ef")]),
    ])
    for length in 0...whole.count {
      var reader = MIMEMagicReader()
      reader.read(Array(whole.prefix(length)))
      let hit = reader.table().firstMatch(in: Array("ef".utf8).span)
      #expect(hit?.type == (length == whole.count ? "b/y" : nil))
    }
  }

  @Test func randomFilesDoNotTrap() throws {
    var numbers = SeededGenerator.announced(#function)
    let alphabet = Array("[50:a/x]\n>0123456789=&~+\0\u{1}\u{2}ab".utf8)
    for _ in 0..<300 {
      var bytes = Array("MIME-Magic\0\n[50:a/x]\n".utf8)
      for _ in 0..<Int.random(in: 0...400, using: &numbers) {
        bytes.append(alphabet.randomElement(using: &numbers) ?? 0)
      }
      var reader = MIMEMagicReader()
      reader.read(bytes)
      let table = reader.table()
      let hit = table.firstMatch(in: bytes.span)
      if hit?.type.contains("/") == false || table.extent > MIMEMagicTable.maximumExtent { Issue.record("\(bytes)") }
    }
  }

  // MARK: Weak rules

  @Test func weakRuleDecidesOnlyWithoutOtherEvidence() throws {
    let database = try MIMEDatabase.reading(
      [
        "globs2": "50:image/jpeg:*.jpg\n50:image/other:*.jpg\n50:image/one:*.one\n",
        "subclasses": "third/party image/other\n",
      ],
      magic: [
        ("90:third/party", [Rule([0xFF])]), ("80:third/masked", [Rule([0xFF, 0xD8], mask: [0xFF, 0x01])]),
        ("50:image/jpeg", [Rule([0xFF, 0xD8])]),
      ])
    let found = [
      database.sniff([0xFF, 0xD8, 0xFF]), database.sniff([0xFF, 0x01]),
      database.type(ofName: "a.one", bytes: [0xFF, 1]), database.type(ofName: "a.jpg", bytes: [0xFF, 1]),
    ]
    #expect(
      found == [
        .init(type: "image/jpeg", evidence: .content), .init(type: "third/party", evidence: .guess),
        .init(type: "image/one", evidence: .name), .init(type: "image/jpeg", evidence: .guess),
      ])
  }

  @Test(arguments: [(60_000, MIMEDatabase.Match.Evidence.guess), (60, .content)])
  func rulesWithTooMuchWorkMatchNothing(offsetCount: Int, evidence: MIMEDatabase.Match.Evidence) throws {
    let value = [UInt8](repeating: 0x61, count: 1000) + [0x62]
    let slow = (0..<20).map { _ in Rule(value, suffix: "+\(offsetCount)") }
    let database = try MIMEDatabase.reading(magic: [("60:a/slow", slow), ("50:a/x", [Rule("aaaa")])])
    // The search ends before the last rule, which matches.
    let content = [UInt8](repeating: 0x61, count: MIMEDatabase.maximumMagicExtent)
    #expect(database.sniff(content).evidence == evidence)
  }
}
