// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import FoundationEssentials
import HeroCards

/// The sources that write items to standard output.
struct StreamSources: Sendable {
  let task: StreamRole.Task

  private var heroes: [Hero] { HeroFixtures.heroes(task.amount) }
  /// Different cards, at most 1000.
  ///
  /// They are repeated for a larger amount.
  private var cards: [Card] { HeroFixtures.cards(min(task.amount, 1000)) }

  func run(_ role: StreamRole) async throws {
    switch role {
    case .dropHeroSource: try await send(heroes) { ItemProvider($0) }
    case .dropOwnHeroSource: try await send(heroes) { OwnRepresentation.provider(of: $0) }
    case .arraySource:
      let heroes = heroes
      StreamRole.waitForStart(task)
      try PlainPipe.write(JSONEncoder().encode(heroes))
    case .lineSource: try sendLines(heroes, count: heroes.count)
    case .dropCardSource: try await sendCards()
    case .cardLineSource: try sendLines(cards.map(PlainCard.init), count: task.amount)
    default: try sendByHand()
    }
  }

  private func send(_ heroes: [Hero], as provider: @Sendable (Hero) -> ItemProvider) async throws {
    StreamRole.waitForStart(task)
    try await DropStream.withWriter(to: .standardOutput) { writer in
      for hero in heroes { try await writer.write(provider(hero)) }
    }
  }

  private func sendCards() async throws {
    let cards = cards
    StreamRole.waitForStart(task)
    try await DropStream.withWriter(to: .standardOutput) { writer in
      for number in 0..<task.amount {
        try await writer.write(OwnRepresentation.provider(of: cards[number % cards.count]))
      }
    }
  }

  private func sendLines<Value: Encodable>(_ values: [Value], count: Int) throws {
    let encoder = JSONEncoder()
    StreamRole.waitForStart(task)
    var pending = Data()
    for number in 0..<count {
      pending += try encoder.encode(values[number % values.count])
      pending.append(0x0A)
      guard pending.count >= PlainPipe.usualLength else { continue }
      try PlainPipe.write(pending)
      pending.removeAll(keepingCapacity: true)
    }
    try PlainPipe.write(pending)
  }

  private func sendByHand() throws {
    let cards = cards.map(PlainCard.init)
    StreamRole.waitForStart(task)
    try PlainPipe.writeMessages(task.amount) { number, writer in cards[number % cards.count].write(to: &writer) }
  }
}

/// Item providers of heroes and cards with only the native representation.
enum OwnRepresentation {
  static func provider(of card: Card) -> ItemProvider {
    let provider = ItemProvider()
    provider.register(.cardCBOR) { _ in try CBOREncoder().encode(card) }
    return provider
  }

  static func provider(of hero: Hero) -> ItemProvider {
    let provider = ItemProvider()
    provider.register(.heroCBOR) { _ in try CBOREncoder().encode(hero) }
    return provider
  }
}

/// The sources that write bytes to standard output.
struct ByteSources: Sendable {
  let task: StreamRole.Task

  func run(_ role: StreamRole) async throws {
    switch role {
    case .dropFileSource:
      StreamRole.waitForStart(task)
      try await DropStream.withWriter(to: .standardOutput) {
        try await $0.write(ItemProvider(contentsOf: URL(fileURLWithPath: task.path)))
      }
    case .plainFileSource:
      StreamRole.waitForStart(task)
      try PlainPipe.copy(fileAt: task.path, length: task.length)
    case .dropMemorySource: try await sendMemory()
    default:
      StreamRole.waitForStart(task)
      try PlainPipe.writeMemory(task.amount, length: task.length)
    }
  }

  private func sendMemory() async throws {
    let item = ItemProvider(suggestedName: "memory")
    let chunk = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let count = task.amount
    item.registerStream(.data) { _ in RepeatedChunks(chunk: chunk, left: count) }
    StreamRole.waitForStart(task)
    try await DropStream.withWriter(to: .standardOutput) { try await $0.write(item) }
  }
}
