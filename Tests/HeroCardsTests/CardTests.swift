// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HeroCards
internal import TestSupport
internal import Testing

@Suite("Card", .serialized, .limited)
struct CardTests {
  @Test("a column is written only where there is one")
  func encoding() throws {
    #expect(try Fixture.json(Card(content: "a/b")) == #"{"content":"a/b"}"#)
    #expect(try Fixture.json(Card(content: "a", column: "")) == #"{"column":"","content":"a"}"#)
  }

  @Test("a round trip is exact")
  func roundTrip() throws {
    for card in [Card(content: ""), Card(content: "é\n\u{0}", column: "To do"), Card(content: "x", column: "")] {
      #expect(try Fixture.decode(Card.self, Fixture.json(card)) == card)
    }
  }

  @Test("null is no column, and unknown keys are passed over")
  func tolerance() throws {
    #expect(try Fixture.decode(Card.self, #"{"content":"a","column":null,"x":[1]}"#) == Card(content: "a"))
  }

  @Test("an object without content is no card", arguments: ["{}", #"{"content":null}"#, #"{"column":"a"}"#])
  func noCard(json: String) throws {
    let error = try #require(throws: DecodingError.self) { try Fixture.decode(Card.self, json) }
    guard case .keyNotFound(let key, _) = error else {
      Issue.record("expected keyNotFound, got \(error)")
      return
    }
    #expect(key.stringValue == "content")
  }

  @Test(
    "a value of the wrong type is an error at its path",
    arguments: [(#"{"content":1}"#, "content"), (#"{"content":"a","column":{}}"#, "column"), ("[]", "")])
  func wrongTypes(json: String, expected: String) throws {
    let error = try #require(throws: DecodingError.self) { try Fixture.decode(Card.self, json) }
    #expect(path(of: error) == expected)
  }
}
