// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import HeroCards
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

/// Shows a hand-over: starts a source process and a destination process, joined by a pipe.
struct DemoCommand: ToolCommand {
  static let name = "demo"
  static let summary = "Starts two processes and lets heroes and cards cross from one to the other."
  static let forms = [""]

  /// Which of the three processes this is; the two children are told by an operand.
  private enum Role: String {
    case parent
    case source
    case destination
  }

  private let role: Role

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.count <= 1, let role = Role(rawValue: arguments.operands.first ?? Role.parent.rawValue)
    else { throw ToolFailure(.usage, "demo takes no operand") }
    self.role = role
  }

  func run(in environment: ToolEnvironment) async throws {
    switch role {
    case .parent: try await join(environment)
    case .source: try await offer(environment)
    case .destination: try await take(environment)
    }
  }

  // MARK: The parent

  private func join(_ environment: ToolEnvironment) async throws {
    let report = try SystemCalls.pipe()
    let lines = try ChunkSource(.descriptor(report.read))
    let (source, destination) = try await start(reportingTo: report.write)
    do {
      try await withTaskCancellationHandler {
        try await environment.write(
          """
          source       process \(source.processIdentifier) offers heroes and cards
          destination  process \(destination.processIdentifier) takes them out of a pipe

          """)
        while let chunk = try await lines.next() { try await environment.write(chunk) }
      } onCancel: {
        source.terminate()
        destination.terminate()
      }
    } catch {
      source.terminate()
      destination.terminate()
      _ = await (source.waitForEnd(), destination.waitForEnd())
      throw error
    }
    let endings = await (source.waitForEnd(), destination.waitForEnd())
    guard endings.0.exitCode == 0, endings.1.exitCode == 0 else {
      throw ToolFailure(.failure, "the source ended with \(endings.0), the destination with \(endings.1)")
    }
  }

  /// Starts both children, and closes our copies of the ends they use: else nobody would ever see an end.
  private func start(reportingTo report: CInt) async throws -> (source: ChildProcess, destination: ChildProcess) {
    defer { try? SystemCalls.close(report) }
    let drop = try SystemCalls.pipe()
    defer { for end in [drop.read, drop.write] { try? SystemCalls.close(end) } }
    let destination = try ChildProcess(Self.ownPath, ["demo", "destination"], input: drop.read, output: report)
    do throws(SystemError) {
      return (try ChildProcess(Self.ownPath, ["demo", "source"], output: drop.write), destination)
    } catch {
      destination.terminate()
      _ = await destination.waitForEnd()
      throw error
    }
  }

  private static let ownPath = "/proc/self/exe"

  // MARK: The source

  private func offer(_ environment: ToolEnvironment) async throws {
    let heroes = try HeroReader.heroes(from: DemoData.heroes)
    let cards = try Board(jsonData: DemoData.board).cards
    try await DropStream.withWriter(to: environment.outputEndpoint()) { writer in
      for hero in heroes { try await writer.write(ItemProvider(hero, suggestedName: hero.suggestedFileName)) }
      for card in cards { try await writer.write(ItemProvider(card)) }
    }
  }

  // MARK: The destination

  private func take(_ environment: ToolEnvironment) async throws {
    var favourites = Favourites()
    var board = Board()
    try await DropStream.withReader(from: environment.inputEndpoint()) { items in
      for try await item in items {
        let what: String
        if item.hasRepresentation(conformingTo: .heroCBOR) {
          let hero = try await item.value(as: Hero.self)
          favourites.add(hero)
          what = "hero  \(hero.name)"
        } else {
          let card = try await item.value(as: Card.self)
          board.add(card)
          what = "card  \(card.content)"
        }
        let types = item.contentTypes.map(\.identifier).joined(separator: ", ")
        try await environment.write("  \(what.escapedForDisplay(limit: 70))\n        as \(types)\n")
      }
    }
    let columns = board.columns.map { "\($0.title) (\($0.cards.count))" }.joined(separator: ", ")
    try await environment.write(
      """
      whole and verified
      favourites   \(favourites.map(\.name).joined(separator: ", "))
      columns      \(columns)

      """)
  }
}
