// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropScenes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ScenePredicateTests {
  @Test(arguments: [
    ("SELF == 'hero/7'", ["hero/7"], ["hero/70", "Hero/7", ""]),
    ("self = \"hero/7\"", ["hero/7"], ["hero"]),
    ("SELF != 'hero/7'", ["hero", ""], ["hero/7"]),
    ("SELF <> 'hero/7'", ["hero"], ["hero/7"]),
    ("SELF BEGINSWITH 'hero/'", ["hero/", "hero/7"], ["Hero/7", "her"]),
    ("SELF ENDSWITH '/7'", ["hero/7", "/7"], ["hero/77", "7"]),
    ("SELF CONTAINS 'ro/'", ["hero/7", "ro/"], ["hero", "r/o"]),
    ("SELF CONTAINS ''", ["", "x"], []),
    ("SELF LIKE 'h?ro/*'", ["hero/", "häro/7"], ["hro/7", "hero"]),
    ("SELF LIKE '*a*b*'", ["ab", "xaxbx"], ["ba", "a"]),
    ("SELF ==[c] 'STRASSE'", ["straße", "Strasse"], ["strase"]),
    ("SELF BEGINSWITH[c] 'HERO'", ["heroes"], ["her"]),
    ("'hero/7/detail' BEGINSWITH SELF", ["hero", "hero/7", ""], ["7"]),
    ("SELF == 'e\u{301}'", ["é"], ["e"]),
    ("TRUEPREDICATE", ["", "x"], []), ("false", [], ["", "x"]),
  ])
  func evaluatesComparisons(text: String, holding: [String], others: [String]) throws {
    let predicate = try ScenePredicate(text)
    #expect((holding + others).filter { predicate.evaluate(with: $0) } == holding)
    #expect(try ScenePredicate(predicate.description) == predicate)
  }

  @Test func appliesOperatorPrecedence() throws {
    for (text, holds) in [
      ("TRUE OR TRUE AND FALSE", true), ("(TRUE OR TRUE) AND FALSE", false), ("NOT FALSE AND TRUE", true),
      ("NOT (FALSE OR TRUE)", false), ("! FALSE && TRUE || FALSE", true), ("not not true", true),
    ] {
      #expect(try ScenePredicate(text).evaluate(with: "x") == holds, "\(text)")
    }
  }

  @Test func insertsArgumentsAsText() throws {
    let nasty = "' OR TRUE \\ \" %@\n"
    let predicate = try ScenePredicate("SELF == %@ OR SELF == %@", nasty, "b")
    #expect([nasty, "b", "c"].map { predicate.evaluate(with: $0) } == [true, true, false])
    #expect(try ScenePredicate(predicate.description) == predicate)
    #expect(ScenePredicate.equal(to: nasty).evaluate(with: nasty))
    #expect(throws: ScenePredicateError.self) { try ScenePredicate("SELF == %@", "a", "b") }
  }

  @Test(arguments: [
    ("", 0, "missing"), ("SELF", 4, "comparison"), ("SELF ==", 7, "missing"), ("SELF == hero", 8, "unknown word"),
    ("SELF == 'hero", 8, "unterminated"), ("SELF == 'a\\q'", 10, "unknown escape"), ("(TRUE", 5, "closing"),
    ("TRUE TRUE", 5, "unexpected"), ("TRUE )", 5, "unexpected"), ("SELF MATCHES '.*'", 5, "MATCHES"),
    ("SELF ==[d] 'x'", 8, "only [c]"), ("SELF ==[ 'x'", 8, "only [c]"), ("SELF ==[] 'x'", 7, "[c]"),
    ("SELF == %@", 8, "missing argument"), ("SELF AND TRUE", 5, "comparison"), ("@", 0, "unexpected"),
    ("name == 'x'", 0, "unknown word"),
  ])
  func reportsPositionOfSyntaxError(text: String, offset: Int, words: String) {
    let error = #expect(throws: ScenePredicateError.self) { try ScenePredicate(text) }
    #expect(error?.offset == offset && error?.reason.contains(words) == true)
  }

  @Test func enforcesDepthAndLengthLimits() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth - 1) + "TRUE" + String(repeating: ")", count: depth - 1)
    }
    #expect(try ScenePredicate(nested(ScenePredicate.maximumDepth)).evaluate(with: ""))
    let text = "SELF == '" + String(repeating: "x", count: ScenePredicate.maximumLength - 10) + "'"
    #expect(try !ScenePredicate(text).evaluate(with: "x"))
    for text in [
      nested(ScenePredicate.maximumDepth + 1), String(repeating: "!", count: 60_000) + "TRUE", text + " ",
    ] {
      #expect(throws: ScenePredicateError.self) { try ScenePredicate(text) }
    }
  }

  @Test func matchesPathologicalPatternsQuickly() throws {
    let predicate = try ScenePredicate("SELF LIKE %@", String(repeating: "*a", count: 200) + "b")
    #expect(!predicate.evaluate(with: String(repeating: "a", count: 2000)))
  }

  @Test func encodesAsTextAndRejectsInvalidText() throws {
    let predicate = try ScenePredicate("NOT (SELF == 'a' OR SELF LIKE[c] 'B*') AND SELF != 'it\\'s'")
    let data = try JSONEncoder().encode([predicate])
    #expect(try JSONDecoder().decode([ScenePredicate].self, from: data) == [predicate])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([ScenePredicate].self, from: Data(#"["x"]"#.utf8)) }
  }

  @Test func randomPredicatesRoundTripAndRandomTextDoesNotTrap() throws {
    var generator = SeededGenerator.announced("ScenePredicateTests")
    let pieces = [
      "SELF", "'a'", "\"b\\\"\"", "==", "!=", "LIKE[c]", "CONTAINS", "AND", "OR", "NOT", "(", ")", "TRUE", "FALSE",
      "%@", "[c]", "\\", "'", " ",
    ]
    var soundCount = 0
    for _ in 0..<5000 {
      let count = Int.random(in: 1...9, using: &generator)
      let text = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }.joined(separator: " ")
      guard let predicate = try? ScenePredicate(text) else { continue }
      soundCount += 1
      if try ScenePredicate(predicate.description) != predicate { Issue.record("\(text)") }
    }
    #expect(soundCount > 50)
  }
}
