// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

private typealias Rule = MIMECacheContents.Rule

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMEMagicRuleTests {
  /// Returns whether rules of one type match a content.
  private func matches(_ rules: [Rule], _ content: [UInt8]) throws -> Bool {
    let match = try MIMEDatabase.reading(.init(magic: [("a/x", 50, rules)])).sniff(content)
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
    try expect([Rule("abcde", at: 2)], match: ["xxabcde"], notMatch: ["xabcde", "xxabcd"])
    try expect([Rule("abcde", at: 1, positions: 3)], match: ["xxxabcde"], notMatch: ["xxxxabcde"])
    // Four bytes inside a text may be a word of it.
    try expect([Rule("abcd", at: 2)], match: ["xxabcd\u{0}"], notMatch: ["xxabcd"])
    try expect([Rule("aab", at: 0, positions: 9)], match: ["aaab"])
  }

  @Test func maskSelectsTheComparedBits() throws {
    let rule = Rule([0xFF, 0xF1], mask: [0xFF, 0xF0])
    #expect(try [[0xFF, 0xFE], [0xFF, 0xEF]].map { try matches([rule], $0) } == [true, false])
    // Each doubling of its offsets counts as one bit less.
    #expect(try !matches([Rule([0x10, 0xFF], positions: 4, mask: [0xF0, 0xFF])], [0, 0, 0x1A, 0xFF]))
  }

  @Test func wordsAreInTheByteOrderOfTheMachine() throws {
    let value: [UInt8] = [1, 2, 3, 4]
    let two: [UInt8] = 1.littleEndian == 1 ? [2, 1, 4, 3] : value
    let four: [UInt8] = 1.littleEndian == 1 ? [4, 3, 2, 1] : value
    for (wordSize, content) in [(1, value), (2, two), (4, four)] {
      #expect(try matches([Rule(value, wordSize: wordSize)], content), "\(wordSize)")
    }
    let masked = Rule([1, 2, 3, 4], wordSize: 2, mask: [0xF0, 0xFF, 0xFF, 0xFF])
    #expect(try matches([masked], 1.littleEndian == 1 ? [2, 9, 4, 3] : [9, 2, 3, 4]))
  }

  @Test func valuesMayContainAnyByte() throws {
    let value = Array("\n[90:b/y]\n>0=".utf8) + [0, 0xFF]
    #expect(try matches([Rule(value)], value))
  }

  @Test func ruleWithChildrenNeedsAMatchingChild() throws {
    let rules = [
      Rule("PK", [Rule("one", at: 2), Rule("two", at: 2, [Rule("deep", at: 5)])]), Rule("other"),
    ]
    try expect(rules, match: ["PKone", "PKtwodeep", "other"], notMatch: ["PKtwo", "PK", "xxone"])
  }

  @Test func ruleThatComparesNothingMatchesNothing() throws {
    try expect([Rule(""), Rule("many", positions: 0), Rule([0x61], mask: [0])], notMatch: ["anything", "many"])
  }

  @Test(arguments: [(65_534, 1, true), (65_535, 1, false), (0, 65_535, true)])
  func contentAboveTheExtentLimitIsNotExamined(offset: Int, positions: Int, isFound: Bool) throws {
    let database = try MIMEDatabase.reading(.init(magic: [("a/x", 50, [Rule("ab", at: offset, positions: positions)])]))
    #expect(database.magicExtent == MIMEDatabase.maximumMagicExtent)
    let content = [UInt8](repeating: 0, count: 65_534 + (isFound ? 0 : 1)) + Array("ab".utf8)
    #expect((database.sniff(content).type == "a/x") == isFound)
  }

  @Test func priorityThenDirectoryThenOrderDecides() throws {
    let database = try MIMEDatabase.reading(
      .init(magic: [
        ("near/first", 50, [Rule("ab")]), ("near/second", 50, [Rule("ab")]), ("near/low", 40, [Rule("cd")]),
      ]),
      .init(magic: [("far/high", 60, [Rule("ef")]), ("far/same", 50, [Rule("ab")]), ("far/cd", 50, [Rule("cd")])]))
    #expect(["ab", "cd", "ef"].map { database.sniff($0).type } == ["near/first", "far/cd", "far/high"])
  }

  @Test func nearerDirectoryDiscardsFartherRules() throws {
    let database = try MIMEDatabase.reading(
      .init(magic: [("a/x", 50, [Rule("__NOMAGIC__"), Rule("new")])]),
      .init(magic: [("a/x", 90, [Rule("old")]), ("a/y", 50, [Rule("other")])]))
    let types = ["new", "old", "other", "__NOMAGIC__"].map { database.sniff($0).type }
    #expect(types == ["a/x", "text/plain", "a/y", "text/plain"])
  }

  // MARK: Weak rules

  @Test func weakRuleDecidesOnlyWithoutOtherEvidence() throws {
    let database = try MIMEDatabase.reading(
      .init(
        parents: "third/party image/other\n",
        globs: "50:image/jpeg:*.jpg\n50:image/other:*.jpg\n50:image/one:*.one\n",
        magic: [
          ("third/party", 90, [Rule([0xFF])]), ("third/masked", 80, [Rule([0xFF, 0xD8], mask: [0xFF, 0x01])]),
          ("image/jpeg", 50, [Rule([0xFF, 0xD8])]),
        ]))
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
    let slow = (0..<20).map { _ in Rule(value, positions: offsetCount) }
    let database = try MIMEDatabase.reading(.init(magic: [("a/slow", 60, slow), ("a/x", 50, [Rule("aaaa")])]))
    // The search ends before the last rule, which matches.
    let content = [UInt8](repeating: 0x61, count: MIMEDatabase.maximumMagicExtent)
    #expect(database.sniff(content).evidence == evidence)
  }
}
