// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import HeroCards
internal import ItemTransfer
internal import UniformTypes

/// The command `demo`, which sends heroes and cards through a pipe from a source process to a destination process.
struct DemoCommand: ToolCommand {
  static let name = "demo"
  static let summary = "Starts two processes and transfers heroes and cards between them."
  static let forms = ["[--json]"]
  static let options = [
    OptionSpecification(name: "json", short: "j", summary: "write the report as one JSON document")
  ]
  static let notes = """
    JSON has the keys items (each with kind, name and types), favourites, columns (each with title and cards), processes
    and verified.
    """
  static let examples = ["dragpipe demo --json"]

  /// The role of a child process; the raw value is the operand on its command line.
  enum Child: String {
    case source
    case destination
  }

  /// The role of this process, or `nil` for the process that the user started.
  private let child: Child?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    child = arguments.operands.first.flatMap(Child.init)
    guard arguments.operands.count == (child == nil ? 0 : 1) else {
      throw ToolFailure(.usage, "demo takes no operand")
    }
    isJSON = arguments.has("json")
  }

  func run(in environment: ToolEnvironment) async throws {
    if child != nil, environment.inputIsTerminal || environment.outputIsTerminal {
      throw ToolFailure(.usage, "demo takes no operand")
    }
    switch child {
    case nil: try await show(environment)
    case .source: try await offer(environment)
    case .destination: try await take(environment)
    }
  }

  private func show(_ environment: ToolEnvironment) async throws {
    let report = try await DemoProcesses.with { processes in
      var report = DemoReport(processes: processes.numbers)
      func write(_ text: String) async throws {
        if !isJSON { try await environment.write(text) }
      }
      try await write(
        """
        source       process \(report.processes.source) offers heroes and cards
        destination  process \(report.processes.destination) receives them through a pipe

        """)
      while !report.verified {
        switch try await processes.events.expected() {
        case .item(let item):
          report.items.append(item)
          try await write(item.text)
        case .verified(let favourites, let columns):
          (report.favourites, report.columns, report.verified) = (favourites, columns, true)
        }
      }
      return report
    }
    try await environment.write(isJSON ? try JSONOutput().text(report) + "\n" : report.summary)
  }

  private func offer(_ environment: ToolEnvironment) async throws {
    let heroes = try HeroReader.heroes(from: DemoData.heroes)
    let cards = try Board(jsonData: DemoData.board).cards
    try await DropStream.withWriter(to: environment.outputEndpoint()) { writer in
      for hero in heroes { try await writer.write(ItemProvider(hero, suggestedName: hero.suggestedName)) }
      for card in cards { try await writer.write(ItemProvider(card)) }
    }
  }

  private func take(_ environment: ToolEnvironment) async throws {
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

/// The report of a transfer of heroes and cards.
struct DemoReport: Encodable, Sendable {
  struct Item: Codable, Sendable {
    let kind: ItemKind
    let name: String
    /// The offered types, best first.
    let types: [String]

    /// The lines that the text output shows for the item.
    var text: String {
      let title = "\(kind.rawValue)  \(name)".escapedForDisplay(limit: 70)
      return "  \(title)\n        as \(types.map { $0.escapedForDisplay() }.joined(separator: ", "))\n"
    }
  }

  struct Column: Codable, Sendable {
    let title: String
    /// The number of cards.
    let cards: Int
  }

  let processes: DemoProcesses.Numbers
  /// The received items, in the order of arrival.
  var items: [Item] = []
  var favourites: [String] = []
  var columns: [Column] = []
  var verified = false

  /// The text that follows the lines of the items.
  var summary: String {
    let columns = columns.map { "\($0.title) (\($0.cards))" }.joined(separator: ", ")
    return """
      complete and verified
      favourites   \(favourites.joined(separator: ", "))
      columns      \(columns)

      """
  }
}
