// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import HeroCards
internal import ItemTransfer
internal import UniformTypes

/// Shows a hand-over: starts a source process and a destination process, joined by a pipe.
struct DemoCommand: ToolCommand {
  static let name = "demo"
  static let summary = "Starts two processes and lets heroes and cards cross from one to the other."
  static let forms = [""]
  static let options: [OptionSpecification] = []
  static let notes = ""

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
    let drop = try SystemCalls.pipe()
    let report = try SystemCalls.pipe()
    let source: ChildProcess
    let destination: ChildProcess
    do {
      // Whatever fails, our copies of the ends that the children use are closed: else nobody would ever see an end.
      let ends = [OwnedDescriptorBox(drop.read), OwnedDescriptorBox(drop.write), OwnedDescriptorBox(report.write)]
      defer { withExtendedLifetime(ends) {} }
      source = try ChildProcess(Self.ownPath, ["demo", "source"], output: drop.write)
      destination = try ChildProcess(Self.ownPath, ["demo", "destination"], input: drop.read, output: report.write)
    } catch {
      try? SystemCalls.close(report.read)
      throw error
    }
    try await environment.write(
      """
      source       process \(source.processIdentifier) offers heroes and cards
      destination  process \(destination.processIdentifier) takes them out of a pipe

      """)

    let lines = try ChunkSource(.descriptor(report.read))
    try await withTaskCancellationHandler {
      while let chunk = try await lines.next() { try await environment.write(chunk) }
    } onCancel: {
      source.terminate()
      destination.terminate()
    }
    let sourceEnding = await source.waitForEnd()
    let destinationEnding = await destination.waitForEnd()
    guard sourceEnding.exitCode == 0, destinationEnding.exitCode == 0 else {
      throw ToolFailure(.failure, "the source ended with \(sourceEnding), the destination with \(destinationEnding)")
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
        if item.hasRepresentation(conformingTo: .hero) {
          let hero = try await item.value(as: Hero.self)
          favourites.add(hero)
          what = "hero  \(hero.name)"
        } else {
          let card = try await item.value(as: Card.self)
          board.add(card)
          what = "card  \(card.content)"
        }
        let types = item.contentTypes.map(\.identifier).joined(separator: ", ")
        try await environment.write("  \(ToolHelp.pad(what.escapedForDisplay(limit: 60), to: 62)) as \(types)\n")
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

/// Closes a descriptor when the scope that made it ends; an array cannot hold the noncopyable owner itself.
private final class OwnedDescriptorBox {
  private let owned: OwnedDescriptor

  init(_ raw: CInt) {
    owned = OwnedDescriptor(raw)
  }
}
