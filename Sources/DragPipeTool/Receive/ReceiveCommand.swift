// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// The command `receive`, which receives items from an endpoint such as a pipe, a file or a session.
///
/// It can also list the offered items, or remove the leftovers of killed receivers.
struct ReceiveCommand: ToolCommand {
  static let name = "receive"
  static let summary = "Receives items into a directory, a file or a command."
  static let forms = [
    "[--from ENDPOINT] [--accept TYPE]… DIR", "[--from ENDPOINT] [--accept TYPE]… -o FILE|-",
    "[--from ENDPOINT] [--accept TYPE]… --exec COMMAND", "[--from ENDPOINT] --as hero --into FILE",
    "[--from ENDPOINT] --as card --into FILE [--column TITLE]", "[--from ENDPOINT] --list [--json]",
    "--clean DIR",
  ]
  static let operand = ArgumentCompletion.directory
  /// The maximum number of left-out items to list.
  private static let listedCount = 1000
  static let options =
    [
      OptionSpecification(
        name: "from", value: ArgumentValue("ENDPOINT", .endpoint),
        summary: "the source of the items: \(EndpointArgument.summary)"),
      OptionSpecification(
        name: "accept", short: "a", value: ArgumentValue("TYPE", .typeOrFamily), isRepeatable: true,
        summary: "receive only items that conform to TYPE; the first TYPE is preferred"),
      OptionSpecification(name: "all", summary: "keep every accepted representation, not only the best"),
      OptionSpecification(
        name: "output", short: "o", value: ArgumentValue("FILE|-", .file), summary: "write the only item to FILE"),
      OptionSpecification(
        name: "exec", short: "x", value: ArgumentValue("COMMAND", .command),
        summary: "run COMMAND for each item, with the item as its standard input"),
      OptionSpecification(
        name: "as", value: ArgumentValue("hero|card", .words(ItemKind.allCases.map(\.rawValue))),
        summary: "receive heroes or cards, and add them to a file"),
      OptionSpecification(
        name: "into", value: ArgumentValue("FILE", .file), summary: "the file to add to; - writes to standard output"),
      OptionSpecification(name: "column", value: "TITLE", summary: "put all cards into this column"),
      OptionSpecification(name: "list", short: "l", summary: "list the offered items, and receive none"),
      OptionSpecification(name: "print", summary: "write the path of each received file or folder, one per line"),
      OptionSpecification(name: "null", short: "0", summary: "with --print, end each path with a zero byte"),
      OptionSpecification(name: "json", short: "j", summary: "write the list, or the paths, as one JSON document"),
      OptionSpecification(name: "overwrite", short: "f", summary: "replace files and merge folders of the same name"),
      OptionSpecification(name: "rename", summary: "give a received file a new name if its name exists"),
      OptionSpecification(name: "skip-existing", summary: "leave out items whose name exists"),
      OptionSpecification(name: "hidden", summary: "accept names that start with a period"),
      OptionSpecification(name: "preserve", short: "p", summary: "restore the permissions and times of files"),
      OptionSpecification(name: "archives", summary: "keep folders as tar archives"),
      OptionSpecification(
        name: "links", value: ArgumentValue("inside|all", .words(["inside", "all"])),
        summary: "accept symbolic links in folders that stay inside the folder (the default), or all links"),
      OptionSpecification(name: "xattrs", summary: "restore the extended attributes of the files in folders"),
      OptionSpecification(name: "owners", summary: "restore the owners and groups of the files in folders, as root"),
      OptionSpecification(name: "move", short: "m", summary: "ask the sender to remove the files that were kept"),
      OptionSpecification(name: "sync", summary: "flush received files to the disk before reporting success"),
      OptionSpecification(
        name: "resume", summary: "keep received bytes if the receive is interrupted; continue such a receive"),
      OptionSpecification(
        name: "clean", summary: "receive nothing; remove leftovers of killed or interrupted receivers from DIR"),
      OptionSpecification(
        name: "max-items", value: "N", summary: "refuse more than N items; default \(DropStreamLimits().items)"),
      OptionSpecification(
        name: "max-bytes", value: "SIZE", summary: "refuse more than SIZE bytes, such as 500M, 1.5G, 10MB or 1KiB"),
    ] + TransferOptions.specifications
  static let notes = """
    Nothing is kept before the end of the stream is verified. DIR also receives several drops that follow each other, each
    completely or not at all: (dragpipe send a; dragpipe send b) | dragpipe receive in/. The limits are for all of them.
    DIR must exist, or be given with a trailing slash. Existing files in DIR stay unchanged, unless an option changes
    that. With --all, an existing name counts for all files of an item. --skip-existing compares with files in DIR only: if two items of a stream have the same name, the
    second gets a number, as with --rename. --list shows the items before an error too, and its JSON is always complete.
    --hidden applies to names of items, and to folders of files from a list. The content of a folder may be hidden in
    any case.

    --print shows the names that the files have in DIR, for example after --rename. Its JSON has files: item (from 1),
    name (the sender's), path, type and byteCount.

    With --accept, items without an accepted type are left out. If no item has one, the exit code is 3.
    \(TypeFamily.note) With -o -, several items are written one after the other; only exit code 0 confirms them. A
    terminal gets text without control characters only.

    A sender that can respond confirms the items that were kept. The confirmation is missing if the connection breaks or
    the sender stops responding. The received files then stay, with a message and an exit code for the reason: 1, 4, 65,
    69 or 75. With --move, the sender may or may not have removed its files.

    The shell runs COMMAND once all items have arrived, for one item after the other. Its standard input is the item, or
    empty for a folder. Its environment has DRAGPIPE_FILE (the path), DRAGPIPE_NAME (the sender's name: text, not a
    path), DRAGPIPE_TYPE, DRAGPIPE_MIME_TYPE, DRAGPIPE_SIZE, DRAGPIPE_INDEX (from 1) and DRAGPIPE_COUNT. If the session
    uses standard output, the output of COMMAND goes to standard error.

    Until the end of the stream, files are in a directory of DIR whose name begins with .dragpipe-. A killed receiver
    leaves that directory. The next receiver removes it, and so does --clean. A receiver that is killed while it renames
    the files leaves some of them, each complete. A file that it was replacing gets its name back if the name is free;
    otherwise it is kept, and a message states its path.

    After exit code 0, received files survive a crash of dragpipe. With --sync they also survive a crash of the machine:
    files, their names and new directories are flushed to the disk. With --move they are flushed before the sender is
    notified, and the sender then removes its files. Standard output is flushed only if it is a file, and content for a
    command is not flushed.

    With --resume, an interrupted receive keeps the received bytes in a directory of DIR whose name ends in .partial.
    The same command continues it, if the sender can respond or the source is a URL; a drop file is received from its
    start, and keeps nothing. A file of the same name, type and size is continued after its last byte. The sender first
    compares its content with a digest (SHA-256) of the kept bytes; if it differs, the file is sent from its start. A
    folder is unpacked once it is complete, so it temporarily needs twice the space. Kept bytes are used only with the
    key in $XDG_STATE_HOME/dragpipe (or ~/.local/state/dragpipe) with which they were kept.

    --into FILE is written completely, in the tool's own form: heroes as an array, sorted, each name once. Other content
    of FILE is lost.
    """

