// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import FoundationEssentials
internal import ItemTransfer

/// The command that shows a window onto which other programs drop items.
struct DropCommand: ToolCommand {
  static let name = "drop"
  static let summary = "Shows a window that receives dropped items."
  static let forms = [
    "[--once] [--accept TYPE]… DIR", "[--once] [--accept TYPE]… --exec COMMAND",
    "[--once] [--accept TYPE]… --target NAME=DIR|COMMAND…",
  ]
  static let operand = ArgumentCompletion.directory
  static let options =
    [
      OptionSpecification(name: "once", summary: "end after the first drop that was received"),
      OptionSpecification(
        name: "target", value: "NAME=DIR|COMMAND", isRepeatable: true,
        summary: "add an area called NAME for a directory, or for a command that receives each item"),
    ]
    + ReceiveCommand.options.filter {
      !["from", "output", "list", "json", "move", "originals", "clean", "as", "into", "column"].contains($0.name)
    }
  static let notes = """
    Each area of the window receives drops into its directory, or runs its command for each item. A --target is a
    directory if it exists as one or ends with a slash. The window stays until it is closed with the Escape key.

    Dropped files must be regular files or folders of this machine, and not links. Their addresses are a claim of the
    other program. A file that the other program has only promised is requested when it is dropped. Existing files stay,
    as with dragpipe receive, whose options apply.

    The display is that of DISPLAY. Without one, the exit code is 69. Content of another program is not verified; items
    of dragpipe drag are.
    """
  static let examples = ["dragpipe drop in/", "dragpipe drop --target Save=in/ --target Count=./count"]

  /// An area of the window.
  private struct Area: Sendable {
    let name: String
    let detail: String
    let receiving: ReceiveCommand
  }

  private let areas: [Area]
  private let isOnce: Bool
  private let transfer: TransferOptions

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    transfer = try TransferOptions(arguments)
    isOnce = arguments.has("once")
    let offer = EndpointArgument.local(LocalOffer([]))
    var areas: [Area] = []
    for target in arguments.values("target") { areas.append(try Self.area(target, arguments, offer)) }
    if !arguments.operands.isEmpty || arguments.has("exec") || areas.isEmpty {
      let receiving = try ReceiveCommand(arguments, from: offer)
      let command = try arguments.value("exec")
      let detail = arguments.operands.first ?? command ?? ""
      areas.insert(Area(name: "Drop here", detail: detail, receiving: receiving), at: 0)
    }
    guard areas.count <= 8 else { throw ToolFailure(.usage, "\(areas.count) areas exceed the limit of 8") }
    self.areas = areas
  }

  private static func area(
    _ text: String, _ arguments: ParsedArguments, _ offer: EndpointArgument
  ) throws(ToolFailure) -> Area {
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
    return Area(name: name, detail: destination, receiving: try ReceiveCommand(own, from: offer))
  }

  func run(in environment: ToolEnvironment) async throws {
    SystemText.preload()
    try await DesktopDisplay.withConnection(options: transfer.stream.desktop) { display in
      let events = display.windowEvents()
      let model = WindowModel(
        title: "Drop", hint: "Drop files or other content here.",
        zones: areas.map { DropZone(name: $0.name, detail: $0.detail) })
      let window = try await DesktopWindow.open(on: display.connection, model)
      defer { window.close() }
      let target = DesktopDrop(display, window: window.identifier.rawValue) { position in
        Self.area(at: position, window) == nil ? .refuse : .accept(.copy)
      }
      try await target.withEvents { drops in
        try await withThrowingTaskGroup(of: Bool.self) { group in
          group.addTask { try await Self.untilClosed(window, events) }
          group.addTask { try await receive(drops, window, environment) }
          _ = try await group.next()
          group.cancelAll()
        }
      }
    }
  }

  private static func area(at position: DesktopDrop.Position, _ window: DesktopWindow) -> Int? {
    if case .zone(let index) = window.target(x: position.x, y: position.y) { index } else { nil }
  }

  private static func untilClosed(
    _ window: DesktopWindow, _ events: EventSubscription<X11Event>
  ) async throws -> Bool {
    while let event = await events.next() {
      if try window.handle(event).contains(.closed) { return true }
    }
    try Task.checkCancellation()
    throw ToolFailure(.peerGone, "the display has ended the connection")
  }

  /// Receives drops, one after the other.
  private func receive(
    _ drops: DesktopDrop.Events, _ window: DesktopWindow, _ environment: ToolEnvironment
  ) async throws -> Bool {
    for await event in drops {
      switch event {
      case .entered, .left: try Self.target(nil, window)
      case .moved(let position): try Self.target(Self.area(at: position, window), window)
      case .dropped(let session):
        try Self.target(nil, window)
        guard let index = Self.area(at: session.position, window) else {
          session.refuse(because: "no area is at the location of the drop")
          continue
        }
        if try await receive(session, index, window, environment), isOnce { return true }
      }
    }
    try Task.checkCancellation()
    return true
  }

  /// Receives a drop, and shows its end.
  ///
  /// - Returns: Whether it was received.
  private func receive(
    _ session: DesktopDrop.Session, _ index: Int, _ window: DesktopWindow, _ environment: ToolEnvironment
  ) async throws -> Bool {
    try window.update { $0.zones[index].state = .loading(nil) }
    do {
      let items = try await session.items
      try await areas[index].receiving.receiving(from: .local(LocalOffer(items))).run(in: environment)
      try await session.finish(.copy)
      try window.update { $0.zones[index].state = .done }
      return true
    } catch {
      try Task.checkCancellation()
      let failure = ToolFailure(error)
      session.refuse(because: failure.message)
      environment.note(failure.message)
      try window.update { $0.zones[index].state = .failed(failure.message) }
      return false
    }
  }

  private static func target(_ index: Int?, _ window: DesktopWindow) throws(DisplayError) {
    try window.update { model in
      for zone in model.zones.indices { model.zones[zone].isTargeted = zone == index }
    }
  }
}
