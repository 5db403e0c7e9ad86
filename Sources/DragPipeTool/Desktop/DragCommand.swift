// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The command that shows items in a window, from which the user drags them into other programs.
struct DragCommand: ToolCommand {
  static let name = "drag"
  static let summary = "Shows items in a window, to be dragged into other programs."
  static let forms = [
    "[--once] [--move] FILE…", "[--once] [--type TYPE=FILE]… [--lazy TYPE=COMMAND]… [--alias TYPE=TYPE]…",
    "[--once] --as hero|card FILE…",
  ]
  static let operand = ArgumentCompletion.file
  static let options =
    [
      OptionSpecification(name: "once", summary: "end after the first drop"),
      OptionSpecification(
        name: "move", short: "m", summary: "allow other programs to move the files, which are then removed here"),
    ]
    + OfferedItems.specifications + [OfferedItems.keepGoing] + TransferOptions.specifications
  static let notes = """
    Drag a row, several selected rows, or all items onto another window. Content is produced when the other program
    requests it, once for each drag. The window stays until it is closed with its button or the Escape key.

    Without --move, only a copy is offered, so that no program moves the files away. With --move, a file is removed once
    the other program has reported a move. The desktop's protocol has no verified end: the report does not confirm that
    the content arrived completely. Between two dragpipe processes, items are verified.

    The display is that of DISPLAY. Without one, the exit code is 69.
    """
  static let examples = [
    "dragpipe drag report.pdf photo.png", "dragpipe drag --once --type .txt=saga.txt --lazy .png=./render",
  ]

  /// The time in which a target copies temporary files after it has reported the end of a drop.
  private static let copyTime = Duration.seconds(2)