  private let destination: ReceiveDestination
  private var source: ReceiveSource
  private let transfer: TransferOptions
  private let isDurable: Bool
  /// The form in which the received paths are printed; `nil` if they are not.
  private let printing: ReceivedPaths.Form?

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    try self.init(arguments, from: EndpointArgument(try arguments.value("from"), of: "from"))
  }

  /// Reads the arguments of a command that determines the source itself.
  init(_ arguments: ParsedArguments, from endpoint: EndpointArgument) throws(ToolFailure) {
    transfer = try TransferOptions(arguments)
    destination = try ReceiveDestination(arguments)
    isDurable = ReceiveDestination.isDurable(arguments)
    printing = try ReceivedPaths.Form(arguments, destination)
    var options = transfer.stream
    if let text = try arguments.value("max-items") {
      guard let count = UInt64(text) else {
        throw ToolFailure(.usage, "--max-items \(text.escapedForDisplay()) is not a number")
      }
      options.limits.items = count
    }
    if let text = try arguments.value("max-bytes") { options.limits.bytes = try ByteCount(argument: text).value }
    source = ReceiveSource(
      endpoint: endpoint, options: options,
      action: arguments.has("move") ? .move : .copy)
    if arguments.has("resume") { try Self.checkResume(source.endpoint) }
    if arguments.has("move"), !source.endpoint.isTwoWay || source.endpoint.isDesktop {
      throw ToolFailure(
        .usage, "--move needs a sender that can respond; use --from unix:PATH, exec:COMMAND or stdio:")
    }
  }

  private static func checkResume(_ endpoint: EndpointArgument) throws(ToolFailure) {
    guard !endpoint.isDesktop, endpoint.isTwoWay || endpoint.drop != nil else {
      throw ToolFailure(
        .usage,
        "--resume needs a sender that can respond, or random access; "
          + "use --from unix:PATH, exec:COMMAND, stdio:, a drop file or a URL")
    }
  }

  /// Whether the command keeps received items; `false` if it only lists them.
  var keepsItems: Bool { if case .list = destination { false } else { true } }

  /// Returns a copy of the command that receives items that were dropped onto a window.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - onLoad: Called before an item is loaded, with the index of the item and the progress of the load.
  /// - Returns: The copy.
  func receiving(_ items: [ItemProvider], onLoad: @escaping @Sendable (Int, ItemProgress) -> Void) -> ReceiveCommand {
    var copy = self
    copy.source.dropped = items
    copy.source.onLoad = onLoad
    return copy
  }

  func run(in environment: ToolEnvironment) async throws {
    if case .cleaning(let folder) = destination { return try await clean(folder, environment) }
    if source.endpoint == .desktop, source.dropped == nil {
      let area = DropArea(name: "Drop here", destination: .receiver(self))
      return try await DropWindow(areas: [area], isOnce: true, needsDrop: true, transfer: transfer).run(in: environment)
    }
    try source.endpoint.refuseTerminal(
      environment.input, "standard input", option: "from", hint: "try: dragpipe send FILE… | dragpipe receive …")
    if source.endpoint.occupies(environment.output), destination.writesOutput || printing != nil {
      throw ToolFailure(.usage, "standard output is used for the session; write to a file or a directory instead")
    }
    if let input = source.endpoint.file(standard: environment.input), let path = destination.outputPath,
      input.isFile(named: path)
    {
      throw ToolFailure(.cannotCreate, "\(path.escapedForDisplay()) is the input file; choose another output file")
    }
    let progress = TransferProgress("receiving", mode: transfer.progressMode, environment: environment)
    switch destination {
    case .folder(let folder):
      do {
        // Kept files are printed even if a later drop fails, or if the sender does not confirm the end.
        let kept = Lock<[DropFolder.File]>([])
        let result: Result<DropFolder.Receipt, any Error>
        do {
          result = .success(
            try await progress.showing {
              try await source.receive(
                into: folder, progress, environment, eachDrop: { receipt in kept.withLock { $0 += receipt.files } })
            })
        } catch {
          result = .failure(error)
        }
        let files = kept.withLock { $0 }
        do {
          if let printing { try await environment.write(ReceivedPaths(files, in: folder).text(printing)) }
        } catch {
          if case .success = result { throw error }
        }
        if case .failure = result, !source.endpoint.isTwoWay, !files.isEmpty {
          environment.note("kept \(ToolHelp.count(files.count, "file")) of complete drops before the failed one")
        }
        try end(with: try result.get(), environment)
      } catch let error as DropStreamError where Self.lacksFolder(folder, error) {
        let shown = folder.path.escapedForDisplay()
        throw ToolFailure(.cannotCreate, "directory \(shown) does not exist; use \(shown)/ to create it")
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
    guard leftovers.failures.isEmpty else { throw ToolFailure(.inputOutput, "some files could not be removed") }
    guard environment.errorsAreTerminal, !transfer.isQuiet else { return }
    let directories = leftovers.removedCount == 1 ? "1 directory" : "\(leftovers.removedCount) directories"
    environment.note("removed \(directories) of killed receivers")
  }

  /// Whether only the last directory of the path is missing.
  ///
  /// In that case a trailing slash would create it.
  private static func lacksFolder(_ folder: DropFolder, _ error: DropStreamError) -> Bool {
    guard error.code == .destinationUnavailable, error.errorNumber == ENOENT, !folder.isCreatedWhenMissing else {
      return false
    }
    let here = DropEndpoint.currentDirectory
    guard (try? SystemCalls.statusAt(here, folder.path, AT_SYMLINK_NOFOLLOW)) == nil else { return false }
    guard let slash = folder.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return true }
    return (try? SystemCalls.statusAt(here, String(folder.path[...slash]))) != nil
  }

  /// Reports received and left-out items, and throws an error for missing items.
  private func end(
    with receipt: DropFolder.Receipt, _ environment: ToolEnvironment
  ) throws(ToolFailure) {
    for item in receipt.leftOut.prefix(Self.listedCount) where !transfer.isQuiet {
      let name = item.suggestedName.map { "\"\($0.escapedForDisplay())\"" } ?? "item \(item.itemIndex + 1)"
      environment.note(
        item.takenName == nil ? "left out \(name): no accepted type" : "left out \(name): the name exists")
    }
    if receipt.leftOut.count > Self.listedCount, !transfer.isQuiet {
      environment.note("left out \(ToolHelp.count(receipt.leftOut.count - Self.listedCount, "more item"))")
    }
    let bytes = ToolHelp.count(receipt.files.reduce(0) { $0 + $1.byteCount }, "byte")
    summarize("\(ToolHelp.count(receipt.files.count, "file")), \(bytes)", environment)
    guard let first = receipt.missing.first else { return }
    let others = receipt.missing.count > 1 ? " and \(receipt.missing.count - 1) more" : ""
    // The sender has already escaped most of its reason.
    if first.failure.kind == .cancelled, first.failure.reason.isEmpty {
      throw ToolFailure(.partial, "the load of \(first.name.escapedForDisplay())\(others) was cancelled")
    }
    let words = first.failure.reason.escapedForDisplay(limit: 400, mayBeEscaped: true)
    let reason = words.isEmpty ? "" : ": \(words)"
    throw ToolFailure(.partial, "the sender failed to load \(first.name.escapedForDisplay())\(others)\(reason)")
  }

  private func summarize(_ counts: String?, _ environment: ToolEnvironment) {
    if let counts, environment.errorsAreTerminal, !transfer.isQuiet {
      environment.note(source.endpoint.isDesktop ? counts : "\(counts), complete and verified")
    }
  }
}
