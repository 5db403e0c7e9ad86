// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

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
      DisplayChoice.option,
    ] + AddressPrinter.options
    + ReceiveCommand.options.filter {
      !["from", "listen", "once", "move", "clean", "as", "into", "column", "print", "null"].contains($0.name)
    }
  static let notes = """
    Without a destination, the content goes to standard output. Copied files are received as files: only regular files
    and folders of this machine, and never through a link at the end of an address. Their addresses are a claim of the
    other program.

    Options of dragpipe receive have the same meaning here. Content of another program is not verified, because the
    desktop's protocol has no verified end. Items of dragpipe copy are verified.

    \(DisplayChoice.clipboardNote)
    If the clipboard is empty, it is 66.
    """
  static let examples = [
    "dragpipe paste", "dragpipe paste -a .png -o picture.png", "dragpipe paste --watch --exec ./changed",
  ]

  private let receiving: ReceiveCommand?
  private let selection: Clipboard.Selection
  private let isWatching: Bool
  private let printer: AddressPrinter?
  private let transfer: TransferOptions

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    transfer = try TransferOptions(arguments)
    selection = arguments.has("primary") ? .primary : .clipboard
    isWatching = arguments.has("watch")
    if isWatching, transfer.display == .terminal {
      throw ToolFailure(.usage, "--watch needs another display than the terminal, which reports no changes")
    }
    if isWatching, !arguments.has("exec") { throw ToolFailure(.usage, "--watch needs --exec COMMAND") }
    let kept = ["print", "null", "primary", "timeout", "quiet", "via"]
    let others = Self.options.map(\.name).filter { !kept.contains($0) }
    printer = try AddressPrinter(arguments, excluding: others)
    guard printer == nil else {
      receiving = nil
      return
    }
    let hasDestination = ["output", "exec", "list"].contains { arguments.has($0) } || !arguments.operands.isEmpty
    let complete = hasDestination ? arguments : arguments.adding("output", "-")
    receiving = try ReceiveCommand(complete, from: .selection(selection))
  }

  func run(in environment: ToolEnvironment) async throws {
    if let printer { return try await printAddresses(with: printer, environment) }
    guard let receiving else { return }
    guard isWatching else { return try await receiving.run(in: environment) }
    try await DesktopDisplay.withConnection(options: transfer.desktop) { display in
      guard await !display.clipboardNeedsWindow else {
        throw ToolFailure(.peerGone, "--watch: the desktop reports changes only to the window that has the keyboard")
      }
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
      throw ToolFailure(.peerGone, "the display has closed the connection")
    }
  }

  private func printAddresses(with printer: AddressPrinter, _ environment: ToolEnvironment) async throws {
    let addresses = try await ClipboardDisplay.with(transfer.desktop, via: transfer.display) { display in
      try await Clipboard(display, selection).withItems { items in
        var addresses: [URL] = []
        for item in items where item.hasRepresentation(conformingTo: .url) {
          addresses.append(try await item.value(as: URL.self))
        }
        return addresses
      }
    }
    guard !addresses.isEmpty else { throw ToolFailure(.noAcceptableType, "the clipboard has no address") }
    try await printer.write(addresses, to: environment)
  }
}
