// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// The command that offers items on the clipboard.
struct CopyCommand: ToolCommand {
  /// The environment variable of the process in the background.
  private static let detachedVariable = "DRAGPIPE_DETACHED"

  static let name = "copy"
  static let summary = "Copies files, or standard input, to the clipboard."
  static let forms = [
    "[--primary] [--once] [--detach] FILE…",
    "[--primary] [--type TYPE=FILE]… [--lazy TYPE=COMMAND]… [--alias TYPE=TYPE]…", "[--primary] --as hero|card FILE…",
    "[--primary] --clear",
  ]
  static let operand = ArgumentCompletion.file
  static let options =
    [
      OptionSpecification(
        name: "primary", short: "p", summary: "use the primary selection, which the middle button pastes"),
      OptionSpecification(name: "once", summary: "end after one paste"),
      OptionSpecification(name: "sensitive", summary: "ask clipboard managers not to store the content"),
      OptionSpecification(name: "detach", short: "d", summary: "continue in the background once the items are offered"),
      OptionSpecification(name: "clear", summary: "copy nothing; remove the content of the clipboard"),
    ]
    + SendCommand.options.filter {
      ["type", "lazy", "alias", "as", "name", "from-list", "null", "uris", "keep-going"].contains($0.name)
    } + TransferOptions.specifications
  static let notes = """
    The command stays in the foreground until another program copies. With --detach it continues in the background. A
    clipboard manager, if there is one, stores the content when the command is interrupted.

    Files are offered as files for file managers, and a single file also with its content for other programs. FILE may
    be - for standard input, which is kept in memory. Commands of --lazy run for each paste that requests their type.

    Between two dragpipe processes, all items arrive complete and verified, with their names. The desktop's protocol
    has no verified end: another program cannot tell a truncated value from a complete one.

    The display is that of DISPLAY. Without one, the exit code is 69.
    """
  static let examples = [
    "dragpipe copy report.pdf", "date | dragpipe copy -d -", "dragpipe copy --once --sensitive password.txt",
  ]

  private let items: OfferedItems?
  private let selection: Clipboard.Selection
  private let isOnce: Bool
  private let isSensitive: Bool
  private let isDetached: Bool
  private let keepsGoing: Bool
  private let transfer: TransferOptions

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    selection = arguments.has("primary") ? .primary : .clipboard
    transfer = try TransferOptions(arguments)
    isOnce = arguments.has("once")
    isSensitive = arguments.has("sensitive")
    isDetached = arguments.has("detach")
    keepsGoing = arguments.has("keep-going")
    guard arguments.has("clear") else {
      items = try OfferedItems(arguments)
      return
    }
    items = nil
    if !arguments.operands.isEmpty { throw ToolFailure(.usage, "--clear takes no FILE") }
  }

  func run(in environment: ToolEnvironment) async throws {
    guard let items else {
      return try await DesktopDisplay.withConnection(options: transfer.stream.desktop) { display in
        try await Clipboard(display, selection).clear()
      }
    }
    let isChild = getenv(Self.detachedVariable) != nil
    if isDetached, !isChild { return try await detach(environment) }
    let endpoint = EndpointArgument.selection(selection)
    let context = OfferContext(environment, endpoint, idleTimeout: transfer.idleTimeout)
    try items.check(against: endpoint, context)
    let sender = ClipboardSender(
      items: RepeatableItems(items: items, context: context, keepsGoing: keepsGoing), selection: selection,
      pasteCount: isOnce ? 1 : nil, isSensitive: isSensitive, transfer: transfer)
    try await sender.run { if isDetached, isChild { await Self.releaseStandardStreams(environment) } }
  }

  /// Runs the command in a process in the background, and returns when that offers the items.
  private func detach(_ environment: ToolEnvironment) async throws {
    let pipe = try SystemCalls.pipe()
    let ready = try ChunkSource(.descriptor(pipe.read))
    let output = OwnedDescriptor(pipe.write)
    let arguments = Array(CommandLine.arguments.dropFirst())
    let child = try ChildProcess(
      "/proc/self/exe", arguments, output: output.raw, environment: [Self.detachedVariable: "1"], leadsGroup: true)
    try output.close()
    if try await ready.next() != nil { return }
    // The child has reported its error itself.
    let ending = await child.waitForEnd()
    throw ReportedFailure(exitCode: ending.exitCode.flatMap { ToolExitCode(rawValue: $0) } ?? .failure)
  }

  /// Reports that the items are offered, and frees the terminal.
  private static func releaseStandardStreams(_ environment: ToolEnvironment) async {
    try? await environment.write("\n")
    guard let null = try? OwnedDescriptor.open("/dev/null", O_RDWR) else { return }
    for descriptor in 0...2 as ClosedRange<CInt> { try? SystemCalls.duplicate(null.raw, onto: descriptor) }
  }
}

