// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import ItemTransfer

/// A window with items, from which the user drags them into other programs.
struct DragWindow: Sendable {
  /// The time for a target to copy temporary files after it has reported the end of a drop.
  static let copyTime = Duration.seconds(2)

  let items: RepeatableItems
  /// The number of successful drops after which the window closes; `nil` for no limit.
  var dropCount: Int?
  /// Whether the window closes once each item was dropped.
  var endsAfterAll = false
  let allowsMove: Bool
  /// Whether the window stays above other windows.
  var isOnTop = false
  /// Whether the window shows only the pictures of the items.
  var showsOnlyPictures = false
  let transfer: TransferOptions
  private var environment: ToolEnvironment { items.context.environment }

  private enum End: Sendable {
    /// The wanted drops have succeeded.
    case dropped
    /// The user has closed the window, while items waited for a program.
    case closed(waitingFor: String?)
  }

  /// Shows the window until it is closed, or until the wanted drops have succeeded.
  ///
  /// - Returns: Whether ``dropCount`` was reached, or all items were dropped; `false` if the window was closed before.
  /// - Throws: `peerGone` if there is no display, or if it ends the connection; `partial` if items were left out;
  ///   `cancelledByPeer` if the window is closed while a program has not reported the end of a drop; read errors of the
  ///   items.
  func run() async throws -> Bool {
    let leftOut = LoadFailures()
    async let _ = SystemText.preload()
    let offered = try await items.load(leftOut)
    if offered.isEmpty, let failure = leftOut.failure(hasSentSome: false) { throw failure }
    let end = try await DesktopDisplay.withConnection(options: transfer.desktop) { display in
      let events = display.windowEvents()
      var options = WindowOptions.tool()
      (options.isDialog, options.hasFixedSize, options.isOnTop) = (true, true, isOnTop)
      if showsOnlyPictures { options.width = 128 }
      let window = try await DesktopWindow.open(on: display.connection, model(of: offered), options: options)
      defer { window.close() }
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await showThumbnails(of: offered, in: window) }
        defer { group.cancelAll() }
        return try await follow(events, window, offered, display)
      }
    }
    if case .closed(let target?) = end {
      throw ToolFailure(.cancelledByPeer, "the window was closed before \(target) has reported the end of the drop")
    }
    if let failure = leftOut.failure(hasSentSome: true) { throw failure }
    if case .dropped = end { return true }
    return false
  }

  /// Handles the events until the window is closed, or until the wanted drops have succeeded.
  private func follow(
    _ events: AsyncQueue<DisplayEvent>, _ window: DesktopWindow, _ offered: [OfferedItems.Item],
    _ display: DesktopDisplay
  ) async throws -> End {
    let drags = RowDrags(of: offered, in: window, display, allowsMove: allowsMove, environment)
    let drops = AsyncStream.makeStream(of: Void.self)
    let result: Result<End, any Error>
    do {
      result = .success(
        try await withThrowingTaskGroup(of: End.self) { group in
          group.addTask { try await handle(events, window, drags) { drops.continuation.yield() } }
          group.addTask {
            for await _ in drops.stream where isEnough(drags) {
              if offered.contains(where: { $0.file == nil }) { try await Task.sleep(for: Self.copyTime) }
              return .dropped
            }
            throw CancellationError()
          }
          defer { group.cancelAll() }
          return try await group.next() ?? .closed(waitingFor: nil)
        })
    } catch {
      result = .failure(error)
    }
    await drags.removeFiles()
    return try result.get()
  }

  private func isEnough(_ drags: RowDrags) -> Bool {
    dropCount.map { drags.dropCount >= $0 } ?? false || endsAfterAll && drags.areAllDropped
  }

  /// Handles the events until the window is closed.
  ///
  /// Each drag has a task, so that the window is drawn and other drags begin while a drag waits for its target.
  private func handle(
    _ events: AsyncQueue<DisplayEvent>, _ window: DesktopWindow, _ drags: RowDrags,
    onDrop: @escaping @Sendable () -> Void
  ) async throws -> End {
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      while let event = await events.next() {
        for action in try window.handle(event) {
          switch action {
          // The only button closes the window.
          case .closed, .pressedButton: return .closed(waitingFor: drags.waitingTarget)
          case .cancelledRow(let row): drags.cancel(row: row)
          case .beganDrag(let dragged):
            group.addTask { if try await drags.run(dragged, time: event.time) { onDrop() } }
          default: break
          }
        }
      }
      try Task.checkCancellation()
      throw ToolFailure(.peerGone, "the display has closed the connection")
    }
  }

  // MARK: The window

  /// The side of a row's picture in points.
  private var pictureSide: Int { showsOnlyPictures ? 64 : WindowLayout.iconSide }

  private func model(of offered: [OfferedItems.Item]) -> WindowModel {
    let count = ToolHelp.count(offered.count, "item")
    var model = WindowModel(
      title: "Drag \(count)",
      hint: offered.count > 1 ? "Drag a row or all items onto another window." : "Drag the item onto another window.",
      dragAllTitle: offered.count > 1 ? "All \(count)" : nil,
      rows: offered.map { item in
        var row = WindowRow(item.provider, byteCount: item.byteCount)
        row.tooltip = item.file?.resolvedPath ?? (showsOnlyPictures ? row.name : "")
        row.pictureSide = pictureSide
        return row
      }, rowsAreDraggable: true,
      buttons: [WindowButton("Close")])
    model.showsOnlyPictures = showsOnlyPictures
    return model
  }

  /// Shows thumbnails of the files among the first 200 items, if a library of the system can decode them.
  private func showThumbnails(of offered: [OfferedItems.Item], in window: DesktopWindow) async throws {
    for (index, item) in offered.enumerated().prefix(200) {
      guard let path = item.file?.resolvedPath else { continue }
      let side = Int(Double(pictureSide) * window.scale)
      guard let picture = try await Thumbnails.picture(ofFile: path, side: side) else { continue }
      try window.update { $0.rows[index].icon = .thumbnail(picture) }
    }
  }
}
