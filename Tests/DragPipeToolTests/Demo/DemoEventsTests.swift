// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import HeroCards
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Events of the demo's processes", .serialized, .limited, .timeLimit(.minutes(5)))
struct DemoEventsTests {
  private let write: CInt
  private let events: DemoEvents

  init() throws {
    let pipe = try SystemCalls.pipe()
    write = pipe.write
    events = DemoEvents(try ChunkSource(.descriptor(pipe.read)))
  }

  private func type(_ text: String) throws {
    try Data(text.utf8).withUnsafeBytes { bytes in try SystemCalls.writeAll(write, bytes) }
  }

  @Test("events arrive in order, however the bytes are split; other lines are kept as messages, escaped")
  func eventsArriveInOrder() async throws {
    try await DemoEvent.moved(bytes: 5).send(to: ToolEnvironment(output: write))
    try type("dragpipe: no room \u{1B}[2J\n{\"completed\":{\"byt")
    guard case .moved(5)? = try await events.next() else {
      Issue.record("unexpected event")
      return
    }
    try type("es\":7,\"seconds\":0.5}}\n\n{\"unknown\":{}}\na\nb\n")
    guard case .completed(7, 0.5)? = try await events.next() else {
      Issue.record("unexpected event")
      return
    }
    try SystemCalls.close(write)
    #expect(try await events.next() == nil)
    #expect(await events.remarks == [#"no room \u{1b}[2J"#, #"{"unknown":{}}"#, "a"])
    await #expect(throws: DemoEvents.Silence.self) { _ = try await events.expected() }
  }

  @Test("an event after the pipe is closed cannot be delivered")
  func eventAfterCloseIsUndelivered() async throws {
    defer { try? SystemCalls.close(write) }
    await events.close()
    await #expect(throws: OutputClosed.self) {
      try await DemoEvent.moved(bytes: 1).send(to: ToolEnvironment(output: write))
    }
  }
}

@Suite("Sample and demo data", .serialized, .limited, .timeLimit(.minutes(5)))
struct DemoDataTests {
  private func sample(_ name: String) throws -> Data {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: root.appendingPathComponent("Samples/Data/\(name)"))
  }

  @Test("the demo's heroes and cards are those of the samples")
  func demoIsOfTheSamples() throws {
    let heroes = try HeroReader.heroes(from: sample("heroes.json"))
    let demo = try HeroReader.heroes(from: DemoData.heroes)
    #expect(demo.count >= 5)
    for hero in demo { #expect(heroes.contains(hero)) }

    let cards = try Board(jsonData: sample("board.json")).cards
    for card in try Board(jsonData: DemoData.board).cards { #expect(cards.contains(card)) }
  }

  @Test("the samples have at least sixty heroes with unique names, and a board with cards in columns")
  func samplesHaveUniqueHeroesAndABoard() throws {
    let heroes = try HeroReader.heroes(from: sample("heroes.json"))
    #expect(heroes.count >= 60)
    #expect(Set(heroes.map(\.name)).count == heroes.count)
    #expect(Set(heroes.map(\.id)).count == heroes.count)
    #expect(!heroes.contains { $0.modified == nil })
    let board = try Board(jsonData: sample("board.json"))
    #expect(board.columns.count >= 3)
    #expect(board.columns.allSatisfy { !$0.cards.isEmpty })
  }
}
