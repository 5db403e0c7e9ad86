// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer

/// The command `send`, which sends items to an endpoint such as a pipe, a file or a session.
struct SendCommand: ToolCommand {
  static let name = "send"
  static let summary = "Sends files, folders, heroes or cards."
  static let forms = [
    "[--to ENDPOINT] FILE…", "[--to ENDPOINT] [--type TYPE=FILE]… [--lazy TYPE=COMMAND]… [--alias TYPE=TYPE]…",
    "[--to ENDPOINT] --as hero|card FILE…",
  ]
  static let operand = ArgumentCompletion.file
  static let options =
    [
      OptionSpecification(
        name: "to", value: ArgumentValue("ENDPOINT", .endpoint),
        summary: "the destination of the items: \(EndpointArgument.summary)")
    ] + OfferedItems.specifications + [
      OptionSpecification(name: "once", summary: "end when one receiver has kept an item"),
      OptionSpecification(name: "until-taken", value: "N", summary: "end when N receivers have kept an item"),
      OptionSpecification(
        name: "move", short: "m", summary: "allow receivers to move files, which are then removed here"),
      OfferedItems.keepGoing,
    ] + ExclusionOptions.specifications + [
      OptionSpecification(name: "xattrs", summary: "send the extended attributes of the files in folders"),
      OptionSpecification(name: "owners", summary: "send the owners and groups of the files in folders, by number"),
      OptionSpecification(name: "overwrite", short: "f", summary: "replace an existing FILE"),
      OptionSpecification(
        name: "append", summary: "put the items behind those of an existing FILE, which is replaced once it is complete"
      ),
      OptionSpecification(
        name: "indexed", summary: "write an index into a pipe, for a program that stores the bytes as a file"),
      OptionSpecification(name: "sync", summary: "flush FILE to the disk before ending"),
    ] + TransferOptions.specifications
  static let notes = """
    FILE may be a file, a directory, - for standard input, or a pipe or device with an end. TYPE is an identifier
    (public.png), a MIME type (image/png), an extension with its period (.png), or any other text, which is sent
    unchanged.

    A pipe or a file gets all representations. A session (unix:, exec:, stdio: or a socket) loads only the
    representations that the receiver requests; if one fails to load, the others are still sent. File names that
    receivers refuse (not UTF-8, or with control characters) are reported before anything is sent, and so are missing and
    unreadable files before a session; --keep-going leaves such files out. If a receiver listens at unix:PATH, the sender
    connects to it. Otherwise the sender listens there in the foreground until it is interrupted, or until the condition
    of --once or --until-taken is met; --timeout then applies to connected receivers.

    After exit code 0, a drop file survives a crash of dragpipe, and with --sync a crash of the machine as well. With
    --move, a file is removed once the receiver has it on its disk. After a crash of either machine, the file is
    complete at the source, at the receiver, or at both. Of a folder, the files that were sent are removed, and then its
    empty directories. What has changed since, or cannot be removed, stays with a message, and the exit code is 2.

    PATTERN without a slash, such as '*.o', matches a name at any depth; build/ matches folders only; /docs/*.pdf and
    a/**/b start at the top of each folder, or where its path starts. !PATTERN keeps what an earlier pattern leaves out:
    the last pattern that matches decides. Files of the command line that match are left out with a message. Quote
    patterns, so that the shell does not expand them. --gitignore runs git; submodules are sent completely.

    A directory is sent as a tar stream, with its links, holes, permissions and times. It is sent completely or not at
    all: it is refused if it contains devices, pipes, sockets, or names that receivers refuse. --keep-going leaves out
    devices, pipes and sockets. --xattrs sends only extended attributes of users (user.*). Receivers restore attributes
    and owners only with the same options. A list may name directories, which are sent completely; names below them are
    not sent again. Files of a list keep their paths below the deepest directory that contains all of them.
    """

  static let examples = [
    "dragpipe send --to photos.drop *.png",
    "dragpipe send --exclude '*.o' --exclude build/ src | dragpipe receive in/",
    "dragpipe send --move --to ssh:host:in/ notes.txt Tales/",
    "dragpipe send --to unix:box notes.txt",
    "date | dragpipe send --type .txt=- --name now.txt | dragpipe receive in/",
  ]

