// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import HeroCards
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DemoEventsTests {
  private let write: CInt
  private let events: DemoEvents

  init() throws {
    let pipe = try SystemCalls.pipe()
    write = pipe.write
    events = DemoEvents(try ChunkSource(.descriptor(pipe.read)))
  }

  private struct UnexpectedEvent: Error {}

  @Test func eventsArriveInOrderAndOtherLinesAreKeptAsMessages() async throws {
    let item = DemoReport.Item(kind: .hero, name: "Mulan", types: ["public.text"])
    try await DemoEvent.item(item).send(to: ToolEnvironment(output: write))
    try SystemCalls.writeAll(write, Array("dragpipe: no room \u{1B}[2J\n{\"verified\":{\"fav".utf8))
    guard case .item(let first)? = try await events.next(), first.name == "Mulan" else { throw UnexpectedEvent() }
    try SystemCalls.writeAll(write, Array("ourites\":[\"Mulan\"],\"columns\":[]}}\n\n{\"unknown\":{}}\na\nb\n".utf8))
    guard case .verified(["Mulan"], _)? = try await events.next() else { throw UnexpectedEvent() }
    try SystemCalls.close(write)
    #expect(try await events.next() == nil)
    #expect(await events.remarks == [#"no room \u{1b}[2J"#, #"{"unknown":{}}"#, "a"])
    await #expect(throws: DemoEvents.Silence.self) { _ = try await events.expected() }
  }

  @Test func eventAfterThePipeIsClosedIsUndelivered() async throws {
    defer { try? SystemCalls.close(write) }
    await events.close()
    await #expect(throws: OutputClosed.self) {
      try await DemoEvent.verified(favourites: [], columns: []).send(to: ToolEnvironment(output: write))
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DemoDataTests {
  private func sample(_ name: String) throws -> Data {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return try Data(contentsOf: root.appendingPathComponent("Samples/Data/\(name)"))
  }

  @Test func heroesAndCardsOfTheDemoAreThoseOfTheSamples() throws {
    let heroes = try HeroReader.heroes(from: sample("heroes.json"))
    let demo = try HeroReader.heroes(from: DemoData.heroes)
    #expect(demo.count >= 5 && Set(demo).isSubset(of: heroes))
    let counts = [Set(heroes.map(\.name)).count, Set(heroes.map(\.id)).count]
    let areDated = heroes.allSatisfy { $0.modified != nil }
    #expect(heroes.count >= 60 && counts == [heroes.count, heroes.count] && areDated)
    let board = try Board(jsonData: sample("board.json"))
    #expect(try Board(jsonData: DemoData.board).cards.allSatisfy(board.cards.contains))
    #expect(board.columns.count >= 3 && board.columns.allSatisfy { !$0.cards.isEmpty })
  }
}
