// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

private typealias Rule = MIMEFixture.Rule

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct MIMEMagicTests {
  private func sniff(_ sections: [(header: String, rules: [Rule])], _ content: [UInt8]) throws -> String? {
    let fixture = try MIMEFixture()
    try fixture.writeMagic(sections)
    let match = fixture.database().sniff(content)
    return match.evidence == .content ? match.type : nil
  }

  private func sniff(_ rules: [Rule], _ content: String) throws -> String? {
    try sniff([("50:a/x", rules)], Array(content.utf8))
  }

  @Test func findsValueAtItsOffsets() throws {
    #expect(try sniff([Rule("abc", at: 2)], "xxabc") == "a/x")
    #expect(try sniff([Rule("abc", at: 2)], "xabc") == nil)
    #expect(try sniff([Rule("abc", at: 2)], "xxab") == nil)
    #expect(try sniff([Rule("abc", at: 1, suffix: "+3")], "xxxabc") == "a/x")
    #expect(try sniff([Rule("abc", at: 1, suffix: "+3")], "xxxxabc") == nil)
    #expect(try sniff([Rule("aab", at: 0, suffix: "+9")], "aaab") == "a/x")
  }

  @Test func maskSelectsTheComparedBits() throws {
    let rule = Rule([0xFF, 0xF1], mask: [0xFF, 0xF0])
    #expect(try sniff([("50:a/x", [rule])], [0xFF, 0xFE]) == "a/x")
    #expect(try sniff([("50:a/x", [rule])], [0xFF, 0xEF]) == nil)
    let searched = Rule([0x10, 0xFF], mask: [0xF0, 0xFF], suffix: "+4")
    #expect(
      try sniff([("50:a/x", [searched])], [0, 0, 0x1A, 0xFF]) == nil,
      "each doubling of its offsets counts as one bit less")
  }

  @Test func wordsAreInTheByteOrderOfTheMachine() throws {
    let value: [UInt8] = [1, 2, 3, 4]
    let two: [UInt8] = 1.littleEndian == 1 ? [2, 1, 4, 3] : value
    let four: [UInt8] = 1.littleEndian == 1 ? [4, 3, 2, 1] : value
    #expect(try sniff([("50:a/x", [Rule(value, suffix: "~1")])], value) == "a/x")
    #expect(try sniff([("50:a/x", [Rule(value, suffix: "~2")])], two) == "a/x")
    #expect(try sniff([("50:a/x", [Rule(value, suffix: "~4")])], four) == "a/x")
    for suffix in ["~0", "~3", "~8", "~"] {
      #expect(try sniff([("50:a/x", [Rule(value, suffix: suffix)])], value) == nil)
    }
    #expect(try sniff([("50:a/x", [Rule([1, 2, 3], suffix: "~2")])], [2, 1, 3]) == nil)
  }

  @Test func valuesMayContainAnyByte() throws {
    let value = Array("\n[90:b/y]\n>0=".utf8) + [0, 0xFF]
    #expect(try sniff([("50:a/x", [Rule(value)])], value) == "a/x")
  }

  @Test func ruleWithChildrenNeedsAMatchingChild() throws {
    let rules = [
      Rule("PK"), Rule("one", at: 2, depth: 1), Rule("two", at: 2, depth: 1), Rule("deep", at: 5, depth: 2),
      Rule("other"),
    ]
    #expect(try sniff(rules, "PKone") == "a/x")
    #expect(try sniff(rules, "PKtwo") == nil)
    #expect(try sniff(rules, "PKtwodeep") == "a/x")
    #expect(try sniff(rules, "PK") == nil)
    #expect(try sniff(rules, "other") == "a/x")
    #expect(try sniff(rules, "xxone") == nil)
  }

  @Test(arguments: [(32, true), (33, false)])
  func dropsRulesAboveTheDepthLimit(depth: Int, isRead: Bool) throws {
    let rules = (0...depth).map { Rule("ab", at: 0, depth: $0) }
    #expect((try sniff(rules, "ab") == "a/x") == isRead)
  }

  @Test(arguments: [(65_534, "", true), (65_535, "", false), (0, "+65535", true), (0, "+65536", false)])
  func dropsRulesAboveTheExtentLimit(offset: Int, suffix: String, isRead: Bool) throws {
    let fixture = try MIMEFixture()
    try fixture.writeMagic([("50:a/x", [Rule("ab", at: offset, suffix: suffix)])])
    #expect(fixture.database().magicExtent == (isRead ? MIMEDatabase.maximumMagicExtent : 0))
  }

  @Test func priorityThenDirectoryThenOrderDecides() throws {
    let near = try MIMEFixture()
    let far = try MIMEFixture()
    try near.writeMagic([
      ("50:near/first", [Rule("ab")]), ("50:near/second", [Rule("ab")]), ("40:near/low", [Rule("cd")]),
    ])
    try far.writeMagic([("60:far/high", [Rule("ef")]), ("50:far/same", [Rule("ab")]), ("50:far/cd", [Rule("cd")])])
    try far.write("types", "x/y\n")
    let database = MIMEDatabase(directories: [near.path, far.path])
    #expect(database.sniff("ab").type == "near/first")
    #expect(database.sniff("cd").type == "far/cd")
    #expect(database.sniff("ef").type == "far/high")
  }

  @Test func nearerDirectoryDiscardsFartherMagic() throws {
    let near = try MIMEFixture()
    let far = try MIMEFixture()
    try near.writeMagic([("50:a/x", [Rule("__NOMAGIC__"), Rule("new")])])
    try far.writeMagic([("90:a/x", [Rule("old")]), ("50:a/y", [Rule("other")])])
    let database = MIMEDatabase(directories: [near.path, far.path])
    #expect(database.sniff("new").type == "a/x")
    #expect(database.sniff("old").type == "text/plain")
    #expect(database.sniff("other").type == "a/y")
    #expect(database.sniff("__NOMAGIC__").type == "text/plain")
  }

  // MARK: Malformed files

  @Test func malformedRuleIsDroppedWithItsChildren() throws {
    let dropped = [Rule("PK"), Rule("one", at: 2, depth: 1, suffix: "?"), Rule("deep", depth: 2), Rule("okay")]
    #expect(try sniff(dropped, "PKone") == nil)
    #expect(try sniff(dropped, "PK") == nil)
    #expect(try sniff(dropped, "deep") == nil)
    #expect(try sniff(dropped, "okay") == "a/x")
    let jumped = [Rule("PK"), Rule("far", at: 2, depth: 2), Rule("near", at: 2, depth: 1)]
    #expect(try sniff(jumped, "PKfar") == nil)
    #expect(try sniff(jumped, "PKnear") == "a/x")
    #expect(try sniff([Rule("orphan", depth: 1)], "orphan") == nil)
    #expect(try sniff([Rule("")], "anything") == nil)
    #expect(try sniff([Rule("many", suffix: "+0"), Rule("more", suffix: "+99999999999")], "manymore") == nil)
  }

  @Test(arguments: ["50", "x:a/x", ":a/x", "50:ax", "50:", "-1:a/x", "50:a/x/y", "99999999999:a/x"])
  func skipsSectionWithMalformedHeader(header: String) throws {
    #expect(try sniff([(header, [Rule("ab")]), ("50:b/y", [Rule("cd")])], Array("ab".utf8)) == nil)
    #expect(try sniff([(header, [Rule("ab")]), ("50:b/y", [Rule("cd")])], Array("cd".utf8)) == "b/y")
  }

  @Test func lengthsBeyondTheFileAreRejected() throws {
    let head = Array("MIME-Magic\0\n[50:a/x]\n".utf8)
    for tail: [UInt8] in [Array(">0=".utf8) + [0xFF, 0xFF, 1], Array(">0=".utf8) + [0], Array(">0=\0\u{2}ab&a".utf8)] {
      let fixture = try MIMEFixture()
      try fixture.write("magic", head + tail)
      #expect(fixture.database().magicExtent == 0)
    }
    let fixture = try MIMEFixture()
    try fixture.write("magic", "MIME-Magic\n[50:a/x]\n>0=\0\u{2}ab\n")
    #expect(fixture.database().magicExtent == 0)
  }

  @Test func truncatedFileKeepsOnlyCompleteRules() throws {
    let whole = MIMEFixture.magic([
      ("50:a/x", [Rule("abcd"), Rule([1, 2], at: 4, depth: 1, mask: [3, 4], suffix: "~2+9")]), ("40:b/y", [Rule("ef")]),
    ])
    for length in 0..<whole.count {
      var reader = MIMEMagicReader()
      reader.read(Array(whole.prefix(length)))
      let hit = reader.table().firstMatch(in: Array("ef".utf8).span)
      #expect(hit == nil)
    }
  }

  // MARK: Weak rules

  @Test func weakRuleDecidesOnlyWithoutOtherEvidence() throws {
    let fixture = try MIMEFixture()
    try fixture.writeMagic([
      ("90:third/party", [Rule([0xFF])]), ("80:third/masked", [Rule([0xFF, 0xD8], mask: [0xFF, 0x01])]),
      ("50:image/jpeg", [Rule([0xFF, 0xD8])]),
    ])
    .write("globs2", "50:image/jpeg:*.jpg\n50:image/other:*.jpg\n50:image/one:*.one\n")
    .write("subclasses", "third/party image/other\n")
    let database = fixture.database()
    #expect(database.sniff([0xFF, 0xD8, 0xFF]) == .init(type: "image/jpeg", evidence: .content))
    #expect(database.sniff([0xFF, 0x01]) == .init(type: "third/party", evidence: .guess))
    #expect(database.type(ofName: "a.one", bytes: [0xFF, 1]) == .init(type: "image/one", evidence: .name))
    #expect(database.type(ofName: "a.jpg", bytes: [0xFF, 1]) == .init(type: "image/jpeg", evidence: .guess))
  }

  @Test(.timeLimit(.minutes(10)))
  func rulesWithTooMuchWorkMatchNothing() throws {
    let fixture = try MIMEFixture()
    let value = [UInt8](repeating: 0x61, count: 1000) + [0x62]
    try fixture.writeMagic([("50:a/x", (0..<3000).map { _ in Rule(value, suffix: "+60000") })])
    let database = fixture.database()
    let content = [UInt8](repeating: 0x61, count: MIMEDatabase.maximumMagicExtent)
    let time = ContinuousClock().measure { #expect(database.sniff(content).evidence == .guess) }
    #expect(time < .seconds(10))
  }
}
