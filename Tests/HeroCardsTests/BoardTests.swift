// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HeroCards
internal import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct BoardTests {
  private let board = Board(
    title: "Week",
    columns: [
      Column(title: "To do", cards: [Card(content: "Feed the cat"), Card(content: "Write home")]),
      Column(title: "Done"),
    ])

  @Test func roundTripsWithAndWithoutTitle() throws {
    for board in [board, Board(), Board(columns: [Column(title: "")])] {
      #expect(try Fixture.decode(Board.self, Fixture.json(board)) == board)
    }
    #expect(try Fixture.json(Board()) == #"{"columns":[]}"#)
  }

  @Test func encodesCardsWithoutTheirColumn() throws {
    let column = Column(title: "A", cards: [Card(content: "a", column: "B")])
    #expect(try Fixture.json(column) == #"{"cards":[{"content":"a"}],"title":"A"}"#)
    let read = try Fixture.decode(Column.self, #"{"title":"A","cards":[{"content":"a","column":"B"}]}"#)
    #expect(read.cards == [Card(content: "a")])
  }

  @Test func decodesBareArraysMissingKeysAndNull() throws {
    let json = #"{"title":null,"x":1,"columns":[{"title":"A","cards":null},{"cards":[]},{"title":null,"cards":[]}]}"#
    for (json, titles) in [
      (#"[{"title":"A"}]"#, ["A"]), ("[]", []), (json, ["A", "", ""]), (#"{"columns":null}"#, []),
    ] as [(String, [String])] {
      #expect(try Fixture.decode(Board.self, json) == Board(columns: titles.map { Column(title: $0) }))
    }
  }

  @Test func reportsPathOfInvalidBoard() throws {
    try Fixture.expectErrors(
      Board.self,
      [
        "{}": "columns", #"{"title":"x"}"#: "columns", #"{"columns":[{}]}"#: "columns[0].cards", "5": "",
        #"{"columns":[{"cards":[{"content":"a"},{}]}]}"#: "columns[0].cards[1].content", "[[]]": "[0]",
        #"[{"title":1}]"#: "[0].title", #"{"columns":{}}"#: "columns", #"{"title":[],"columns":[]}"#: "title",
        #"{"columns":[{"cards":[null]}]}"#: "columns[0].cards[0]",
      ])
  }

  @Test func cardsAreInOrderWithTheirColumnTitles() {
    var board = board
    board.columns[1].cards = [Card(content: "Sleep", column: "elsewhere")]
    #expect(
      board.cards == [
        Card(content: "Feed the cat", column: "To do"), Card(content: "Write home", column: "To do"),
        Card(content: "Sleep", column: "Done"),
      ])
  }

  // MARK: Adding cards

  @Test func addPrefersNamedColumnThenOwnColumnThenFirst() {
    var board = board
    board.add(Card(content: "named", column: "To do"), toColumn: "Done")
    board.add(Card(content: "own", column: "Done"))
    board.add(Card(content: "first"))
    let cards = [["Feed the cat", "Write home", "first"], ["named", "own"]].map { $0.map { Card(content: $0) } }
    #expect(board.columns.map(\.cards) == cards)
    // The first of the columns with the same title.
    board = Board(columns: [Column(title: "A"), Column(title: "B"), Column(title: "B")])
    board.add(Card(content: "a"), toColumn: "B")
    #expect(board.columns.map(\.cards.count) == [0, 1, 0])
  }

  @Test func addCreatesMissingColumnOnTheRight() {
    var board = board
    board.add(Card(content: "a"), toColumn: "Later")
    board.add(Card(content: "b", column: "Never"))
    board.add(Card(content: "c", column: "Later"))
    let added = [
      Column(title: "Later", cards: [Card(content: "a"), Card(content: "c")]),
      Column(title: "Never", cards: [Card(content: "b")]),
    ]
    #expect(board.columns == self.board.columns + added)
    for (card, title) in [(Card(content: "a"), "Cards"), (Card(content: "a", column: "B"), "B")] {
      var board = Board()
      board.add(card)
      #expect(board.columns == [Column(title: title, cards: [Card(content: "a")])])
    }
  }

  // MARK: Cards

  @Test func cardsRoundTrip() throws {
    let texts = try [Card(content: "a/b"), Card(content: "a", column: "")].map { try Fixture.json($0) }
    #expect(texts == [#"{"content":"a/b"}"#, #"{"column":"","content":"a"}"#])
    for card in [Card(content: ""), Card(content: "é\n\u{0}", column: "To do"), Card(content: "x", column: "")] {
      #expect(try Fixture.decode(Card.self, Fixture.json(card)) == card)
    }
    #expect(try Fixture.decode(Card.self, #"{"content":"a","column":null,"x":[1]}"#) == Card(content: "a"))
  }

  @Test func reportsPathOfInvalidCard() throws {
    try Fixture.expectErrors(
      Card.self, ["{}": "content", #"{"content":null}"#: "content", #"{"column":"a"}"#: "content"], isMissing: true)
    try Fixture.expectErrors(
      Card.self, [#"{"content":1}"#: "content", #"{"content":"a","column":{}}"#: "column", "[]": ""])
  }

  // MARK: Files

  @Test func fileIsIndentedSortedJSONWithFinalNewline() throws {
    var board = Board(
      title: "Home/Week", columns: [Column(title: "To do", cards: [Card(content: "Feed \"it\"", column: "x")])])
    let text = """
      {
        "columns" : [
          {
            "cards" : [
              {
                "content" : "Feed \\"it\\""
              }
            ],
            "title" : "To do"
          }
        ],
        "title" : "Home/Week"
      }

      """
    #expect(String(decoding: try board.jsonData(), as: UTF8.self) == text)
    board.columns[0].cards[0].column = nil
    #expect(try Board(jsonData: board.jsonData()) == board)
    #expect(try Board(jsonData: Data("\u{FEFF}[{\"title\":\"A\"}]".utf8)) == Board(columns: [Column(title: "A")]))
  }

  @Test func reportsPathOfInvalidBoardFile() throws {
    let rows: [(json: String, code: HeroCardError.Code, path: String, offset: Int64)] = [
      ("", .empty, "", 0), (" \n", .empty, "", 2), ("5", .notCards, "", 0),
      (#"{"columns":["#, .truncated, "columns", 12), (#"{"columns":[{"title":"a",}]}"#, .malformed, "columns[0]", 25),
      (#"{"title":"x"}"#, .notCards, "", 0), (#" {"columns":[{"title":5}]}"#, .invalidValue, "columns[0].title", 1),
      (#"{"columns":[]} {}"#, .malformed, "", 15), (#"{"columns":[]} x"#, .malformed, "", 15),
      (#"[{"title":"A","cards":[{"column":"x"}]}]"#, .notCards, "[0].cards[0]", 0),
    ]
    for row in rows {
      let error = try #require(throws: HeroCardError.self) { try Board(jsonData: Data(row.json.utf8)) }
      #expect((error.code, error.path, error.byteOffset) == (row.code, row.path, row.offset), "\(row.json)")
    }
  }
}