  private let items: OfferedItems
  private let endpoint: EndpointArgument
  private let takerCount: Int?
  private let allowsMoving: Bool
  private let keepsGoing: Bool
  private let folders: FolderArchiveOptions
  private let exclusions: ExclusionOptions
  private let overwrites: Bool
  private let appends: Bool
  private let isDurable: Bool
  private let transfer: TransferOptions
  private let writesIndex: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    items = try OfferedItems(arguments)
    endpoint = try EndpointArgument(try arguments.value("to"), of: "to", moves: arguments.has("move"))
    transfer = try TransferOptions(arguments)
    keepsGoing = arguments.has("keep-going")
    var folders = FolderArchiveOptions()
    folders.hasAttributes = arguments.has("xattrs")
    folders.hasOwners = arguments.has("owners")
    self.folders = folders
    exclusions = try ExclusionOptions(arguments)
    if let option = exclusions.first, endpoint.isDesktop {
      throw ToolFailure(.usage, "\(option) needs a drop; programs of the desktop get the folder itself")
    }
    overwrites = arguments.has("overwrite")
    appends = arguments.has("append")
    if appends, !endpoint.isPath { throw ToolFailure(.usage, "--append needs a file to append to; use --to FILE") }
    if appends, overwrites { throw ToolFailure(.usage, "--append and --overwrite exclude each other") }
    allowsMoving = arguments.has("move")
    isDurable = arguments.has("sync")
    try endpoint.refuseUnwritable(isDurable: isDurable)
    writesIndex = arguments.has("indexed")
    if writesIndex, endpoint.isTwoWay {
      throw ToolFailure(.usage, "--indexed needs a pipe or a file; a session has no index")
    }
    takerCount = try Self.takerCount(arguments)
    if allowsMoving, case .selection = endpoint {
      throw ToolFailure(.usage, "--move needs a receiver that confirms the kept items; programs that paste do not")
    }
    if allowsMoving || takerCount != nil, !endpoint.isTwoWay {
      let option = allowsMoving ? "--move needs" : "--once and --until-taken need"
      throw ToolFailure(
        .usage, "\(option) a receiver that can respond; use --to unix:PATH, exec:COMMAND or stdio:")
    }
  }

  private static func takerCount(_ arguments: ParsedArguments) throws(ToolFailure) -> Int? {
    guard let text = try arguments.value("until-taken") else { return arguments.has("once") ? 1 : nil }
    guard !arguments.has("once") else { throw ToolFailure(.usage, "--once and --until-taken exclude each other") }
    guard let count = Int(text), (1...1_000_000).contains(count) else {
      throw ToolFailure(
        .usage, "--until-taken \(text.escapedForDisplay()) is out of range; use 1 to 1000000")
    }
    return count
  }

  func run(in environment: ToolEnvironment) async throws {
    var lock: AppendLock?
    if appends, case .file(let path) = endpoint {
      lock = try await AppendLock.acquire(path, idleTimeout: transfer.idleTimeout, environment)
    }
    defer { withExtendedLifetime(lock) {} }
    var context = OfferContext(environment, endpoint, idleTimeout: transfer.idleTimeout)
    let failures = LoadFailures()
    context.folders = folders
    context.allowsMoving = allowsMoving && !endpoint.isDesktop
    if keepsGoing {
      context.folders.leaveOut = { failures.add(DropStreamError(.representationFailed, $0), notedIn: environment) }
    }
    try await exclusions.apply(to: &context, items.operands)
    try await send(context, failures, replacing: lock?.status, in: environment)
    if let failure = failures.failure(hasSentSome: true) { throw failure }
  }

  private func send(
    _ context: OfferContext, _ failures: LoadFailures, replacing former: FileStatus?, in environment: ToolEnvironment
  ) async throws {
    try items.check(against: endpoint, context)
    if case .selection(let selection) = endpoint {
      let sender = ClipboardSender(
        items: RepeatableItems(items: items, context: context, keepsGoing: keepsGoing), selection: selection,
        pasteCount: takerCount, transfer: transfer)
      return try await sender.run()
    }
    if endpoint == .desktop {
      let window = DragWindow(
        items: RepeatableItems(items: items, context: context, keepsGoing: keepsGoing), dropCount: takerCount,
        allowsMove: allowsMoving, transfer: transfer)
      guard try await window.run() || takerCount == nil else {
        throw ToolFailure(.cancelledByPeer, "the window was closed before the items were taken")
      }
      return
    }
    if endpoint.isTwoWay {
      let sender = SessionSender(
        context: context, endpoint: endpoint, takerCount: takerCount, transfer: transfer)
      return try await sender.run(items, keepsGoing: keepsGoing)
    }
    try endpoint.refuseTerminal(
      environment.output, "standard output", option: "to", hint: "try: dragpipe send … | dragpipe receive DIR")
    // A receiver in the same pipeline draws on the same terminal.
    let isShared = endpoint == .standard && environment.outputIsPipe
    let progress = TransferProgress(
      "sending", mode: transfer.progressMode, environment: environment, isShared: isShared)
    // Checks the names before the first byte is written, a file is created or a command is started.
    let leaveOut: @Sendable (DropStreamError) -> Void = { failures.add($0, notedIn: environment) }
    let names = try await items.names(context, onLeftOut: keepsGoing ? leaveOut : nil)
    var options = transfer.stream
    options.writesIndex = writesIndex
    options.formerFile = former
    var copyOptions = options
    copyOptions.limits.items = .max
    let copy = former == nil ? nil : endpoint.drop.map { DropCopy(drop: $0, options: copyOptions) }
    let output = try await endpoint.output(
      environment, replacing: overwrites || former != nil, durable: isDurable, idleTimeout: transfer.idleTimeout)
    try await progress.showing {
      try await DropStream.withWriter(to: output, options: options) { writer in
        // Most items are files, which are read without a change of threads on an executor that may block.
        try await withTaskExecutorPreference(BlockingExecutor.shared) {
          try await copy?.write(to: writer, environment)
          try await write(names, to: writer, progress, context.leavingOut(writer.file), failures)
        }
      }
    }
  }

  private func write(
    _ names: OfferedNames, to writer: DropStreamWriter, _ progress: TransferProgress, _ context: OfferContext,
    _ failures: LoadFailures
  ) async throws {
    try await items.forEach(of: names, context) { item in
      let work = ItemProgress()
      progress.begin(item: item.provider.suggestedName, byteCount: item.byteCount)
      progress.enter(.transferring)
      progress.follow(work)
      for failure in try await writer.write(item.provider, counting: work, isTolerant: keepsGoing) {
        failures.add(failure)
      }
    }
  }
}

/// The kind of value that an item from a file of heroes or cards has.
enum ItemKind: String, CaseIterable, Codable, Sendable {
  case hero
  case card

  init?(option: String?) throws(ToolFailure) {
    guard let option else { return nil }
    guard let kind = ItemKind(rawValue: option) else {
      throw ToolFailure(
        .usage,
        "--as \(option.escapedForDisplay()) is unknown; use \(Self.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    self = kind
  }
}
