// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeroCards
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Sample and demo data", .serialized, .limited)
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

  @Test("the samples hold at least sixty heroes, each with a name of its own, and a board with cards in columns")
  func samples() throws {
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