/// The command that receives the content of the clipboard.
struct PasteCommand: ToolCommand {
  static let name = "paste"
  static let summary = "Receives the content of the clipboard."
  static let forms = [
    "[--primary] [--accept TYPE]… [DIR | -o FILE|-]", "[--primary] [--accept TYPE]… --exec COMMAND [--watch]",
    "[--primary] --list [--json]", "[--primary] --print uri|path [-0]",
  ]
  static let operand = ArgumentCompletion.directory
  static let options =
    [
      OptionSpecification(name: "primary", summary: "use the primary selection"),
      OptionSpecification(name: "watch", short: "w", summary: "with --exec, wait for each change of the clipboard"),
      OptionSpecification(
        name: "print", value: ArgumentValue("uri|path", .words(["uri", "path"])),
        summary: "write the addresses of copied files, one a line, and receive nothing"),
      OptionSpecification(name: "null", short: "0", summary: "with --print, end each address with a zero byte"),
    ]
    + ReceiveCommand.options.filter {
      !["from", "move", "originals", "clean", "as", "into", "column"].contains($0.name)
    }
  static let notes = """
    Without a destination, the content goes to standard output. Copied files are received as files: only regular files
    and folders of this machine, and never through a link at the end of an address. Their addresses are a claim of the
    other program.

    All options are those of dragpipe receive. Content of another program is not verified: the desktop's protocol has no
    verified end. Items of dragpipe copy are.

    The display is that of DISPLAY. Without one, the exit code is 69, and 66 if the clipboard is empty.
    """
  static let examples = [
    "dragpipe paste", "dragpipe paste -a .png -o picture.png", "dragpipe paste --watch --exec ./changed",
  ]

  private let receiving: ReceiveCommand?
  private let selection: Clipboard.Selection
  private let isWatching: Bool
  private let printsPaths: Bool
  private let endsWithZero: Bool
  private let transfer: TransferOptions

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    transfer = try TransferOptions(arguments)
    selection = arguments.has("primary") ? .primary : .clipboard
    isWatching = arguments.has("watch")
    endsWithZero = arguments.has("null")
    let form = try arguments.value("print")
    printsPaths = form == "path"
    if isWatching, !arguments.has("exec") { throw ToolFailure(.usage, "--watch needs --exec COMMAND") }
    if endsWithZero, form == nil { throw ToolFailure(.usage, "--null needs --print") }
    if let form {
      guard ["uri", "path"].contains(form) else {
        throw ToolFailure(.usage, "--print \(form.escapedForDisplay()) is unknown; use uri or path")
      }
      let others = PasteCommand.options.map(\.name).filter {
        !["print", "null", "primary", "timeout", "quiet"].contains($0)
      }
      try ReceiveDestination.refuse(arguments, others, "cannot be combined with --print")
      guard arguments.operands.isEmpty else { throw ToolFailure(.usage, "--print takes no directory") }
      receiving = nil
      return
    }
    let hasDestination = ["output", "exec", "list"].contains { arguments.has($0) } || !arguments.operands.isEmpty
    let complete = hasDestination ? arguments : arguments.adding("output", "-")
    receiving = try ReceiveCommand(complete, from: .selection(selection))
  }

  func run(in environment: ToolEnvironment) async throws {
    guard let receiving else { return try await printAddresses(environment) }
    guard isWatching else { return try await receiving.run(in: environment) }
    try await DesktopDisplay.withConnection(options: transfer.stream.desktop) { display in
      for await change in try await Clipboard(display, selection).changes() where change.isOffered {
        do {
          try await receiving.run(in: environment)
        } catch {
          // The next change may succeed.
          try Task.checkCancellation()
          environment.note(ToolFailure(error).message)
        }
      }
      try Task.checkCancellation()
      throw ToolFailure(.peerGone, "the display has ended the connection")
    }
  }

  private func printAddresses(_ environment: ToolEnvironment) async throws {
    let addresses = try await DesktopDisplay.withConnection(options: transfer.stream.desktop) { display in
      try await Clipboard(display, selection).withItems { items in
        var addresses: [URL] = []
        for item in items where item.hasRepresentation(conformingTo: .url) {
          addresses.append(try await item.value(as: URL.self))
        }
        return addresses
      }
    }
    guard !addresses.isEmpty else { throw ToolFailure(.noAcceptableType, "the clipboard has no address") }
    for address in addresses {
      let text = printsPaths && address.isFileURL ? address.path : address.absoluteString
      guard endsWithZero || !text.utf8.contains(0x0A) else {
        throw ToolFailure(.refused, "\(text.escapedForDisplay()) contains a line end; use -0")
      }
      try await environment.write("\(text)\(endsWithZero ? "\0" : "\n")")
    }
  }
}
