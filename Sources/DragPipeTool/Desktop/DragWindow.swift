// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import FoundationEssentials
internal import ItemTransfer

/// A window with items, from which the user drags them into other programs.
struct DragWindow: Sendable {
  /// The time for a target to copy temporary files after it has reported the end of a drop.
  private static let copyTime = Duration.seconds(2)

  let items: RepeatableItems
  /// The number of successful drops after which the window closes; `nil` for no limit.
  let dropCount: Int?
  let allowsMove: Bool
  let transfer: TransferOptions
  private var environment: ToolEnvironment { items.context.environment }

  /// Shows the window until it is closed, or until ``dropCount`` drops have succeeded.
  ///
  /// - Returns: Whether ``dropCount`` was reached; `false` if the window was closed before.
  /// - Throws: `peerGone` if there is no display, or if it ends the connection; `partial` if items were left out; read
  ///   errors of the items.
  func run() async throws -> Bool {
    let leftOut = LoadFailures()
    async let _ = SystemText.preload()
    let offered = try await items.load(leftOut)
    let isTaken = try await DesktopDisplay.withConnection(options: transfer.stream.desktop) { display in
      let events = display.windowEvents()
      let window = try await DesktopWindow.open(on: display.connection, Self.model(of: offered), options: .tool())
      defer { window.close() }
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await Self.showThumbnails(of: offered, in: window) }
        defer { group.cancelAll() }
        return try await follow(events, window, offered, display)
      }
    }
    if let failure = leftOut.failure(hasSentSome: true) { throw failure }
    return isTaken
  }

  /// Handles the events until the window is closed, or until ``dropCount`` drops have succeeded.
  ///
  /// - Returns: Whether ``dropCount`` was reached.
  private func follow(
    _ events: AsyncQueue<X11Event>, _ window: DesktopWindow, _ offered: [OfferedItems.Item],
    _ display: DesktopDisplay
  ) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      // Two tasks, so that the window is also drawn while a drag runs.
      let drags = AsyncStream.makeStream(of: DragRequest.self, bufferingPolicy: .bufferingNewest(1))
      group.addTask {
        defer { drags.continuation.finish() }
        while let event = await events.next() {
          for action in try window.handle(event) {
            switch action {
            // The only button closes the window.
            case .closed, .pressedButton: return false
            case .beganDrag(let dragged):
              guard case .motionNotify(let motion) = event.kind else { continue }
              drags.continuation.yield(DragRequest(rows: dragged, time: motion.time.rawValue))
            default: break
            }
          }
        }
        try Task.checkCancellation()
        throw ToolFailure(.peerGone, "the display has closed the connection")
      }
      group.addTask {
        // The finished drags keep their temporary files, since targets may copy them after the drop.
        var finished: [DesktopDrag] = []
        var failure: (any Error)?
        var dropCount = 0
        do {
          for await request in drags.stream {
            let (drag, isDone) = try await self.drag(request, window, offered, display)
            finished.append(drag)
            if isDone { dropCount += 1 }
            guard isDone, dropCount == self.dropCount else { continue }
            if offered.contains(where: { $0.file == nil }) { try await Task.sleep(for: Self.copyTime) }
            break
          }
        } catch {
          failure = error
        }
        for drag in finished { await drag.removeFiles() }
        if let failure { throw failure }
        // Closing the window ends the drags too.
        return dropCount == self.dropCount
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
  }

  private struct DragRequest: Sendable {
    let rows: DraggedItems
    let time: UInt32
  }

  /// Runs a drag, and shows its result.
  ///
  /// - Returns: The drag, and whether a program has taken the items.
  private func drag(
    _ request: DragRequest, _ window: DesktopWindow, _ offered: [OfferedItems.Item], _ display: DesktopDisplay
  ) async throws -> (DesktopDrag, isDone: Bool) {
    let rows: [Int] =
      switch request.rows {
      case .all: Array(offered.indices)
      case .rows(let chosen): chosen.filter { offered.indices.contains($0) }
      }
    let model = window.model
    let icon = Self.icon(window.dragPicture(of: rows.map { model.rows[$0] }))
    let drag = DesktopDrag(display, rows.map { offered[$0].provider }, allowsMove: allowsMove, icon: icon)
    do {
      let outcome = try await drag.run(from: .init(button: 1, time: request.time))
      guard case .dropped(let action) = outcome else { return (drag, false) }
      if action == .move, allowsMove { try await remove(rows.map { offered[$0] }) }
      try window.update { model in for row in rows { model.rows[row].state = .done } }
      return (drag, true)
    } catch let error as DesktopError where error.code != .displayGone {
      try window.update { model in for row in rows { model.rows[row].state = .failed(error.description) } }
      environment.note(error.description)
      return (drag, false)
    }
  }

  /// Returns an icon with one picture each for a copy, a move and a refused drop.
  private static func icon(_ picture: DragPicture) -> DesktopDrag.Icon? {
    DesktopDrag.Icon(width: picture.width, height: picture.height) { feedback in
      switch feedback {
      case .refused: picture.canvas(.refused).pixels
      case .copy: picture.canvas(.copy).pixels
      case .move: picture.canvas(.move).pixels
      case .open: picture.canvas(.open).pixels
      }
    }
  }

  private func remove(_ moved: [OfferedItems.Item]) async throws {
    for file in moved.compactMap(\.file) {
      // Most programs that move a file have already removed it.
      guard file.exists else { continue }
      for line in await runBlocking({ file.removeMoved().kept }) { environment.note(line) }
    }
  }

  // MARK: The window

  private static func model(of offered: [OfferedItems.Item]) -> WindowModel {
    let count = ToolHelp.count(offered.count, "item")
    return WindowModel(
      title: "Drag \(count)",
      hint: offered.count > 1 ? "Drag a row or all items onto another window." : "Drag the item onto another window.",
      dragAllTitle: offered.count > 1 ? "All \(count)" : nil,
      rows: offered.map { WindowRow($0.provider, byteCount: $0.byteCount) }, rowsAreDraggable: true,
      buttons: [WindowButton("Close")])
  }

  /// Shows thumbnails of the files among the first 200 items, if a library of the system can decode them.
  private static func showThumbnails(of offered: [OfferedItems.Item], in window: DesktopWindow) async throws {
    for (index, item) in offered.enumerated().prefix(200) {
      guard let path = item.file?.resolvedPath else { continue }
      let side = Int(Double(WindowLayout.iconSide) * window.scale)
      guard let picture = try await Thumbnails.picture(ofFile: path, side: side) else { continue }
      try window.update { $0.rows[index].icon = .thumbnail(picture) }
    }
  }
}
