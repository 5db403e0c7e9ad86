// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import HeroCards
internal import ItemTransfer
internal import UniformTypes

/// What a command line offers.
struct OfferedItems: Sendable {
  /// An item, and the file that it is, where it is one.
  struct Item: Sendable {
    let provider: ItemProvider
    var file: OfferedFile?
    var byteCount: UInt64? { file?.byteCount }
  }

  private let files: [String]
  private let list: NameList?
  private let kind: ItemKind?
  private let suggestedName: String?
  private let representations: [OfferedRepresentation]

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    files = arguments.operands
    kind = try ItemKind(option: try arguments.value("as"))
    suggestedName = try arguments.value("name")
    list = try NameList(arguments)
    representations = try OfferedRepresentation.all(arguments)
    if !representations.isEmpty, !files.isEmpty || kind != nil || list != nil {
      throw ToolFailure(.usage, "--type, --lazy and --alias make one item; files beside it would be items of their own")
    }
    guard !files.isEmpty || list != nil || !representations.isEmpty else {
      throw ToolFailure(.usage, "nothing to send; name a file, or - for standard input")
    }
    if suggestedName != nil, representations.isEmpty, files.count != 1 || kind != nil || list != nil {
      throw ToolFailure(.usage, "--name wants exactly one item")
    }
    let readers = files.count { $0 == "-" } + representations.count { $0.path == "-" } + (list?.path == "-" ? 1 : 0)
    guard readers <= 1 else { throw ToolFailure(.usage, "standard input can be read once only") }
  }

  /// Every file that is read, as far as that is known beforehand.
  private var paths: [String] { (files + representations.compactMap(\.path)).filter { $0 != "-" } }

  private var readsInput: Bool {
    files.contains("-") || representations.contains { $0.path == "-" } || list?.path == "-"
  }

  /// Refuses to write a stream over one of the files that it is made of, and to take the receiver's answers for items.
  func check(against endpoint: EndpointArgument, _ context: OfferContext) throws(ToolFailure) {
    if readsInput, endpoint.occupies(context.environment.input) {
      throw ToolFailure(.usage, "standard input is where the receiver answers; it has no items")
    }
    if let target = context.target, let path = paths.first(where: target.isFile) {
      throw ToolFailure(.usage, "\(path.escapedForDisplay()) would be read and written at once")
    }
  }

  /// Returns the files that are to be sent, after a look at the name of each.
  ///
  /// - Parameters:
  ///   - context: Where a list comes from.
  ///   - leftOut: Gets each name that no receiver takes, and the file is left out; `nil` throws the first.
  /// - Returns: The files, those of the command line first.
  /// - Throws: `unsafeName`; what is wrong with a list; `CancellationError`.
  func names(
    _ context: OfferContext, leftOut: (@Sendable (DropStreamError) -> Void)? = nil
  ) async throws -> [OfferedName] {
    let all = try await allNames(context)
    return try await runInterruptibly { interruption in
      let isCancelled = { interruption.isRaised }
      try checkRepresentations(keepsGoing: leftOut != nil, isCancelled: isCancelled)
      return try all.filter { name in
        // The names of heroes and cards come from their content, so a file of them may have any name that can be opened.
        let refusal =
          kind == nil ? name.refusal(suggestedName: suggestedName, isCancelled: isCancelled) : name.undecodable
        if isCancelled() { throw CancellationError() }
        guard let refusal else { return true }
        guard let leftOut else { throw refusal }
        leftOut(refusal)
        return false
      }
    }
  }

  /// Checks the files of the one item that `--type` makes.
  ///
  /// - Parameters:
  ///   - keepsGoing: Whether a file that cannot be sent is left out when it is read. The first one is not: it gives the
  ///     item its name.
  ///   - isCancelled: Asked before each name in a folder.
  /// - Throws: `unsafeName`.
  private func checkRepresentations(keepsGoing: Bool, isCancelled: () -> Bool) throws(DropStreamError) {
    guard !representations.isEmpty else { return }
    for (index, path) in paths.prefix(keepsGoing ? 1 : .max).enumerated() {
      // The names of the others stay here.
      let name = index == 0 ? suggestedName : ""
      if let refusal = OfferedName(path: path).refusal(suggestedName: name, isCancelled: isCancelled) { throw refusal }
    }
  }

  private func allNames(_ context: OfferContext) async throws -> [OfferedName] {
    let typed = files.map { OfferedName(path: $0) }
    var names: [String] = []
    if let list {
      // Whoever lists a directory lists what the shell has made there for our output, too.
      for name in try await list.names(context) {
        if context.target?.isFile(named: name) == true {
          context.environment.note("left out \(name.escapedForDisplay()): the drop is written there")
        } else {
          names.append(name)
        }
      }
    }
    let listed = names
    return typed + (try await runBlocking { ListedFolders.names(listed) })
  }

  /// Makes the items one after the other; elements of files as they are read.
  func forEach(
    of names: [OfferedName], _ context: OfferContext, _ body: (Item) async throws -> Void
  ) async throws {
    if !representations.isEmpty { return try await body(item(context)) }
    for offered in names {
      let name = offered.path
      switch kind {
      case nil: try await body(fileItem(offered, context))
      case .hero:
        let heroes = { (source: ChunkSource) in HeroReader.heroes(in: source) }
        try await elements(heroes, of: name, context) { hero in
          try await body(Item(provider: ItemProvider(hero, suggestedName: hero.suggestedFileName)))
        }
      case .card:
        let cards = { (source: ChunkSource) in CardReader.cards(in: source) }
        try await elements(cards, of: name, context) { card in
          try await body(Item(provider: ItemProvider(card)))
        }
      }
    }
  }

  private func item(_ context: OfferContext) throws -> Item {
    let first = representations.lazy.compactMap(\.path).first { $0 != "-" }.map { OfferedFile(path: $0) }
    let provider = ItemProvider(suggestedName: suggestedName ?? first?.name)
    if let first { provider.fileAttributes = first.attributes }
    for representation in representations { representation.register(with: provider, context) }
    return Item(provider: provider)
  }

  private func fileItem(_ name: OfferedName, _ context: OfferContext) -> Item {
    let path = name.path
    guard path != "-" else {
      let provider = ItemProvider(suggestedName: suggestedName)
      context.register(context.environment.input, as: .data, with: provider)
      return Item(provider: provider)
    }
    let file = OfferedFile(path: path)
    let provider = ItemProvider(suggestedName: suggestedName ?? file.name)
    let type = file.isFolder ? UTType.folder : UTType.identify(fileNamed: file.name ?? "").type
    file.register(type, with: provider, isItem: true, context)
    provider.fileAttributes = file.attributes
    provider.fileAttributes.folder = name.folder
    return Item(provider: provider, file: file)
  }

  private func elements<Elements: AsyncSequence>(
    _ elements: (ChunkSource) -> Elements, of file: String, _ context: OfferContext,
    _ body: (Elements.Element) async throws -> Void
  ) async throws {
    let source = try context.chunks(of: file)
    do {
      for try await element in elements(source) { try await body(element) }
    } catch let error as HeroCardError {
      throw ToolFailure(.malformed, "\(file.shownAsOperand): \(error)")
    }
  }
}
