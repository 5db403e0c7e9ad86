// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import HeroCards
internal import ItemTransfer
internal import UniformTypes

/// The demo that sends heroes and cards through a pipe.
struct HeroDemo: Sendable {
  // MARK: The parent

  func show(_ output: DemoOutput) async throws {
    let report = try await DemoProcesses.with(joinedBy: .pipe) { processes in
      var report = DemoReport(processes: processes.numbers)
      try await output.write(
        """
        source       process \(report.processes.source) offers heroes and cards
        destination  process \(report.processes.destination) receives them through a pipe

        """)
      while !report.verified {
        switch try await processes.events.expected() {
        case .item(let item):
          report.items.append(item)
          try await output.write(item.text)
        case .verified(let favourites, let columns):
          (report.favourites, report.columns, report.verified) = (favourites, columns, true)
        default: break
        }
      }
      return report
    }
    try await output.end(with: report, report.summary)
  }

  // MARK: The source

  func offer(_ environment: ToolEnvironment) async throws {
    let heroes = try HeroReader.heroes(from: DemoData.heroes)
    let cards = try Board(jsonData: DemoData.board).cards
    try await DropStream.withWriter(to: environment.outputEndpoint()) { writer in
      for hero in heroes { try await writer.write(ItemProvider(hero, suggestedName: hero.suggestedName)) }
      for card in cards { try await writer.write(ItemProvider(card)) }
    }
  }

  // MARK: The destination

  func take(_ environment: ToolEnvironment) async throws {
    var favourites = Favourites()
    var board = Board()
    try await DropStream.withReader(from: environment.inputEndpoint()) { items in
      for try await item in items {
        let types = item.contentTypes.map(\.identifier)
        if item.hasRepresentation(conformingTo: .heroCBOR) {
          let hero = try await item.value(as: Hero.self)
          favourites.add(hero)
          try await DemoEvent.item(.init(kind: .hero, name: hero.name, types: types)).send(to: environment)
        } else {
          let card = try await item.value(as: Card.self)
          board.add(card)
          try await DemoEvent.item(.init(kind: .card, name: card.content, types: types)).send(to: environment)
        }
      }
    }
    try await DemoEvent.verified(
      favourites: favourites.map(\.name),
      columns: board.columns.map { .init(title: $0.title, cards: $0.cards.count) }
    ).send(to: environment)
  }
}
