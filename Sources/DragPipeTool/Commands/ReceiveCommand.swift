// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import HeroCards
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

/// Takes a drop stream from standard input.
struct ReceiveCommand: ToolCommand {
  static let name = "receive"
  static let summary = "Takes items from standard input, into a directory or a file of heroes or cards."
  static let forms = ["[--hidden] DIR", "--as hero --into FILE", "--as card --into FILE [--column TITLE]"]
  static let options = [
    OptionSpecification(name: "as", value: "hero|card", summary: "take only such items, and add them to a file"),
    OptionSpecification(name: "into", value: "FILE", summary: "the file they are added to; - writes them out"),
    OptionSpecification(name: "column", value: "TITLE", summary: "the column cards go to, whatever they say"),
    OptionSpecification(name: "hidden", summary: "accept names that start with a period"),
    OptionSpecification(name: "timeout", value: "SECONDS", summary: "give up when nothing moves for so long"),
  ]
  static let operand = ArgumentCompletion.directory
  static let notes = """
    Nothing is kept before the end of the stream has come and is verified. DIR must be there, unless it is written
    with a slash at its end; nothing in it is ever replaced. FILE is written anew in the tool's own form: heroes as an
    array, sorted, once each by name; what it holds beside heroes or cards is not kept.
    """

  private enum Destination {
    case folder(String)
    case heroes(file: String)
    case cards(file: String, column: String?)
  }

  private let destination: Destination
  private let allowsHiddenNames: Bool
  private var options = DropStreamOptions()

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    allowsHiddenNames = arguments.has("hidden")
    options.idleTimeout = try Self.timeout(try arguments.value("timeout"))
    let column = try arguments.value("column")
    switch (try ItemKind(option: try arguments.value("as")), try arguments.value("into"), arguments.operands.count) {
    case (nil, nil, 1) where column == nil: destination = .folder(arguments.operands[0])
    case (.hero, let file?, 0) where column == nil: destination = .heroes(file: file)
    case (.card, let file?, 0): destination = .cards(file: file, column: column)
    case (nil, nil, 0): throw ToolFailure(.usage, "nowhere to put the items; name a directory, or use --as and --into")
    default: throw ToolFailure(.usage, "receive takes one directory, or --as and --into; --column goes with cards")
    }
  }

  private static func timeout(_ value: String?) throws(ToolFailure) -> Duration? {
    guard let value else { return nil }
    guard let seconds = Double(value), (0.001...1_000_000).contains(seconds) else {
      throw ToolFailure(.usage, "--timeout wants a number of seconds, from 0.001 to 1000000")
    }
    return .seconds(seconds)
  }

  func run(in environment: ToolEnvironment) async throws {
    guard !environment.inputIsTerminal else {
      throw ToolFailure(.usage, "standard input is a terminal; try: dragpipe send FILE… | dragpipe receive …")
    }
    switch destination {
    case .folder(let path): try await receiveFiles(in: path, environment)
    case .heroes(let file): try await receiveHeroes(into: file, environment)
    case .cards(let file, let column): try await receiveCards(into: file, column: column, environment)
    }
  }

  private func receiveFiles(in path: String, _ environment: ToolEnvironment) async throws {
    var folder = DropFolder(path: path)
    folder.allowsHiddenNames = allowsHiddenNames
    folder.isCreatedWhenMissing = path.hasSuffix("/")
    let receipt = try await folder.receive(from: environment.inputEndpoint(), options: options)
    let bytes = receipt.files.reduce(0) { $0 + $1.byteCount }
    summarize("\(ToolHelp.count(receipt.files.count, "file")), \(ToolHelp.count(bytes, "byte"))", environment)
    guard let first = receipt.missing.first else { return }
    let others = receipt.missing.count > 1 ? " and \(receipt.missing.count - 1) more" : ""
    let reason = first.failure.reason.isEmpty ? "" : ": \(first.failure.reason)"
    throw ToolFailure(
      .partial, "the sender could not make \(first.name)\(others)\(reason)".escapedForDisplay(limit: 400))
  }

  private func receiveHeroes(into file: String, _ environment: ToolEnvironment) async throws {
    // A favourites list holds a hero once however often it is dropped: so does memory. Sorting is for the end.
    var heroes: [Hero] = []
    var names: Set<String> = []
    try await forEach(Hero.self, as: [.heroCBOR, .hero], environment) { hero in
      if names.insert(hero.name).inserted { heroes.append(hero) }
    }
    let dropped = Favourites(heroes)
    if file == "-" {
      var writer = HeroWriter()
      for hero in dropped { try writer.append(hero) }
      writer.finish()
      try await environment.write(json: writer.takeBytes())
    } else {
      let added = try await ListFile(path: file).addFavourites(dropped)
      summarize("\(added) new of \(dropped.count == 1 ? "1 hero" : "\(dropped.count) heroes")", environment)
    }
  }

  private func receiveCards(into file: String, column: String?, _ environment: ToolEnvironment) async throws {
    var dropped: [Card] = []
    try await forEach(Card.self, as: [.cardCBOR, .card], environment) { dropped.append($0) }
    if file == "-" {
      var board = Board()
      board.add(contentsOf: dropped, toColumn: column)
      try await environment.write(json: try board.jsonData())
    } else {
      try await ListFile(path: file).addCards(dropped, toColumn: column)
      summarize(ToolHelp.count(dropped.count, "card"), environment)
    }
  }

  /// Walks the stream to its verified end; nothing may be kept before this has returned.
  ///
  /// Each item must come as one of `types`, the last of which is what people know it by.
  private func forEach<Item: Transferable>(
    _ kind: Item.Type, as types: [UTType], _ environment: ToolEnvironment, _ body: (Item) -> Void
  ) async throws {
    try await DropStream.withReader(from: environment.inputEndpoint(), options: options) { items in
      var count = 0
      for try await item in items {
        count += 1
        guard types.contains(where: { item.hasRepresentation(conformingTo: $0) }) else {
          let offered = item.contentTypes.map { $0.identifier.escapedForDisplay() }.joined(separator: ", ")
          throw ToolFailure(
            .noAcceptableType, "item \(count) is no \(types[types.count - 1]): it is offered as \(offered)")
        }
        do {
          body(try await item.value(as: kind))
        } catch {
          let failure = ToolFailure(error)
          throw ToolFailure(failure.exitCode, "item \(count): \(failure.message)")
        }
      }
    }
  }

  private func summarize(_ what: String, _ environment: ToolEnvironment) {
    if environment.errorsAreTerminal { environment.note("\(what), whole and verified") }
  }
}
