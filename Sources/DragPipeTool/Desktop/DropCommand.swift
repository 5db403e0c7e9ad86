// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport

/// The command that shows a window onto which other programs drop items.
struct DropCommand: ToolCommand {
  static let name = "drop"
  static let summary = "Shows a window that receives dropped items."
  static let forms = [
    "[--once] [--accept TYPE]… DIR", "[--once] [--accept TYPE]… --exec COMMAND",
    "[--once] [--accept TYPE]… --target NAME=DIR|COMMAND…", "[--once] [--to ENDPOINT]",
    "[--once] --print uri|path [-0]",
  ]
  static let operand = ArgumentCompletion.directory
  static let options =
    [
      OptionSpecification(name: "once", summary: "end after the first drop that was received"),
      OptionSpecification(
        name: "target", value: "NAME=DIR|COMMAND", isRepeatable: true,
        summary: "add an area called NAME for a directory, or for a command that receives each item"),
      OptionSpecification(
        name: "to", value: ArgumentValue("ENDPOINT", .endpoint),
        summary: "send the items as dragpipe send does: -, FILE, unix:PATH, fd:N, exec:COMMAND or stdio:"),
      DisplayChoice.option,
    ] + AddressPrinter.options
    + ReceiveCommand.options.filter {
      ![
        "from", "listen", "once", "only", "output", "list", "json", "move", "clean", "as", "into", "column", "print",
        "null",
      ].contains($0.name)
    }
  static let notes = """
    Each area of the window receives drops into its directory, or runs its command for each item. A --target is a
    directory if it ends with a slash, or if such a directory exists. A single area takes drops on the whole window. The
    window stays until it is closed with the Escape key. Its rows show the items and their sizes, also before their bytes
    arrive. The button of a row, or the Delete key, cancels the load of that item. The other items are received, and the
    drop counts as failed.

    A file that was received into a directory can be dragged out of its row. Two clicks or the Enter key open it with
    the program xdg-open. A tooltip shows its path.

    Without a directory, --exec and --target, the items go to ENDPOINT, by default to standard output as a stream for
    dragpipe receive. Drops that follow each other are one stream, which ends when the window is closed. With --once,
    the stream ends after one drop. With a session, each drop is a session of its own, and its source produces only the
    representations that the receiver requests.

    The source of a drop waits for the result. A session reports success once its receiver has kept the items. A stream
    reports success once the items are written, and with --once after its end. Otherwise the source receives a refusal.

    Dropped files must be regular files or folders of this machine, and not links. Their addresses are a claim of the
    other program. --print writes the addresses and opens no file. A file that the other program has only promised is
    requested when it is dropped. Existing files stay, as with dragpipe receive, whose options apply.

    \(DisplayChoice.windowNote)

    Content of another program is not verified; items of dragpipe drag are verified.
    """
  static let examples = [
    "dragpipe drop in/", "dragpipe drop --target Save=in/ --target Count=./count",
    "dragpipe drop --once | ssh host dragpipe receive in/",
    "dragpipe drop --to received.drop", "dragpipe drop --print path",
  ]

  private let window: DropWindow

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    let areas = try Self.areas(arguments)
    guard areas.count <= 8 else { throw ToolFailure(.usage, "\(areas.count) areas exceed the limit of 8") }
    window = DropWindow(areas: areas, isOnce: arguments.has("once"), transfer: try TransferOptions(arguments))
  }

  private static func areas(_ arguments: ParsedArguments) throws(ToolFailure) -> [DropArea] {
    let others = options.map(\.name).filter { !["print", "null", "once", "timeout", "quiet", "via"].contains($0) }
    if let printer = try AddressPrinter(arguments, excluding: others) {
      return [DropArea(name: "Drop here", detail: "Addresses", destination: .printer(printer))]
    }
    let isReceiving = !arguments.operands.isEmpty || arguments.has("exec")
    guard isReceiving || arguments.has("target"), !arguments.has("to") else {
      if isReceiving { throw ToolFailure(.usage, "--to cannot be combined with DIR and --exec") }
      let excluded = ReceiveCommand.options.map(\.name).filter {
        !["overwrite", "sync", "timeout", "progress", "quiet", "once"].contains($0)
      }
      try ReceiveDestination.refuse(arguments, excluded + ["target"], "needs DIR, --exec or --target")
      let forwarder = try DropForwarder(arguments)
      let detail = try arguments.value("to") ?? ""
      return [DropArea(name: "Drop here", detail: detail == "-" ? "" : detail, destination: .forwarder(forwarder))]
    }
    var areas: [DropArea] = []
    if isReceiving {
      let receiver = try ReceiveCommand(arguments, from: .desktop)
      let command = try arguments.value("exec")
      areas.append(
        DropArea(
          name: "Drop here", detail: arguments.operands.first ?? command ?? "", destination: .receiver(receiver)))
    }
    for target in arguments.values("target") { areas.append(try area(target, arguments)) }
    return areas
  }

  private static func area(_ text: String, _ arguments: ParsedArguments) throws(ToolFailure) -> DropArea {
    guard let (name, destination) = text.assignment else {
      throw ToolFailure(.usage, "--target \(text.escapedForDisplay()) is not in the form NAME=DIR or NAME=COMMAND")
    }
    let status = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, destination)
    var own = arguments.removing("exec")
    own.operands = []
    if status?.kind == .directory || destination.hasSuffix("/") {
      own.operands = [destination]
    } else {
      own = own.adding("exec", destination)
    }
    return DropArea(name: name, detail: destination, destination: .receiver(try ReceiveCommand(own, from: .desktop)))
  }

  func run(in environment: ToolEnvironment) async throws {
    if case .forwarder(let forwarder) = window.areas[0].destination {
      try forwarder.endpoint.refuseTerminal(
        environment.output, "standard output", option: "to",
        hint: "name a directory, or try: dragpipe drop … | dragpipe receive DIR")
    }
    try await DisplayChoice.run(window.transfer.display, window.transfer.desktop) {
      try await window.run(in: environment)
    } terminal: {
      let drop = TerminalDrop(areas: window.areas, isOnce: window.isOnce, transfer: window.transfer)
      try await environment.holdingMessages { try await drop.run(in: $0) }
    }
  }
}
