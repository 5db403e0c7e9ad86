// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import ItemTransfer

/// Takes items: from a pipe, a file, or whoever offers them.
struct ReceiveCommand: ToolCommand {
  static let name = "receive"
  static let summary = "Takes items, into a directory, a file or a command."
  static let forms = [
    "[--from ENDPOINT] [--accept TYPE]… DIR", "[--from ENDPOINT] [--accept TYPE]… -o FILE|-",
    "[--from ENDPOINT] [--accept TYPE]… --exec COMMAND", "[--from ENDPOINT] --as hero --into FILE",
    "[--from ENDPOINT] --as card --into FILE [--column TITLE]", "[--from ENDPOINT] --list [--json]",
    "--clean DIR",
  ]
  static let operand = ArgumentCompletion.directory
  /// Each item costs the receiver some memory, whatever its size.
  static let defaultItemLimit: UInt64 = 1_000_000
  static let options =
    [
      OptionSpecification(
        name: "from", value: ArgumentValue("ENDPOINT", .endpoint),
        summary: "where they come from: \(EndpointArgument.summary)"),
      OptionSpecification(
        name: "accept", short: "a", value: ArgumentValue("TYPE", .typeOrFamily), isRepeatable: true,
        summary: "take what conforms to TYPE only, the first TYPE first"),
      OptionSpecification(name: "all", summary: "keep every representation that is accepted, not only the best"),
      OptionSpecification(
        name: "output", short: "o", value: ArgumentValue("FILE|-", .file), summary: "keep the one item as FILE"),
      OptionSpecification(
        name: "exec", short: "x", value: ArgumentValue("COMMAND", .command),
        summary: "run COMMAND for each item, which it reads"),
      OptionSpecification(
        name: "as", value: ArgumentValue("hero|card", .words(ItemKind.allCases.map(\.rawValue))),
        summary: "take only such items, and add them to a file"),
      OptionSpecification(
        name: "into", value: ArgumentValue("FILE", .file), summary: "the file they are added to; - writes them out"),
      OptionSpecification(name: "column", value: "TITLE", summary: "the column cards go to, whatever they say"),
      OptionSpecification(name: "list", short: "l", summary: "take nothing, and tell what is offered"),
      OptionSpecification(name: "json", short: "j", summary: "tell it as one JSON document"),
      OptionSpecification(name: "overwrite", short: "f", summary: "replace files and merge folders of the same name"),
      OptionSpecification(name: "rename", summary: "give what comes another name where its own is taken"),
      OptionSpecification(name: "skip-existing", summary: "leave out what is there already"),
      OptionSpecification(name: "hidden", summary: "accept names that start with a period"),
      OptionSpecification(name: "preserve", short: "p", summary: "give files the permissions and times they had"),
      OptionSpecification(name: "archives", summary: "keep folders as the zip archives that they travel as"),
      OptionSpecification(name: "move", short: "m", summary: "ask the sender to let go of what was kept"),
      OptionSpecification(
        name: "originals", summary: "with --move, take files themselves, unverified, from a sender with --originals"),
      OptionSpecification(name: "sync", summary: "flush what was received to the disk before reporting it"),
      OptionSpecification(name: "clean", summary: "receive nothing; remove what killed receivers have left in DIR"),
      OptionSpecification(
        name: "max-items", value: "N", summary: "refuse more items than N; by default, \(defaultItemLimit)"),
      OptionSpecification(
        name: "max-bytes", value: "SIZE", summary: "refuse more bytes than that; K, M, G, T are 1024"),
    ] + TransferOptions.specifications
  static let notes = """
    Nothing is kept before the end has come and is verified. DIR must be there, unless it is written with a slash at its
    end; what is in it stays as it is unless you say otherwise. With --all, one name that is taken decides for all files
    of an item. --skip-existing is about what is in DIR: of two items of one name in a stream, the second gets a number,
    as with --rename. --list tells what it has read also where an error ends it; its JSON is complete even then. --hidden is for the names of items and of the folders that files of a list come in: what is in a folder
    that is an item may be hidden in any case. With --accept an item without an acceptable representation is left out;
    where nothing is acceptable, the exit code is 3. \(TypeFamily.note) Several items go to -o - one behind the other;
    only exit code 0 vouches for them. A terminal gets text alone, and none that acts on it.

    A sender that can answer confirms what was kept. Where it does not, because the connection breaks or it is silent,
    what was received stays, a message says so, and the exit code is that of the reason: 1, 4, 65, 69 or 75. A sender
    that was to remove what it let be moved may have done so or not.

    COMMAND is run by the shell once all has come, for one item after the other, with the item as its standard input and
    in its environment (of a folder, which DRAGPIPE_FILE names, it reads nothing): DRAGPIPE_FILE, DRAGPIPE_NAME (what
    the sender calls it; take it for text, not for a path), DRAGPIPE_TYPE, DRAGPIPE_MIME_TYPE, DRAGPIPE_SIZE,
    DRAGPIPE_INDEX (from 1) and DRAGPIPE_COUNT. Where standard output is where the sender listens, what COMMAND writes
    goes to standard error.

    Files wait in a directory of DIR whose name begins with .dragpipe- until the end of the stream. A receiver that is
    killed leaves it; every later one removes it, and --clean does only that. A receiver that is killed while it names
    the files leaves some of them and not others, each complete. A file that it had replaced then gets its name back
    where nothing has the name; else it is kept, and where is reported.

    What was received survives a crash of dragpipe once it has ended with 0. With --sync it survives a crash of the
    machine as well: files, their names, and the directories that were created for them are flushed to the disk. With
    --move they are flushed before the sender is told, and the sender removes its files after that. What goes to a
    command, or to standard output unless that is a file, is not flushed.

    With --originals on both sides of a socket, a file is not copied where sender and receiver are the same user on one
    file system: the file itself gets a name here, with its permissions and times, and the sender removes its own name.
    Nothing verifies its content, and a program that has it open can still change it. A file that the sender keeps is
    copied in the end. A receiver that is killed before that leaves two names of one file. Everything else is copied and
    verified: other users' files, files with several names, changed files, folders.

    --into FILE is written anew in the tool's own form: heroes as an array, sorted, once each by name; what it holds
    beside heroes or cards is not kept.
    """

