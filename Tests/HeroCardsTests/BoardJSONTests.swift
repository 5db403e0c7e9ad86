// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HeroCards
internal import TestSupport
internal import Testing

@Suite("Board files", .serialized, .limited)
struct BoardJSONTests {
  private let board = Board(
    title: "Home/Week", columns: [Column(title: "To do", cards: [Card(content: "Feed \"it\"", column: "x")])])

  @Test("a file is for people to read, sorted, and ends its last line")
  func bytes() throws {
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
    #expect(try board.jsonData() == board.jsonData())
  }

  @Test("what was written is read")
  func roundTrip() throws {
    var plain = board
    plain.columns[0].cards[0].column = nil
    #expect(try Board(jsonData: board.jsonData()) == plain)
    #expect(try Board(jsonData: Data("\u{FEFF}[{\"title\":\"A\"}]".utf8)) == Board(columns: [Column(title: "A")]))
  }

  @Test(
    "what is no board file is an error at its place",
    arguments: [
      ("", HeroCardError.Code.empty, "", 0), (" \n", .empty, "", 2), ("5", .notCards, "", 0),
      (#"{"columns":["#, .truncated, "columns", 12), (#"{"columns":[{"title":"a",}]}"#, .malformed, "columns[0]", 25),
      (#"{"title":"x"}"#, .notCards, "", 0), (#" {"columns":[{"title":5}]}"#, .invalidValue, "columns[0].title", 1),
      (#"{"columns":[]} {}"#, .malformed, "", 15), (#"{"columns":[]} x"#, .malformed, "", 15),
      (#"[{"title":"A","cards":[{"column":"x"}]}]"#, .notCards, "[0].cards[0]", 0),
    ])
  func faults(json: String, code: HeroCardError.Code, path: String, offset: Int64) throws {
    let error = try #require(throws: HeroCardError.self) { try Board(jsonData: Data(json.utf8)) }
    #expect(error.code == code)
    #expect(error.path == path)
    #expect(error.byteOffset == offset)
  }
}
