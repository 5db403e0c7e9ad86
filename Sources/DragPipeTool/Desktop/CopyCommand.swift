// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// The command `copy`, which offers items on the clipboard, or empties it.
struct CopyCommand: ToolCommand {
  /// The environment variable that marks the background process.
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
    + OfferedItems.specifications + [OfferedItems.keepGoing, DisplayChoice.option] + TransferOptions.specifications
  static let notes = """
    The command stays in the foreground until another program copies. With --detach it continues in the background. A
    clipboard manager, if there is one, stores the content when the command is interrupted.

    Files are offered as files for file managers, and a single file also with its content for other programs. As text,
    files have their paths, one per line; a single text file has its content. FILE may be - for standard input, which is
    kept in memory.

    With --type and --lazy, the item is content and not a file, unless --name gives it a name. Browsers and file managers
    would prefer a file to its text. Commands of --lazy run for each paste that requests their type.

    Between two dragpipe processes, all items arrive complete and verified, with their names. The desktop's protocol
    has no verified end: another program cannot tell a truncated value from a complete one.

    \(DisplayChoice.clipboardNote)
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
    if transfer.display == .terminal, isOnce || isSensitive {
      throw ToolFailure(.usage, "the terminal keeps what is copied; --once and --sensitive need another display")
    }
    guard arguments.has("clear") else {
      items = try OfferedItems(arguments)
      return
    }
    items = nil
    if !arguments.operands.isEmpty { throw ToolFailure(.usage, "--clear takes no FILE") }
  }

  func run(in environment: ToolEnvironment) async throws {
    guard let items else {
      return try await ClipboardDisplay.with(transfer.desktop, via: transfer.display) { display in
        try await Clipboard(display, selection).clear()
      }
    }
    let isChild = getenv(Self.detachedVariable) != nil
    // A terminal keeps the text itself.
    if isDetached, !isChild, !DisplayChoice.copiesToTerminal(transfer.display) { return try await detach(environment) }
    let endpoint = EndpointArgument.selection(selection)
    let context = OfferContext(environment, endpoint, idleTimeout: transfer.idleTimeout)
    try items.check(against: endpoint, context)
    let sender = ClipboardSender(
      items: RepeatableItems(items: items, context: context, keepsGoing: keepsGoing), selection: selection,
      pasteCount: isOnce ? 1 : nil, isSensitive: isSensitive, transfer: transfer)
    try await sender.run { if isDetached, isChild { await Self.releaseStandardStreams(environment) } }
  }

  /// Runs the command in a background process, and returns when that process offers the items.
  ///
  /// - Throws: `ReportedFailure` if that process ends before it offers the items.
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

  /// Reports to the parent process that the items are offered, and replaces the standard streams by `/dev/null`.
  private static func releaseStandardStreams(_ environment: ToolEnvironment) async {
    try? await environment.write("\n")
    guard let null = try? OwnedDescriptor.open("/dev/null", O_RDWR) else { return }
    for descriptor in 0...2 as ClosedRange<CInt> { try? SystemCalls.duplicate(null.raw, onto: descriptor) }
  }
}
