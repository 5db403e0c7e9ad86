// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import HeroCards

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct CardReaderTests {
  private func cards(_ text: String) throws -> [Card] {
    try CardReader.cards(from: Data(text.utf8))
  }

  private let taken = [
    Card(content: "a", column: "To do"), Card(content: "b", column: "To do"), Card(content: "c", column: "Done"),
  ]

  @Test func readsCardsWithColumnTitlesInEitherKeyOrder() throws {
    let columns = #"""
      [{"title":"To do","cards":[{"content":"a"},{"content":"b","column":"x"}]},{"title":"Empty"},
       {"cards":[{"content":"c"}],"title":"Done"}]
      """#
    #expect(try cards(#"{"title":"T","columns":\#(columns)}"#) == taken)
    #expect(try cards(#"{"columns":\#(columns),"title":"T","x":{"columns":[{}]}}"#) == taken)
    #expect(try cards(#"[{"columns":\#(columns)}]"#) == taken)
    #expect(try cards(columns.replacing(#"{"title":"Empty"}"#, with: #"{"title":"Empty","cards":null}"#)) == taken)
    #expect(try cards(#"{"columns":[]}"#) == [])
    #expect(try cards(#"{"columns":null}"#) == [])
  }

  @Test func readsCardsOfWrittenBoard() throws {
    var board = Board(title: "T")
    for card in taken { board.add(card) }
    #expect(try CardReader.cards(from: board.jsonData()) == board.cards)
    #expect(board.cards == taken)
  }

  @Test func readsCardsFromArrayObjectAndLines() throws {
    let both = [Card(content: "a", column: "A"), Card(content: "b")]
    #expect(try cards(#"[{"content":"a","column":"A"},{"content":"b","column":null}]"#) == both)
    #expect(try cards(#"{"column":"A","content":"a"}"# + "\n" + #"{"content":"b"}"#) == both)
    #expect(try cards(#"{"content":"b","data":{"results":[1]}}"#) == [both[1]])
    #expect(try cards(#"{"title":"A","cards":[{"content":"a"}]}"#) == [both[0]])
    #expect(try cards("[]") == [])
  }

  @Test func readsSequenceOfDifferentShapes() throws {
    let text = #"{"content":"x"}[{"content":"y"},{"title":"T","cards":[{"content":"z"}]}]{"columns":[{"cards":[]}]}"#
    #expect(try cards(text) == [Card(content: "x"), Card(content: "y"), Card(content: "z", column: "T")])
  }

  @Test(arguments: [
    (
      "{}", HeroCardError.Code.notCards,
      #"an object with neither "content", "cards" nor "columns" is not a card (element at byte 0)"#
    ),
    (
      #"[{"content":null}]"#, .notCards,
      #"[0]: an object with neither "content", "cards" nor "columns" is not a card (element at byte 1)"#
    ),
    (
      #"[{"content":"a"},{"content":5}]"#, .invalidValue,
      "[1].content: expected a string, found a number (element at byte 17)"
    ),
    (
      #"{"columns":[{"title":"A"},{}]}"#, .notCards,
      #"columns[1]: an object with neither "title" nor "cards" is not a column (element at byte 26)"#
    ),
    (
      #"{"columns":[{"cards":[{"content":"a"},{"text":"b"}]}]}"#, .notCards,
      #"columns[0].cards[1]: an object without "content" is not a card (element at byte 12)"#
    ),
    (
      #"{"columns":[{"cards":[{"content":[]}]}]}"#, .invalidValue,
      "columns[0].cards[0].content: expected a string, found an array (element at byte 12)"
    ),
    (
      #"[{"columns":[{"title":1}]}]"#, .invalidValue,
      "[0].columns[0].title: expected a string, found a number (element at byte 1)"
    ),
    (#"{"cards":[null]}"#, .invalidValue, "cards[0]: expected an object, found null (element at byte 0)"),
    (#"{"cards":{}}"#, .invalidValue, "cards: expected an array, found an object (element at byte 0)"),
    (#""x""#, .notCards, "expected an object or an array, found a string (at byte 0)"),
    (
      #"{"columns":[{"cards":[{"content":"a",}]}]}"#, .malformed,
      "columns[0].cards[0]: a comma without a key before '}' (at byte 37)"
    ),
    (#"{"columns":[{"cards":[{"#, .truncated, "columns[0].cards[0]: the text is truncated (at byte 23)"),
    (#"{"code":404,"status":"Gone"}"#, .notCards, #"an error response with code 404: "Gone" (element at byte 0)"#),
  ])
  func reportsErrors(text: String, code: HeroCardError.Code, description: String) throws {
    let error = try #require(throws: HeroCardError.self) { try cards(text) }
    #expect(error.code == code)
    #expect(error.description == description)
  }

  @Test func everySplitReadsTheSameCards() {
    let texts = [
      #"{"title":"é","columns":[{"cards":[{"content":"\"]}"},{"content":"🐌"}],"title":"A"},{"title":"B"}],"x":[1]}"#,
      #"[{"content":"a"},{"title":"T","cards":[{"content":"b"}]}] {"content":1}"#,
    ]
    for text in texts {
      let bytes = Data(text.utf8)
      let whole = Outcome<Card>.reading([bytes], with: CardReader())
      #expect(whole.items.count == 2)
      for offset in 0...bytes.count {
        #expect(Outcome.reading(bytes.split(at: offset), with: CardReader()) == whole)
      }
    }
  }

  @Test func memoryIsBoundedForManyColumns() throws {
    var reader = CardReader()
    var count = 0
    var most = 0
    reader.append(Data(#"{"columns":["#.utf8))
    let column = Data(#"{"cards":[{"content":"a"},{"content":"b"}],"title":"T"},"#.utf8)
    for _ in 0..<2000 {
      for chunk in column.split(at: 30) {
        reader.append(chunk)
        while try reader.next() != nil { count += 1 }
        most = max(most, reader.retainedByteCount)
      }
    }
    #expect(count == 4000)
    #expect(most < 100)
  }

  @Test func limitsLargestColumnNotBoard() throws {
    let column = #"{"cards":[{"content":"a"}]}"#
    let board = Data(#"{"columns":[\#(column),\#(column),\#(column)]}"#.utf8)
    #expect(
      try CardReader.cards(from: board, limits: HeroCardLimits(elementBytes: column.utf8.count)).count == 3)
    let error = try #require(throws: HeroCardError.self) {
      try CardReader.cards(from: board, limits: HeroCardLimits(elementBytes: column.utf8.count - 1))
    }
    #expect(error.code == .limitExceeded)
    #expect(error.path == "columns[0]")
  }
}
