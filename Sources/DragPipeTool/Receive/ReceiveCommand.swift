// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
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
    "--listen unix:PATH [--once] DIR", "--clean DIR",
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
        name: "listen", value: ArgumentValue("unix:PATH|fd:N", .endpoint),
        summary: "receive from each sender that connects to a socket, until interrupted"),
      OptionSpecification(name: "once", summary: "with --listen, end when a drop was received"),
      OptionSpecification(
        name: "accept", short: "a", value: ArgumentValue("TYPE", .typeOrFamily), isRepeatable: true,
        summary: "receive only items that conform to TYPE; the first TYPE is preferred"),
      OptionSpecification(
        name: "only", value: "NAME|NUMBER|TYPE", isRepeatable: true,
        summary: "receive only the items with this name, number (from 1) or type"),
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
        name: "max-bytes", value: "SIZE",
        summary: "refuse more than SIZE bytes; 500M and 1.5G are powers of 1024, and 10MB is a power of 1000"),
    ] + TransferOptions.specifications
  static let notes = """
    Nothing is kept before the end of the stream is verified. DIR also receives several drops that follow each other, each
    completely or not at all: (dragpipe send a; dragpipe send b) | dragpipe receive in/. The limits are for all of them.
    DIR must exist, or be given with a trailing slash. Existing files in DIR stay unchanged, unless an option changes
    that. With --all, an existing name counts for all files of an item. --skip-existing compares with files in DIR only:
    if two items of a stream have the same name, the second gets a number, as with --rename. --list shows the items before
    an error too, and its JSON is always complete. Names that start with a period are
    left out with a message, and the exit code is 2; a drop of such names only is refused. --hidden accepts them. The
    content of a folder may be hidden in any case.

    --only selects items: FOLDER/NAME also names a file of a list, and an item that is selected by its type is received in
    that type. The whole stream is verified. If a word matches no item, the others are kept, and the exit code is 2.

    --listen makes DIR, or another destination, a drop box for senders of this user: dragpipe send --to unix:PATH FILE…
    connects to it. Each sender is told whether its items were kept. A failed receive has a message, and does not end
    the command. For fd:N, the socket comes from systemd or another program, and already listens.

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

  static let examples = [
    "dragpipe receive in/ < photos.drop",
    "dragpipe receive --from ssh:host:notes.txt in/",
    "dragpipe receive --only photo.png -o copy.png < photos.drop",
    "dragpipe receive --listen unix:box in/",
    "dragpipe receive --move --from ssh:host:Tales in/",
    "dragpipe receive --exec ./count < photos.drop",
  ]

  private let destination: ReceiveDestination
  private var source: ReceiveSource
  private let transfer: TransferOptions
  private let isDurable: Bool
  /// Whether this process listens for senders, and whether it ends after the first drop.
  private let listens, isOnce: Bool
  /// The form in which the received paths are printed; `nil` if they are not.
  private let printing: ReceivedPaths.Form?

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    let listened = try arguments.value("listen")
    let from = try arguments.value("from")
    if listened != nil, from != nil { throw ToolFailure(.usage, "--listen and --from exclude each other") }
    let option = listened == nil ? "from" : "listen"
    try self.init(
      arguments, from: EndpointArgument(listened ?? from, of: option, moves: arguments.has("move")),
      listens: listened != nil)
  }

  /// Reads the arguments of a command that determines the source itself.
  init(
    _ arguments: ParsedArguments, from endpoint: EndpointArgument, listens: Bool = false
  ) throws(ToolFailure) {
    transfer = try TransferOptions(arguments)
    destination = try ReceiveDestination(arguments)
    isDurable = ReceiveDestination.isDurable(arguments)
    printing = try ReceivedPaths.Form(arguments, destination)
    self.listens = listens || endpoint.isListening
    isOnce = arguments.has("once")
    if isOnce, !self.listens, endpoint != .desktop { throw ToolFailure(.usage, "--once needs --listen") }
    if self.listens {
      guard endpoint.canListen else {
        throw ToolFailure(.usage, "--listen needs unix:PATH, or fd:N of a socket that listens")
      }
      try ReceiveDestination.refuse(arguments, ["list", "clean", "json"], "cannot be combined with --listen")
    }
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
      action: arguments.has("move") ? .move : .copy, display: transfer.display)
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
  ///   - onKept: Called with the path of the first file of each item that is in a folder now, by the index of the
  ///     item.
  /// - Returns: The copy.
  func receiving(
    _ items: [ItemProvider], onLoad: @escaping @Sendable (Int, ItemProgress) -> Void,
    onKept: @escaping @Sendable ([Int: String]) -> Void
  ) -> ReceiveCommand {
    var copy = self
    copy.source.dropped = items
    copy.source.onLoad = onLoad
    copy.source.onKept = onKept
    return copy
  }

  func run(in environment: ToolEnvironment) async throws {
    if case .cleaning(let folder) = destination { return try await clean(folder, environment) }
    if listens { return try await listen(environment) }
    try await receive(environment)
  }

  /// Receives from each sender that connects.
  private func listen(_ environment: ToolEnvironment) async throws {
    var options = source.options
    options.onlyTakesDrops = true
    let listener = SessionListener(
      endpoint: try source.endpoint.listener(), options: options, endCount: isOnce ? 1 : nil)
    let isPartial = Lock(false)
    if case .folder(let folder) = destination, !folder.isCreatedWhenMissing {
      let status = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, folder.path)
      guard status?.kind == .directory else {
        let shown = folder.path.escapedForDisplay()
        throw ToolFailure(.cannotCreate, "\(shown) is not a directory; use \(shown)/ to create it")
      }
    }
    do {
      _ = try await listener.run {
        if environment.errorsAreTerminal, !transfer.isQuiet { environment.note("listening at \(listener.endpoint)") }
      } _: { session in
        var command = self
        command.source.session = session
        do {
          try await command.receive(environment)
        } catch let failure as ReportedFailure where failure.exitCode == .partial {
          isPartial.withLock { $0 = true }
        } catch let failure as ToolFailure where failure.exitCode == .partial {
          isPartial.withLock { $0 = true }
          environment.note(failure.message)
        }
      } onEnd: { result in
        guard case .failure(let error) = result else { return true }
        if !Task.isCancelled, !(error is ReportedFailure) { environment.note(ToolFailure(error).message) }
        return false
      }
    } catch let error as DropStreamError where error.errorNumber == EADDRINUSE {
      throw ToolFailure(.cannotCreate, "\(error); to receive from a sender that listens there, use --from")
    }
    if isOnce, isPartial.withLock({ $0 }) { throw ReportedFailure(exitCode: .partial) }
  }

  private func receive(_ environment: ToolEnvironment) async throws {
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
    // Concurrent receives would draw over each other.
    let mode = listens ? .never : transfer.progressMode
    let progress = TransferProgress("receiving", mode: mode, environment: environment)
    switch destination {
    case .folder(let folder):
      var source = source
      source.explain = { Self.explained($0, folder) }
      // Kept files are printed even if a later drop fails, or if the sender does not confirm the end.
      let kept = Lock<[DropFolder.File]>([])
      let result: Result<DropFolder.Receipt, any Error>
      do {
        result = .success(
          try await progress.showing { [source] in
            try await source.receive(
              into: folder, progress, environment, eachDrop: { receipt in kept.withLock { $0 += receipt.files } })
          })
      } catch {
        result = .failure(error)
      }
      let files = kept.withLock { $0 }
      let directory = URL(fileURLWithPath: folder.path, isDirectory: true)
      let paths = files.map { ($0.itemIndex, directory.appendingPathComponent($0.name).path) }
      source.onKept?(Dictionary(paths) { first, _ in first })
      do {
        if let printing {
          try await source.inTurn { try await environment.write(ReceivedPaths(files, in: folder).text(printing)) }
        }
      } catch {
        if case .success = result { throw error }
      }
      if case .failure = result, !source.endpoint.isTwoWay, !files.isEmpty {
        environment.note("kept \(ToolHelp.count(files.count, "file")) of complete drops before the failed one")
      }
      try end(with: try result.get(), of: folder, environment)
    case .output(let folder, let isStandard):
      let keeper = ReceivedFiles(folder: folder, source: source)
      let receipt = try await keeper.receive(toOutput: isStandard, progress, environment)
      try end(with: receipt, of: folder, environment)
    case .command(let command, let folder):
      let keeper = ReceivedFiles(folder: folder, source: source)
      let receipt = try await keeper.receive(for: command, progress, environment)
      try end(with: receipt, of: folder, environment)
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

  /// Returns a better error for a directory that a trailing slash would create.
  private static func explained(_ error: any Error, _ folder: DropFolder) -> any Error {
    guard let cause = error as? DropStreamError, lacksFolder(folder, cause) else { return error }
    let shown = folder.path.escapedForDisplay()
    return ToolFailure(.cannotCreate, "directory \(shown) does not exist; use \(shown)/ to create it")
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
    with receipt: DropFolder.Receipt, of folder: DropFolder, _ environment: ToolEnvironment
  ) throws {
    // Items that the user has not selected are no news.
    let leftOut = receipt.leftOut.filter { folder.selection == nil || $0.takenName != nil || $0.isHidden }
    for item in leftOut.prefix(Self.listedCount) where !transfer.isQuiet {
      let name = item.suggestedName.map { "\"\($0.escapedForDisplay())\"" } ?? "item \(item.itemIndex + 1)"
      let reason =
        item.isHidden
        ? "its name or its folder is hidden (see --hidden)"
        : item.takenName == nil ? "no accepted type" : "the name exists"
      environment.note("left out \(name): \(reason)")
    }
    if leftOut.count > Self.listedCount, !transfer.isQuiet {
      environment.note("left out \(ToolHelp.count(leftOut.count - Self.listedCount, "more item"))")
    }
    let bytes = ToolHelp.count(receipt.files.reduce(0) { $0 + $1.byteCount }, "byte")
    summarize("\(ToolHelp.count(receipt.files.count, "file")), \(bytes)", environment)
    guard let first = receipt.missing.first else { return try checkSelection(receipt, folder) }
    let others = receipt.missing.count > 1 ? " and \(receipt.missing.count - 1) more" : ""
    // The sender has already escaped most of its reason.
    if first.failure.kind == .cancelled, first.failure.reason.isEmpty {
      throw ToolFailure(.partial, "the load of \(first.name.escapedForDisplay())\(others) was cancelled")
    }
    let words = first.failure.reason.escapedForDisplay(limit: 400, mayBeEscaped: true)
    let reason = words.isEmpty ? "" : ": \(words)"
    throw ToolFailure(.partial, "the sender failed to load \(first.name.escapedForDisplay())\(others)\(reason)")
  }

  /// Throws an error if a word of `--only` has matched no item, or if hidden items were left out.
  private func checkSelection(_ receipt: DropFolder.Receipt, _ folder: DropFolder) throws {
    let words = folder.selection?.words ?? []
    if let index = words.indices.first(where: { !receipt.matchedWords.contains($0) }) {
      let item = folder.acceptedTypes.isEmpty ? "item" : "item of an accepted type"
      throw ToolFailure(.partial, "no \(item) matches --only \(words[index].text.escapedForDisplay())")
    }
    let hiddenCount = receipt.leftOut.count { $0.isHidden }
    guard hiddenCount > 0 else { return }
    guard transfer.isQuiet else { throw ReportedFailure(exitCode: .partial) }
    throw ToolFailure(.partial, "left out \(ToolHelp.count(hiddenCount, "item")) with hidden names (see --hidden)")
  }

  private func summarize(_ counts: String?, _ environment: ToolEnvironment) {
    if let counts, environment.errorsAreTerminal, !transfer.isQuiet {
      environment.note(source.endpoint.isDesktop ? counts : "\(counts), complete and verified")
    }
  }
}