  private let destination: ReceiveDestination
  private let source: ReceiveSource
  private let transfer: TransferOptions
  private let isDurable: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    transfer = try TransferOptions(arguments)
    destination = try ReceiveDestination(arguments)
    isDurable = arguments.has("sync") || arguments.has("move")
    var options = transfer.stream
    options.limits.items = Self.defaultItemLimit
    if let text = try arguments.value("max-items") {
      guard let count = UInt64(text) else { throw ToolFailure(.usage, "--max-items wants a number") }
      options.limits.items = count
    }
    if let text = try arguments.value("max-bytes") { options.limits.bytes = try ByteCount(argument: text).value }
    source = ReceiveSource(
      endpoint: try EndpointArgument(try arguments.value("from"), of: "from"), options: options,
      action: arguments.has("move") ? .move : .copy)
    if arguments.has("originals"), !arguments.has("move") {
      throw ToolFailure(.usage, "--originals goes with --move")
    }
    if arguments.has("move"), !source.endpoint.isTwoWay {
      throw ToolFailure(.usage, "--move needs a sender that can be told: --from unix:PATH, exec:COMMAND or stdio:")
    }
  }

  func run(in environment: ToolEnvironment) async throws {
    if case .cleaning(let folder) = destination { return try await clean(folder, environment) }
    if source.endpoint.isTerminal(standard: environment.input) {
      let what = source.endpoint == .standard ? "standard input" : "the descriptor of --from"
      throw ToolFailure(.usage, "\(what) is a terminal; try: dragpipe send FILE… | dragpipe receive …")
    }
    if source.endpoint.occupies(environment.output), destination.writesOutput {
      throw ToolFailure(.usage, "standard output is where the sender listens; nothing else can be written there")
    }
    if let input = source.endpoint.file(standard: environment.input), let path = destination.outputPath,
      input.isFile(named: path)
    {
      throw ToolFailure(.cannotCreate, "\(path.escapedForDisplay()) is the file that is read")
    }
    let progress = TransferProgress("receiving", mode: transfer.progressMode, environment: environment)
    switch destination {
    case .folder(let folder):
      do {
        let receipt = try await progress.showing { try await source.receive(into: folder, progress, environment) }
        try end(with: receipt, environment)
      } catch let error as DropStreamError where Self.lacksFolder(folder, error) {
        let shown = folder.path.escapedForDisplay()
        throw ToolFailure(.cannotCreate, "\(shown) does not exist; write \(shown)/ to create it")
      }
    case .output(let folder, let isStandard):
      let keeper = ReceivedFiles(folder: folder, source: source)
      let receipt = try await keeper.receive(toOutput: isStandard, progress, environment)
      try end(with: receipt, environment)
    case .command(let command, let folder):
      let keeper = ReceivedFiles(folder: folder, source: source)
      let receipt = try await keeper.receive(for: command, progress, environment)
      try end(with: receipt, environment)
    case .heroes(let file):
      let sum = try await ReceivedLists(source: source, isDurable: isDurable).receiveHeroes(into: file, environment)
      summarize(sum, environment)
    case .cards(let file, let column):
      let sum = try await ReceivedLists(source: source, isDurable: isDurable).receiveCards(
        into: file, column: column, environment)
      summarize(sum, environment)
    case .cleaning: break
    case .list(let isJSON): try await OfferListing(source: source, isJSON: isJSON).run(in: environment)
    }
  }

  private func clean(_ folder: DropFolder, _ environment: ToolEnvironment) async throws {
    let leftovers = try await folder.removeLeftovers()
    for remark in leftovers.remarks { environment.note(remark) }
    guard leftovers.failures.isEmpty else { throw ToolFailure(.inputOutput, "not everything could be removed") }
    guard environment.errorsAreTerminal, !transfer.isQuiet else { return }
    let directories = leftovers.removedCount == 1 ? "1 directory" : "\(leftovers.removedCount) directories"
    environment.note("removed \(directories) of killed receivers")
  }

  /// Whether a directory is missing that a slash at the end of its path would have made.
  private static func lacksFolder(_ folder: DropFolder, _ error: DropStreamError) -> Bool {
    guard error.code == .destinationUnavailable, error.errorNumber == ENOENT, !folder.isCreatedWhenMissing else {
      return false
    }
    let here = DropEndpoint.currentDirectory
    guard (try? SystemCalls.statusAt(here, folder.path, AT_SYMLINK_NOFOLLOW)) == nil else { return false }
    guard let slash = folder.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return true }
    return (try? SystemCalls.statusAt(here, String(folder.path[...slash]))) != nil
  }

  /// Says what has come, and what has not.
  private func end(
    with receipt: ReceiptSummary, _ environment: ToolEnvironment
  ) throws(ToolFailure) {
    for item in receipt.leftOut where !transfer.isQuiet {
      let name = item.suggestedName.map { "\"\($0.escapedForDisplay())\"" } ?? "item \(item.itemIndex + 1)"
      environment.note(
        item.takenName == nil ? "left out \(name): not of an acceptable type" : "left out \(name): it is there already")
    }
    if receipt.leftOutCount > receipt.leftOut.count, !transfer.isQuiet {
      environment.note("left out \(ToolHelp.count(receipt.leftOutCount - receipt.leftOut.count, "more item"))")
    }
    let bytes = ToolHelp.count(receipt.byteCount, "byte")
    summarize(
      "\(ToolHelp.count(receipt.fileCount, "file")), \(bytes)", unverifiedCount: receipt.originalCount, environment)
    guard let first = receipt.firstMissing else { return }
    let others = receipt.missingCount > 1 ? " and \(receipt.missingCount - 1) more" : ""
    // What it quotes, the sender has mostly escaped.
    let words = first.failure.reason.escapedForDisplay(limit: 400, mayBeEscaped: true)
    let reason = words.isEmpty ? "" : ": \(words)"
    throw ToolFailure(.partial, "the sender could not make \(first.name.escapedForDisplay())\(others)\(reason)")
  }

  private func summarize(_ what: String?, unverifiedCount: Int = 0, _ environment: ToolEnvironment) {
    if let what, environment.errorsAreTerminal, !transfer.isQuiet {
      let quality =
        unverifiedCount == 0 ? "whole and verified" : "\(unverifiedCount) of them not copied and not verified"
      environment.note("\(what), \(quality)")
    }
  }
}
