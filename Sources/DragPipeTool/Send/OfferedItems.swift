// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import HeroCards
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// The items that a command line offers.
struct OfferedItems: Sendable {
  /// An offered item, with its file if the item is a file.
  struct Item: Sendable {
    let provider: ItemProvider
    var file: OfferedFile?
    var byteCount: UInt64? { file?.byteCount }
  }

  /// The options that describe the items.
  ///
  /// All commands that offer items have them.
  static let specifications = [
    OptionSpecification(
      name: "type", short: "t", value: ArgumentValue("TYPE=FILE", .type), isRepeatable: true,
      summary: "send one item with several representations, best first"),
    OptionSpecification(
      name: "lazy", value: ArgumentValue("TYPE=COMMAND", .type), isRepeatable: true,
      summary: "add a representation that COMMAND writes on request"),
    OptionSpecification(
      name: "alias", value: ArgumentValue("TYPE=TYPE", .type), isRepeatable: true,
      summary: "add a second type for the bytes of a representation"),
    OptionSpecification(
      name: "as", value: ArgumentValue("hero|card", .words(ItemKind.allCases.map(\.rawValue))),
      summary: "send the heroes or cards in the files as items"),
    OptionSpecification(name: "name", short: "n", value: "NAME", summary: "the name of the only item"),
    OptionSpecification(
      name: "from-list", value: ArgumentValue("FILE", .file), summary: "read file names from FILE, one per line"),
    OptionSpecification(name: "null", short: "0", summary: "names in the list end with a zero byte"),
    OptionSpecification(name: "uris", summary: "the list has file: URIs, as in text/uri-list"),
  ]
  /// The option to leave out content that cannot be sent, and to send the rest.
  static let keepGoing = OptionSpecification(
    name: "keep-going", short: "k", summary: "send the rest if some content fails to load")

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
      throw ToolFailure(
        .usage, "--type, --lazy and --alias describe one item; they cannot be combined with FILE, --as or --from-list")
    }
    guard !files.isEmpty || list != nil || !representations.isEmpty else {
      throw ToolFailure(.usage, "no items to send; name a file, or - for standard input")
    }
    if suggestedName != nil, representations.isEmpty, files.count != 1 || kind != nil || list != nil {
      throw ToolFailure(.usage, "--name needs exactly one item")
    }
    let readers = files.count { $0 == "-" } + representations.count { $0.path == "-" } + (list?.path == "-" ? 1 : 0)
    guard readers <= 1 else { throw ToolFailure(.usage, "standard input (-) may be given only once") }
  }

  /// The paths of the files to read, except standard input and files from a list.
  private var paths: [String] { (files + representations.compactMap(\.path)).filter { $0 != "-" } }

  /// Whether standard input is an item or a representation, or contains the list.
  var readsInput: Bool {
    files.contains("-") || representations.contains { $0.path == "-" } || list?.path == "-"
  }

  /// Throws an error if an input file would be overwritten, or if items would be read from the session's own input.
  func check(against endpoint: EndpointArgument, _ context: OfferContext) throws(ToolFailure) {
    if readsInput, endpoint.occupies(context.environment.input) {
      throw ToolFailure(.usage, "standard input is used for the session, so it cannot contain items")
    }
    let inputs = paths + (readsInput ? ["-"] : [])
    if let target = context.target, let path = inputs.first(where: { context.environment.opens($0, target) }) {
      throw ToolFailure(.usage, "\(path.shownAsOperand) is both input and output; choose another output file")
    }
  }

  /// Checks the names of all files, and returns the files to send.
  ///
  /// - Parameters:
  ///   - context: The context of the loaders.
  ///   - onLeftOut: A closure that is called with the error of each refused name, whose file is left out. If it is
  ///     `nil`, the first such error is thrown.
  /// - Returns: The files to send: files of the command line, then files of the list.
  /// - Throws: `unsafeName`; read errors of a list; `CancellationError`.
  func names(
    _ context: OfferContext, onLeftOut: (@Sendable (DropStreamError) -> Void)? = nil
  ) async throws -> OfferedNames {
    // A list may be long. The lock lets the closure change it in place, without a copy.
    let listed = Lock(try await listedPaths(context))
    return try await runBlocking {
      try checkRepresentations(keepsGoing: onLeftOut != nil, context)
      let isLeftOut = { (name: OfferedName) in
        // The items of heroes and cards get names from their content, so the name of their file only has to be UTF-8.
        var refusal =
          kind == nil
          ? name.refusal(suggestedName: suggestedName, context.options(forFolderAt: name.path)) : name.undecodable
        // Without a receiver's requests, the files are opened at once.
        if refusal == nil, context.isTwoWay { refusal = name.unavailable }
        try Task.checkCancellation()
        guard let refusal else { return false }
        guard let onLeftOut else { throw refusal }
        onLeftOut(refusal)
        return true
      }
      return try listed.withLock { listed in
        let given = try included(&listed, context)
        let folders = try ListedFolders(of: &listed)
        let named = try given.filter { try !isLeftOut(OfferedName(path: $0)) }
        try listed.removeAll { try isLeftOut(OfferedName(path: $0, folder: folders.folder(of: $0))) }
        return OfferedNames(given: named, listed: listed, folders: folders)
      }
    }
  }

  /// Removes the files that patterns leave out.
  ///
  /// - Parameters:
  ///   - listed: The files of the list.
  ///   - context: The context with the patterns.
  /// - Returns: The other files of the command line.
  /// - Throws: `noInput` if all files of the command line are left out.
  private func included(_ listed: inout [String], _ context: OfferContext) throws(ToolFailure) -> [String] {
    if context.exclusions.isEmpty, context.ignoredOperands.isEmpty { return files }
    var first: String?
    let count = files.count + listed.count
    func isLeftOut(_ path: String, _ isExcluded: Bool) -> Bool {
      if isExcluded { first = first ?? path }
      return isExcluded
    }
    let given = files.filter { !isLeftOut($0, context.excludes(operand: $0)) }
    listed.removeAll { isLeftOut($0, context.excludes(listed: $0)) }
    guard let first else { return given }
    let leftOut = count - given.count - listed.count
    let example = (leftOut == 1 ? ": " : ", such as ") + first.shownAsOperand
    let message = "left out \(ToolHelp.count(leftOut, "excluded file"))\(example)"
    if given.isEmpty, listed.isEmpty, list == nil { throw ToolFailure(.noInput, "nothing to send: \(message)") }
    context.environment.note(message)
    return given
  }

  /// The files and folders of the command line, without standard input.
  var operands: [String] { files.filter { $0 != "-" } }

  /// Checks the files of the item that `--type` describes.
  ///
  /// - Parameters:
  ///   - keepsGoing: Whether files that cannot be sent are left out later. If so, only the first file is checked, since it
  ///     names the item.
  ///   - context: The context of the loaders.
  /// - Throws: `unsafeName`; `sourceUnavailable` for a session.
  private func checkRepresentations(keepsGoing: Bool, _ context: OfferContext) throws(DropStreamError) {
    guard !representations.isEmpty else { return }
    for (index, path) in paths.prefix(keepsGoing ? 1 : .max).enumerated() {
      // Only the name of the first file is sent, unless the user gives a name.
      let name = index == 0 ? suggestedName : ""
      let offered = OfferedName(path: path)
      if let refusal = offered.refusal(suggestedName: name) { throw refusal }
      if context.isTwoWay, !keepsGoing, let error = offered.unavailable { throw error }
    }
  }

  private func listedPaths(_ context: OfferContext) async throws -> [String] {
    var paths: [String] = []
    // A listing of a directory may contain the output file of this command.
    try await list?.forEach(context) { name in
      if context.target?.isFile(named: name) == true {
        context.environment.note("left out \(name.escapedForDisplay()): it is the output file")
      } else {
        paths.append(name)
      }
    }
    return paths
  }

  /// Creates the items and passes each to `body`.
  ///
  /// Heroes and cards are created one by one while their file is read.
  func forEach(
    of names: OfferedNames, _ context: OfferContext, _ body: (Item) async throws -> Void
  ) async throws {
    if !representations.isEmpty { return try await body(item(context)) }
    for offered in names {
      let name = offered.path
      switch kind {
      case nil: try await body(await fileItem(offered, context))
      case .hero:
        let heroes = { (source: ChunkSource) in HeroReader.heroes(in: source) }
        try await elements(heroes, of: name, context) { hero in
          try await body(Item(provider: ItemProvider(hero, suggestedName: hero.suggestedName)))
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
    // Programs of the desktop take an item with a name for a file, and prefer a file to its text.
    let provider = ItemProvider(suggestedName: suggestedName ?? (context.isDesktop ? nil : first?.name))
    if let first { provider.fileAttributes = first.attributes }
    for representation in representations { representation.register(with: provider, context) }
    return Item(provider: provider)
  }

  private func fileItem(_ name: OfferedName, _ context: OfferContext) async -> Item {
    let path = name.path
    guard path != "-" else {
      let provider = ItemProvider(suggestedName: suggestedName)
      await context.register(context.environment.input, with: provider)
      return Item(provider: provider)
    }
    let file = OfferedFile(path: path, mayBeMoved: context.allowsMoving)
    let provider = ItemProvider(suggestedName: suggestedName ?? file.name)
    if let descriptor = file.inputDescriptor {
      await context.register(descriptor, with: provider)
    } else {
      let type = await runBlocking { UTType.offered(fileAt: path, named: file.name ?? "") }
      file.register(type, with: provider, context)
      // A receiver may prefer the archive itself. Programs of the desktop know folders only.
      if file.isFolder, !context.isDesktop { provider.registerAlias(.tarArchive, of: type) }
    }
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

/// A representation that an option describes: `--type`, `--lazy` or `--alias`.
struct OfferedRepresentation: Sendable {
  private enum Content {
    case file(String)
    case command(ShellCommand)
    case alias(UTType)
  }

  private let type: UTType
  private let content: Content

  /// The path of the file, or `-` for standard input; `nil` for a command or an alias.
  var path: String? {
    if case .file(let path) = content { path } else { nil }
  }

  /// Returns the representations in the order of the command line.
  static func all(_ arguments: ParsedArguments) throws(ToolFailure) -> [OfferedRepresentation] {
    var all: [OfferedRepresentation] = []
    for (option, value) in arguments.occurrences(of: "type", "lazy", "alias") {
      let representation = try OfferedRepresentation(option, value)
      if all.contains(where: { $0.type == representation.type }) {
        throw ToolFailure(.usage, "type \(representation.type) is given twice; give each type once")
      }
      if case .alias(let original) = representation.content, !all.contains(where: { $0.type == original }) {
        throw ToolFailure(
          .usage, "--alias \(value.escapedForDisplay()): give \(original) first, with --type or --lazy")
      }
      all.append(representation)
    }
    return all
  }

  private init(_ option: String, _ value: String) throws(ToolFailure) {
    guard let (name, source) = value.assignment else {
      let form = ["type": "TYPE=FILE", "lazy": "TYPE=COMMAND"][option] ?? "TYPE=TYPE"
      throw ToolFailure(.usage, "--\(option) \(value.escapedForDisplay()) is not in the form \(form)")
    }
    guard !name.contains("*") else {
      throw ToolFailure(.usage, "--\(option) needs a single type, but \(name.escapedForDisplay()) is a wildcard")
    }
    type = try UTType(operandOrName: name)
    switch option {
    case "type": content = .file(source)
    case "lazy": content = .command(ShellCommand(text: source))
    default: content = .alias(try UTType(operandOrName: source))
    }
  }

  func register(with provider: ItemProvider, _ context: OfferContext) {
    switch content {
    case .file("-"): context.register(context.environment.input, as: type, with: provider)
    case .file(let path): OfferedFile(path: path).register(type, with: provider, context)
    case .command(let command):
      provider.registerStream(type) { _ in try command.output(idleTimeout: context.idleTimeout) }
    case .alias(let original): provider.registerAlias(type, of: original)
    }
  }
}

/// The values that a sender needs to load the content of its items.
struct OfferContext: Sendable {
  let environment: ToolEnvironment
  /// Whether items are sent in a session, on request.
  ///
  /// Otherwise all items are written to a one-way stream.
  let isTwoWay: Bool
  /// The status of the regular file that the drop is written to, or `nil` for another destination.
  let target: FileStatus?
  /// The name of the target, which is replaced once the drop is complete; `nil` if it is written in place.
  private let targetName: String?
  /// Whether the items go to programs of the desktop.
  let isDesktop: Bool
  /// The maximum time to wait for input from another program, or `nil` for no limit.
  let idleTimeout: Duration?
  /// The choices for the archives of folders.
  var folders = FolderArchiveOptions()
  /// Whether receivers in a session may move folders, so that the files in them are recorded.
  var allowsMoving = false
  /// The patterns of files to leave out.
  var exclusions = ExclusionPatterns()
  /// The paths that Git ignores, for each folder of the command line.
  ///
  /// The keys are the bytes of paths: names with different bytes may be equal as strings.
  var ignored: [[UInt8]: Set<[UInt8]>] = [:]
  /// The files and folders of the command line that Git ignores.
  var ignoredOperands: Set<[UInt8]> = []
  private let readDescriptors = ReadDescriptors()

  init(_ environment: ToolEnvironment, _ endpoint: EndpointArgument, idleTimeout: Duration?) {
    self.environment = environment
    isTwoWay = endpoint.isTwoWay
    isDesktop = endpoint.isDesktop
    target = endpoint.file(standard: environment.output)
    if case .file(let path) = endpoint { targetName = OfferedFile(path: path).name } else { targetName = nil }
    self.idleTimeout = idleTimeout
  }

  /// Returns a context whose folders leave out the output file, which may have another name until it is complete.
  func leavingOut(_ output: FileStatus?) -> OfferContext {
    guard let output else { return self }
    var context = self
    context.folders.isLeftOut = { [target, targetName, environment] path, status in
      if status.isSameFile(as: output), target?.isSameFile(as: output) != true { return true }
      guard target.map(status.isSameFile) == true else { return false }
      // Other names of a file that is replaced keep their content.
      if let targetName, !path.utf8.reversed().starts(with: "/\(targetName)".utf8.reversed()) { return false }
      environment.note("left out \(path.escapedForDisplay()): it is the output file")
      return true
    }
    return context
  }

  /// Returns the choices for the archive of a folder.
  func options(forFolderAt path: String) -> FolderArchiveOptions {
    if exclusions.isEmpty, ignored.isEmpty { return folders }
    var options = folders
    let ignored = ignored[Array(path.utf8)]
    options.excludes = { [exclusions, folder = path] path, isFolder in
      if exclusions.excludes(path, isFolder: isFolder, below: folder) { return true }
      guard let ignored else { return false }
      let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? path.startIndex)...]
      return ignored.contains(Array(path)) || name.elementsEqual(".git".utf8)
    }
    return options
  }

  /// Whether a pattern or Git leaves out a file of the command line.
  func excludes(operand path: String) -> Bool {
    if ignoredOperands.contains(Array(path.utf8)) { return true }
    if exclusions.isEmpty || path == "-" { return false }
    let file = OfferedFile(path: path)
    // Patterns apply to the content of a folder, and other patterns start at its top.
    guard !file.isFolder, let name = file.name else { return false }
    return exclusions.excludes(name.utf8, isFolder: false, anyDepthOnly: true)
  }

  /// Whether a pattern leaves out a file of a list, or a folder in its path.
  func excludes(listed path: String) -> Bool {
    if exclusions.isEmpty { return false }
    let names = path.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
    return names.indices.contains { index in
      let isFolder = index < names.count - 1 || OfferedFile(path: path).isFolder
      return exclusions.excludes(Array(names[...index].joined(separator: "/".utf8)), isFolder: isFolder)
    }
  }

  /// Opens a file for reading, or standard input for `-`.
  func chunks(of file: String) throws(DropStreamError) -> ChunkSource {
    try ChunkSource(file == "-" ? environment.inputEndpoint() : .file(file), idleTimeout: idleTimeout)
  }

  /// Registers a descriptor with the type of its item's name, or else of its first bytes, which stay unread.
  ///
  /// Waits for the first bytes. If they cannot be read, a load reports the error.
  func register(_ descriptor: CInt, with provider: ItemProvider) async {
    let name = provider.suggestedName ?? ""
    var type = UTType.identify(fileNamed: name)
    // For the desktop, the complete content is read, and decides.
    if type.basis == .guess, !isDesktop {
      do throws(DropStreamError) {
        let source = try ChunkSource(environment.endpoint(reading: descriptor), idleTimeout: idleTimeout)
        let start = try await source.peek(atMost: 64 << 10)
        type = await runBlocking { UTType.identify(content: start.span, named: name) }
      } catch {
        let failure = DropStreamError(error.code, "\(self.name(of: descriptor)): \(error.reason)")
        provider.registerStream(.data) { _ -> ChunkSource in throw failure }
        return
      }
    }
    register(descriptor, as: type.type, with: provider)
  }

  /// Registers a descriptor of this process as the content of a representation.
  ///
  /// The descriptor can be read only once. A second load throws `failure`.
  func register(_ descriptor: CInt, as type: UTType, with provider: ItemProvider) {
    if isTwoWay {
      provider.registerStream(type) { _ in
        try claim(descriptor)
        return try ChunkSource(environment.endpoint(reading: descriptor), idleTimeout: idleTimeout)
      }
    } else {
      // Unlike `registerFile`, this does not state that the source has a file.
      provider.register(
        ItemRepresentation(contentType: type) { _ in
          try claim(descriptor)
          return .file(SentTransferredFile(ToolEnvironment.url(of: descriptor)))
        })
    }
  }

  private func claim(_ descriptor: CInt) throws(ToolFailure) {
    guard !readDescriptors.add(descriptor) else { return }
    throw ToolFailure(.failure, "\(name(of: descriptor)) can be read only once, and has been read already")
  }

  private func name(of descriptor: CInt) -> String {
    descriptor == environment.input ? "standard input" : "/dev/fd/\(descriptor)"
  }
}

/// The descriptors that have been read.
///
/// Their content cannot be read again.
private final class ReadDescriptors: Sendable {
  private let all = Lock<Set<CInt>>([])

  /// Adds a descriptor.
  ///
  /// - Returns: Whether the descriptor was added. If not, it has been read before.
  func add(_ descriptor: CInt) -> Bool { all.withLock { $0.insert(descriptor).inserted } }
}

/// The failures to load content, and the files that were left out.
final class LoadFailures: Sendable {
  /// The first failure, which is reported, and the number of failures.
  ///
  /// The other failures are not stored.
  private let known = Lock<(first: DropStreamError?, count: Int)>((nil, 0))

  func add(_ failure: DropStreamError) {
    add(failure, count: 1)
  }

  /// Writes a message about the failure, and adds it.
  func add(_ failure: DropStreamError, notedIn environment: ToolEnvironment) {
    environment.note("left out: \(failure.reason)")
    add(failure)
  }

  func add(_ others: LoadFailures) {
    let (first, count) = others.known.withLock { $0 }
    if let first { add(first, count: count) }
  }

  private func add(_ failure: DropStreamError, count: Int) {
    known.withLock { known in
      known.first = known.first ?? failure
      known.count += count
    }
  }

  /// Returns the failure with which the command ends, or `nil` if everything was loaded.
  ///
  /// - Parameter hasSentSome: Whether other content was sent. If not, the first failure determines the exit code.
  /// - Returns: The failure, with the message of the first failure and the number of further failures.
  func failure(hasSentSome: Bool) -> ToolFailure? {
    let (first, count) = known.withLock { $0 }
    guard let first = first.map({ ToolFailure($0) }) else { return nil }
    let others = count > 1 ? ", and \(count - 1) more" : ""
    return ToolFailure(
      hasSentSome ? .partial : first.exitCode, "some content failed to load: \(first.message)\(others)")
  }
}