  private let items: OfferedItems
  private let isOnce: Bool
  private let allowsMove: Bool
  private let keepsGoing: Bool
  private let transfer: TransferOptions

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    items = try OfferedItems(arguments)
    transfer = try TransferOptions(arguments)
    isOnce = arguments.has("once")
    allowsMove = arguments.has("move")
    keepsGoing = arguments.has("keep-going")
  }

  func run(in environment: ToolEnvironment) async throws {
    let context = OfferContext(environment, .selection(.clipboard), idleTimeout: transfer.idleTimeout)
    try items.check(against: .selection(.clipboard), context)
    let leftOut = LoadFailures()
    SystemText.preload()
    let offered = try await RepeatableItems(items: items, context: context, keepsGoing: keepsGoing).load(leftOut)
    try await DesktopDisplay.withConnection(options: transfer.stream.desktop) { display in
      let events = display.windowEvents()
      let window = try await DesktopWindow.open(on: display.connection, Self.model(of: offered))
      defer { window.close() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await Self.showThumbnails(of: offered, in: window) }
        try await follow(events, window, offered, display, environment)
        group.cancelAll()
      }
    }
    if let failure = leftOut.failure(hasSentSome: true) { throw failure }
  }

  /// Handles the events until the window is closed.
  private func follow(
    _ events: EventSubscription<X11Event>, _ window: DesktopWindow, _ offered: [OfferedItems.Item],
    _ display: DesktopDisplay, _ environment: ToolEnvironment
  ) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      // The window must be drawn while a drag runs.
      let drags = AsyncStream.makeStream(of: DragRequest.self, bufferingPolicy: .bufferingNewest(1))
      group.addTask {
        defer { drags.continuation.finish() }
        while let event = await events.next() {
          for action in try window.handle(event) {
            switch action {
            // The only button closes the window.
            case .closed, .pressedButton: return true
            case .beganDrag(let dragged):
              guard case .motionNotify(let motion) = event.kind else { continue }
              drags.continuation.yield(DragRequest(rows: dragged, time: motion.time.rawValue))
            default: break
            }
          }
        }
        try Task.checkCancellation()
        throw ToolFailure(.peerGone, "the display has ended the connection")
      }
      group.addTask {
        // Targets may copy temporary files after the drop.
        var finished: [DesktopDrag] = []
        var failure: (any Error)?
        do {
          for await request in drags.stream {
            let (drag, isDone) = try await self.drag(request, window, offered, display, environment)
            finished.append(drag)
            guard isDone, self.isOnce else { continue }
            if offered.contains(where: { $0.file == nil }) { try await Task.sleep(for: Self.copyTime) }
            break
          }
        } catch {
          failure = error
        }
        for drag in finished { await drag.removeFiles() }
        if let failure { throw failure }
        return true
      }
      while let isEnd = try await group.next() {
        if isEnd { break }
      }
      group.cancelAll()
    }
  }

  private struct DragRequest: Sendable {
    let rows: DraggedItems
    let time: UInt32
  }

  /// Runs a drag, and shows its end.
  ///
  /// - Returns: The drag, and whether a program has taken the items.
  private func drag(
    _ request: DragRequest, _ window: DesktopWindow, _ offered: [OfferedItems.Item], _ display: DesktopDisplay,
    _ environment: ToolEnvironment
  ) async throws -> (DesktopDrag, isDone: Bool) {
    let rows: [Int] =
      switch request.rows {
      case .all: Array(offered.indices)
      case .rows(let chosen): chosen.filter { offered.indices.contains($0) }
      }
    let drag = DesktopDrag(display, rows.map { offered[$0].provider }, allowsMove: allowsMove)
    do {
      let outcome = try await drag.run(from: .init(button: 1, time: request.time))
      guard case .dropped(let action) = outcome else { return (drag, false) }
      if action == .move, allowsMove { try await remove(rows.map { offered[$0] }, environment) }
      try window.update { model in for row in rows { model.rows[row].state = .done } }
      return (drag, true)
    } catch let error as DesktopError where error.code != .displayGone {
      try window.update { model in for row in rows { model.rows[row].state = .failed(error.description) } }
      environment.note(error.description)
      return (drag, false)
    }
  }

  private func remove(_ moved: [OfferedItems.Item], _ environment: ToolEnvironment) async throws {
    for file in moved.compactMap(\.file) {
      // A program that moves a file has mostly removed it already.
      guard file.exists else { continue }
      if let reason = try await runBlocking({ file.removeMoved() }) { environment.note(reason) }
    }
  }

  // MARK: The window

  private static func model(of offered: [OfferedItems.Item]) -> WindowModel {
    let count = ToolHelp.count(offered.count, "item")
    return WindowModel(
      title: "Drag \(count)",
      hint: offered.count > 1 ? "Drag a row or all items onto another window." : "Drag the item onto another window.",
      dragAllTitle: offered.count > 1 ? "All \(count)" : nil, rows: offered.map(row), rowsAreDraggable: true,
      buttons: [WindowButton("Close")])
  }

  private static func row(_ item: OfferedItems.Item) -> WindowRow {
    let types = item.provider.contentTypes(visibleTo: .ownProcess)
    let type = types.first ?? .data
    return WindowRow(
      name: item.provider.suggestedName ?? type.localizedDescription ?? type.identifier,
      type: type.localizedDescription ?? type.identifier,
      size: item.byteCount.map { ProgressAmounts.bytes($0) } ?? "", icon: .symbol(symbol(for: type)))
  }

  private static func symbol(for type: UTType) -> Symbol {
    if type.conforms(to: .directory) { return .folder }
    if type.conforms(to: .image) { return .picture }
    if type.conforms(to: .url) { return .link }
    return type.conforms(to: .text) ? .text : .file
  }

  /// Shows small pictures of the files, as far as a library of the system can decode them.
  private static func showThumbnails(of offered: [OfferedItems.Item], in window: DesktopWindow) async throws {
    for (index, item) in offered.enumerated().prefix(200) {
      guard let path = item.file?.resolvedPath else { continue }
      let side = Int(Double(WindowLayout.iconSide) * window.scale)
      guard let picture = try await Thumbnails.picture(ofFile: path, side: side) else { continue }
      try window.update { $0.rows[index].icon = .thumbnail(picture) }
    }
  }
}
