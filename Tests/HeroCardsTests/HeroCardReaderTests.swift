// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import HeroCards

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct CardReaderTests {
  private func cards(_ text: String) throws -> [Card] {
    try CardReader.cards(from: Data(text.utf8))
  }

  /// Checks that each text has these cards.
  private func expectCards(
    _ cards: [Card], in texts: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for text in texts { #expect(try self.cards(text) == cards, "\(text)", sourceLocation: sourceLocation) }
  }

  private let taken = [
    Card(content: "a", column: "To do"), Card(content: "b", column: "To do"), Card(content: "c", column: "Done"),
  ]

  @Test func readsCardsWithColumnTitlesInEitherKeyOrder() throws {
    let columns = #"""
      [{"title":"To do","cards":[{"content":"a"},{"content":"b","column":"x"}]},{"title":"Empty"},
       {"cards":[{"content":"c"}],"title":"Done"}]
      """#
    try expectCards(
      taken, in: #"{"title":"T","columns":\#(columns)}"#,
      #"{"columns":\#(columns),"title":"T","x":{"columns":[{}]}}"#, #"[{"columns":\#(columns)}]"#,
      columns.replacing(#"{"title":"Empty"}"#, with: #"{"title":"Empty","cards":null}"#))
    try expectCards([], in: #"{"columns":[]}"#, #"{"columns":null}"#, "[]")
  }

  @Test func readsCardsOfWrittenBoard() throws {
    var board = Board(title: "T")
    for card in taken { board.add(card) }
    #expect(try CardReader.cards(from: board.jsonData()) == taken && board.cards == taken)
  }

  @Test func readsCardsFromArrayObjectAndLines() throws {
    let both = [Card(content: "a", column: "A"), Card(content: "b")]
    try expectCards(
      both, in: #"[{"content":"a","column":"A"},{"content":"b","column":null}]"#,
      #"{"column":"A","content":"a"}"# + "\n" + #"{"content":"b"}"#)
    try expectCards([both[1]], in: #"{"content":"b","data":{"results":[1]}}"#)
    try expectCards([both[0]], in: #"{"title":"A","cards":[{"content":"a"}]}"#)
    let text = #"{"content":"x"}[{"content":"y"},{"title":"T","cards":[{"content":"z"}]}]{"columns":[{"cards":[]}]}"#
    try expectCards([Card(content: "x"), Card(content: "y"), Card(content: "z", column: "T")], in: text)
  }

  @Test func elementWithCardsIsAColumnDespiteContent() throws {
    try expectCards([Card(content: "a", column: "T")], in: #"[{"cards":[{"content":"a"}],"content":"b","title":"T"}]"#)
    try expectCards([], in: #"[{"columns":null,"content":"b"}]"#, #"[{"content":"b","cards":null}]"#)
  }

  @Test func copiesOfReaderDecodeTheirOwnElements() throws {
    var one = CardReader()
    one.append(Data(#"[{"content":"a"}"#.utf8))
    #expect(try one.next() == Card(content: "a"))
    var other = one
    one.append(Data(#",{"content":"b"}"#.utf8))
    other.append(Data(#",{"content":"c"}"#.utf8))
    #expect(try one.next() == Card(content: "b") && other.next() == Card(content: "c"))
  }

  @Test func reportsErrors() throws {
    let noCard = #"an object with neither "content", "cards" nor "columns" is not a card"#
    let errors: KeyValuePairs = [
      "{}": "notCards: \(noCard) (element at byte 0)",
      #"[{"content":null}]"#: "notCards: [0]: \(noCard) (element at byte 1)",
      #"[{"content":"a"},{"content":5}]"#:
        "invalidValue: [1].content: expected a string, found a number (element at byte 17)",
      #"{"columns":[{"title":"A"},{}]}"#:
        #"notCards: columns[1]: an object with neither "title" nor "cards" is not a column (element at byte 26)"#,
      #"{"columns":[{"cards":[{"content":"a"},{"text":"b"}]}]}"#:
        #"notCards: columns[0].cards[1]: an object without "content" is not a card (element at byte 12)"#,
      #"{"columns":[{"cards":[{"content":[]}]}]}"#:
        "invalidValue: columns[0].cards[0].content: expected a string, found an array (element at byte 12)",
      #"[{"columns":[{"title":1}]}]"#:
        "invalidValue: [0].columns[0].title: expected a string, found a number (element at byte 1)",
      #"{"cards":[null]}"#: "invalidValue: cards[0]: expected an object, found null (element at byte 0)",
      #"{"cards":{}}"#: "invalidValue: cards: expected an array, found an object (element at byte 0)",
      #"{"columns":[{"cards":[{"content":"a"},{"content":"b","content":"c"}]}]}"#:
        #"invalidValue: columns[0].cards[1]: duplicate key "content" (at byte 53)"#,
      #""x""#: "notCards: expected an object or an array, found a string (at byte 0)",
      #"{"columns":[{"cards":[{"content":"a",}]}]}"#:
        "malformed: columns[0].cards[0]: a comma without a key before '}' (at byte 37)",
      #"{"columns":[{"cards":[{"#: "truncated: columns[0].cards[0]: the text is truncated (at byte 23)",
      #"{"code":404,"status":"Gone"}"#:
        #"notCards: an error response with code 404: "Gone" (element at byte 0)"#,
    ]
    for (text, description) in errors {
      let error = try #require(throws: HeroCardError.self) { try cards(text) }
      #expect("\(error.code): \(error)" == description, "\(text)")
    }
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
    #expect(count == 4000 && most < 100)
  }

  @Test func limitsLargestColumnNotBoard() throws {
    let column = #"{"cards":[{"content":"a"}]}"#
    let board = Data(#"{"columns":[\#(column),\#(column),\#(column)]}"#.utf8)
    #expect(
      try CardReader.cards(from: board, limits: HeroCardLimits(elementBytes: column.utf8.count)).count == 3)
    let error = try #require(throws: HeroCardError.self) {
      try CardReader.cards(from: board, limits: HeroCardLimits(elementBytes: column.utf8.count - 1))
    }
    #expect(error.code == .limitExceeded && error.path == "columns[0]")
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct HeroReaderTests {
  private func heroes(_ text: String) throws -> [Hero] {
    try HeroReader.heroes(from: Data(text.utf8))
  }

  @Test func readsArrayEnvelopeObjectAndLines() throws {
    let one = try Fixture.json(Fixture.fullHero)
    let two = try Fixture.json(Fixture.hero(2))
    let both = [Fixture.fullHero, Fixture.hero(2)]
    for (text, expected) in [
      ("[\(one),\(two)]", both), (#"{"code":200,"data":{"total":2,"results":[\#(one),\#(two)]}}"#, both),
      (one, [Fixture.fullHero]), ("\u{FEFF}\(one)\n\(two)\n", both), ("[]", []),
    ] {
      #expect(try heroes(text) == expected)
    }
  }

  @Test func reportsErrors() throws {
    let errors: KeyValuePairs = [
      #"{"data":{"results":[{"id":1},{"id":2},{"id":3},{"id":4,"name":5}]}}"#:
        "data.results[3].name: expected a string, found a number (element at byte 47)",
      #"[{"id":"7"}]"#: "[0].id: expected a number, found a string (element at byte 1)",
      #"{"id":1,"comics":{"available":true}}"#:
        "comics.available: expected a number, found true or false (element at byte 0)",
      #"{"id":1,"events":[]}"#: "events: expected an object, found an array (element at byte 0)",
      #"[{"id":1,"urls":[{},{"url":null},"x"]}]"#:
        "[0].urls[2]: expected an object, found a string (element at byte 1)",
      "[null]": "[0]: expected an object, found null (element at byte 1)",
      #"[{"id":1},{"x":1}]"#: #"[1]: an object with neither "id" nor "name" is not a hero (element at byte 10)"#,
      #"{"data":{"results":[{"id":1,"title":"Odyssey (1990)","urls":[]}]}}"#:
        #"data.results[0]: an object with "title" and without "name" is not a hero (element at byte 20)"#,
      #"[{"id":1,"title":"A","name":null}]"#:
        #"[0]: an object with "title" and without "name" is not a hero (element at byte 1)"#,
      #"[{"id":1,"title":{"rendered":"x"}}]"#:
        #"[0]: an object with "title" and without "name" is not a hero (element at byte 1)"#,
      #"[{"id":1,"fullName":"Homer"}]"#:
        #"[0]: an object with "fullName" and without "name" is not a hero (element at byte 1)"#,
      #"[{"series":{"returned":1e99},"id":1}]"#:
        "[0].series.returned: a number with a fraction, or out of range (element at byte 1)",
      #"{"name":"\ud800"}"#: "name: a string that is not Unicode text (element at byte 0)",
      #"{"id":1,"image":"*"}"#: "image: Encountered Data is not valid Base64. (element at byte 0)",
      #"{"id":1,"\ud800":1}"#: "a key that is not Unicode text (element at byte 0)",
      #"[{"id":1},{"id":2,"name":"A","name":"B"}]"#: #"[1]: duplicate key "name" (at byte 29)"#,
      #"{"data":{"results":[{"id":1,"x":[{"\u001b":1,"\u001B":2}]}]}}"#:
        #"data.results[0].x[0]: duplicate key "\u{1B}" (at byte 45)"#,
      #"{"id":1,"comics":{"items":[],"it\u0065ms":[]}}"#: #"comics: duplicate key "items" (at byte 29)"#,
      "": "the text contains no JSON value (at byte 0)",
      #"{"code":409,"status":"Limit \"x\" too high"}"#:
        #"an error response with code 409: "Limit \"x\" too high" (element at byte 0)"#,
      #"{"code":"InvalidKey","message":"No\u001b[2J"}"#:
        #"an error response with code InvalidKey: "No\u{1B}[2J" (element at byte 0)"#,
      #"{"code":500}"#: "an error response with code 500 (element at byte 0)",
      #"{"code":401,"status":"No","data":null}"#: #"an error response with code 401: "No" (element at byte 0)"#,
      #"{"code":401,"status":"No","data":{"results":null}}"#:
        #"an error response with code 401: "No" (element at byte 0)"#,
    ]
    for (text, description) in errors {
      let error = try #require(throws: HeroCardError.self) { try heroes(text) }
      let isExpected = error.code == .notHeroes || !description.contains("an error response")
      #expect(error.description == description && isExpected)
    }
  }

  @Test func readsNamedHeroesWithTitleAndUnnamedHeroesWithout() throws {
    #expect(try heroes(#"[{"id":1,"title":"Dr","name":""},{"id":2,"title":null},{"id":3}]"#).map(\.id) == [1, 2, 3])
  }

  @Test func ignoresResponsesThatReportSuccess() throws {
    let error = try #require(throws: HeroCardError.self) { try heroes(#"{"code":200,"data":{"results":{}}}"#) }
    #expect(error.reason == #"an object with neither "id" nor "name" is not a hero"#)
  }

  @Test func continuesAfterFaultyHero() throws {
    var reader = HeroReader()
    reader.append(Data(#"[{"id":1},{"id":"x"},{"id":3}]"#.utf8))
    reader.finish()
    var ids = [try reader.next()?.id]
    let error = #expect(throws: HeroCardError.self) { try reader.next() }
    ids += [try reader.next()?.id, try reader.next()?.id]
    #expect(error?.path == "[1].id" && ids == [1, 3, nil])
  }

  @Test func acceptsKeysThatAreEqualStringsButDifferentBytes() throws {
    #expect(try heroes(#"[{"id":1,"é":1,"e\u0301":2}]"#).count == 1)
  }

  @Test func decodesHeroesAtMaximumDepth() throws {
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    #expect(try heroes(#"{"id":1,"x":\#(deep)}"#).count == 1)
    let error = try #require(throws: HeroCardError.self) { try heroes(#"{"id":1,"x":[\#(deep)]}"#) }
    #expect(error.code == .limitExceeded)
  }

  @Test func truncatesLongInputInMessages() throws {
    let long = String(repeating: "x", count: 100_000)
    for text in [#"{"code":1,"status":"\#(long)"}"#, #"[{"\#(long)":[}]"#] {
      let error = try #require(throws: HeroCardError.self) { try heroes(text) }
      #expect(error.description.count < 300)
    }
  }

  @Test func shortensPathsOfMoreThanEightStepsInDescriptions() throws {
    let nested = String(repeating: "[", count: 512)
    for (text, path, shown) in [
      (#"[{"id":1,"urls":[{"url":[]}]}]"#, "[0].urls[0].url", "[0].urls[0].url: "),
      (
        #"{"data":{"results":[{"id":1,"comics":{"items":[{"name":5}]}}]}}"#, "data.results[0].comics.items[0].name",
        "data.results[0].comics.items[0].name: "
      ),
      (#"{"x":[[[[[[[}"#, "x[0][0][0][0][0][0]", "x[0][0][0][0][0][0]: "),
      (#"{"x":[[[[[[[[}"#, "x[0][0][0][0][0][0][0]", "x[0][0][0][0][0][0][0]: "),
      (#"{"x":[[[[[[[[[}"#, "x[0][0][0][0][0][0][0][0]", "x[0][0]…[0][0]: "),
      (#"{"x":[\#(nested)"#, "x" + String(repeating: "[0]", count: 510), "x[0][0]…[0][0]: "),
    ] {
      let error = try #require(throws: HeroCardError.self) { try heroes(text) }
      #expect(error.path == path && error.description.hasPrefix(shown), "\(error)")
    }
  }

  // MARK: Chunks over time

  @Test func readsHeroesAndCardsFromChunks() async throws {
    func stream(_ texts: String...) -> AsyncStream<Data> {
      AsyncStream { continuation in
        for text in texts { continuation.yield(Data(text.utf8)) }
        continuation.finish()
      }
    }
    var cards: [Card] = []
    for try await card in CardReader.cards(in: stream(#"[{"content":"a"}"#, #",{"content":"b"}]"#)) {
      cards.append(card)
    }
    #expect(cards == [Card(content: "a"), Card(content: "b")])
    var ids: [Int] = []
    let error = await #expect(throws: HeroCardError.self) {
      for try await hero in HeroReader.heroes(in: stream(#"[{"id":1},{"id""#, #":2},"#)) { ids.append(hero.id) }
    }
    #expect(ids == [1, 2] && error?.code == .truncated && error?.byteOffset == 19)
    let limited = HeroReader.heroes(in: stream(#"[{"id":100000}]"#), limits: HeroCardLimits(elementBytes: 8))
    let limitError = await #expect(throws: HeroCardError.self) { for try await _ in limited {} }
    #expect(limitError?.code == .limitExceeded)
  }
}
