// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import TestSupport
import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ScenePredicateTests {
  @Test func matchesEqualTextOnly() {
    for (predicate, matches) in [
      (ScenePredicate.always, ["", "hero/7", "Hero/7"]), (.never, []), (.equal(to: "hero/7"), ["hero/7"]),
      (.equal(to: ""), [""]),
    ] {
      #expect(["", "hero/7", "Hero/7"].filter { predicate.evaluate(with: $0) } == matches)
    }
    #expect(ScenePredicate.equal(to: "e\u{301}").evaluate(with: "é"))
  }

  @Test(arguments: [
    (ScenePredicate.always, "TRUE"), (.never, "FALSE"), (.equal(to: ""), #"SELF == """#),
    (.equal(to: "hero/7"), #"SELF == "hero/7""#), (.equal(to: "\u{301}'\u{301}"), "SELF == \"\u{301}'\u{301}\""),
    (.equal(to: "\" OR\\n\n\t"), #"SELF == "\" OR\\n\n\t""#),
  ])
  func conditionsRoundTripAsText(_ predicate: ScenePredicate, text: String) throws {
    let data = try JSONEncoder().encode([predicate])
    #expect(try JSONDecoder().decode([String].self, from: data) == [text])
    #expect(try JSONDecoder().decode([ScenePredicate].self, from: data) == [predicate])
  }

  @Test(arguments: [
    "", "true", "NOT TRUE", "SELF", "SELF == ", #"SELF == ""#, #"SELF == "a"#, #"SELF == "a\"#, #"SELF == "a\""#,
    #"SELF == "a" OR SELF == "b""#, #"SELF != "a""#, #"SELF == 'a'"#, #"SELF == "a" "#,
  ])
  func rejectsOtherText(_ text: String) throws {
    let data = try JSONEncoder().encode([text])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([ScenePredicate].self, from: data) }
  }
}
