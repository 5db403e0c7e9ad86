// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials
import HeroCards

/// The readers and writers of heroes and cards as JSON, compared with Foundation's coders and Python packages.
struct JSONCases: Sendable {
  let workload: Workload

  var cases: [LocalCase] {
    let (heroCount, cardCount) = (workload.heroCount, workload.cardCount)
    let heroes: @Sendable () -> [Hero] = { HeroFixtures.heroes(heroCount) }
    let cards: @Sendable () -> [Card] = { HeroFixtures.cards(cardCount) }
    return [
      Self.reading("heroes from JSON", heroCount, .heroes, least: 6, heroes) { try HeroReader.heroes(from: $0) },
      Self.writing("heroes to JSON", heroCount, .heroes, least: 8, heroes),
      Self.reading("cards from JSON", cardCount, .cards, least: 4, cards) { try CardReader.cards(from: $0) },
      Self.writing("cards to JSON", cardCount, .cards, least: 2.5, cards),
    ]
  }

  private static func reading<Value: Codable & Sendable>(
    _ name: String, _ count: Int, _ python: PythonWork.Values, least: Double,
    _ values: @escaping @Sendable () -> [Value], _ read: @escaping @Sendable (Data) throws -> [Value]
  ) -> LocalCase {
    benchmark(name, "reader", count, PythonWork(values: python, direction: .decode), least: least) {
      let text = try written(values())
      return LocalCase.Work(rounds: [
        { keep(try read(text)) },
        { keep(try JSONDecoder().decode([Value].self, from: text)) },
      ])
    }
  }

  private static func writing<Value: Codable & Sendable>(
    _ name: String, _ count: Int, _ python: PythonWork.Values, least: Double,
    _ values: @escaping @Sendable () -> [Value]
  ) -> LocalCase {
    benchmark(name, "writer", count, PythonWork(values: python, direction: .encode), least: least) {
      let values = values()
      return LocalCase.Work(rounds: [
        { keep(try written(values)) },
        { keep(try JSONEncoder().encode(values)) },
      ])
    }
  }

  private static func benchmark(
    _ name: String, _ contender: String, _ count: Int, _ python: PythonWork, least: Double,
    prepare: @escaping @Sendable () async throws -> LocalCase.Work
  ) -> LocalCase {
    LocalCase(
      suite: .coding, name: name, unit: .items, amount: count,
      contenders: [Contender("dragpipe \(contender)", .ours), Contender(CodingSuite.json, .peer)],
      goals: [.ratio(to: CodingSuite.json, atLeast: least)], python: python, prepare: prepare)
  }

  private static func written<Value: Codable>(_ values: [Value]) throws -> Data {
    var writer = HeroCardWriter<Value>()
    for value in values { try writer.append(value) }
    writer.finish()
    return writer.takeBytes()
  }
}
