// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import ItemTransfer
internal import Synchronization

/// A terminal with items, from which the user drags them into other programs.
struct TerminalDrag: Sendable {
  let items: RepeatableItems
  /// The number of successful drops after which the command ends; `nil` for no limit.
  var dropCount: Int?
  /// Whether the command ends once each item was dropped.
  var endsAfterAll = false
  let allowsMove: Bool
  let transfer: TransferOptions

  /// The drags that have ended, and the drag that waits for its target.
  private final class Drags: Sendable {
    struct State {
      var droppedRows: Set<Int> = []
      var dropCount = 0
      var isWaiting = false
      /// All drags, which keep their temporary files, since targets may copy them after the drop.
      var all: [DesktopDrag] = []
    }

    let state = Lock(State())
  }

  /// Shows the items until the user ends the command, or until the wanted drops have succeeded.
  ///
  /// - Returns: Whether the wanted drops have succeeded.
  /// - Throws: `peerGone` if the terminal does not support drags; `partial` if items were left out; `cancelledByPeer` if
  ///   the user ends the command while a program has not reported the end of a drop; read errors of the items.
  func run() async throws -> Bool {
    let leftOut = LoadFailures()
    let offered = try await items.load(leftOut)
    if offered.isEmpty, let failure = leftOut.failure(hasSentSome: false) { throw failure }
    let drags = Drags()
    let hasDropped = try await DesktopTerminal.withTerminal(transfer.desktop) { terminal in
      try await terminal.withScreen {
        try await terminal.withGestures { gestures in
          let screen = TerminalScreen(model(of: offered), on: terminal)
          try await screen.update { _ in }
          return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
              try await screen.awaitEnd()
              return false
            }
            group.addTask { try await follow(gestures, screen, offered, drags) }
            defer { group.cancelAll() }
            return try await group.next() ?? false
          }
        }
      }
    }
    for drag in drags.state.withLock({ $0.all }) { await drag.removeFiles() }
    if !hasDropped, drags.state.withLock({ $0.isWaiting }) {
      throw ToolFailure(.cancelledByPeer, "the command ended before the other program has reported the end of the drop")
    }
    if let failure = leftOut.failure(hasSentSome: true) { throw failure }
    return hasDropped
  }

  private func model(of offered: [OfferedItems.Item]) -> WindowModel {
    WindowModel(
      title: "Drag",
      hint: offered.count > 1
        ? "Drag a line with the mouse onto another window, or this line for all items."
        : "Drag the item with the mouse onto another window.",
      rows: offered.map { WindowRow($0.provider, byteCount: $0.byteCount) })
  }

  /// Runs a drag for each gesture.
  ///
  /// - Returns: True once the wanted drops have succeeded.
  private func follow(
    _ gestures: AsyncQueue<TerminalGesture>, _ screen: TerminalScreen, _ offered: [OfferedItems.Item],
    _ drags: Drags
  ) async throws -> Bool {
    while let gesture = await gestures.next() {
      let rows: [Int] =
        if case .row(let row) = screen.lines.meaning(ofLine: gesture.row) { [row] } else { Array(offered.indices) }
      guard try await drag(rows, screen, offered, drags) else { continue }
      let isEnough = drags.state.withLock { state in
        dropCount.map { state.dropCount >= $0 } ?? false || endsAfterAll && state.droppedRows.count == offered.count
      }
      guard isEnough else { continue }
      if offered.contains(where: { $0.file == nil }) { try await Task.sleep(for: DragWindow.copyTime) }
      return true
    }
    try Task.checkCancellation()
    throw ToolFailure(.peerGone, "the terminal is closed")
  }

  /// Runs a drag, and shows its result.
  ///
  /// - Returns: Whether a program has taken the items.
  private func drag(
    _ rows: [Int], _ screen: TerminalScreen, _ offered: [OfferedItems.Item], _ drags: Drags
  ) async throws -> Bool {
    let drag = DesktopDrag(
      screen.terminal.display, rows.map { offered[$0].provider }, allowsMove: allowsMove, promisedFiles: .addresses)
    drags.state.withLock { $0.all.append(drag) }
    let outcome: DesktopDrag.Outcome
    do {
      outcome = try await drag.run { _ in
        drags.state.withLock { $0.isWaiting = true }
        // The drag must not wait for the screen.
        Task {
          try await screen.update { model in
            guard drags.state.withLock({ $0.isWaiting }) else { return }
            for row in rows { model.rows[row].state = .waiting("waiting for the other program") }
          }
        }
      }
      drags.state.withLock { $0.isWaiting = false }
    } catch let error as DesktopError where error.code != .displayGone {
      drags.state.withLock { $0.isWaiting = false }
      try await Self.show(.failed(error.description), rows, screen)
      items.context.environment.note(error.description)
      return false
    }
    switch outcome {
    case .dropped(let action):
      if action == .move, allowsMove {
        try await RowDrags.remove(rows.map { offered[$0] }, items.context.environment)
      }
      drags.state.withLock { state in
        state.dropCount += 1
        state.droppedRows.formUnion(rows)
      }
      try await Self.show(.done, rows, screen)
      return true
    case .refused: try await Self.show(.failed("refused by the other program"), rows, screen)
    case .cancelled, .open: try await Self.show(.idle, rows, screen)
    }
    return false
  }

  private static func show(_ state: ItemState, _ rows: [Int], _ screen: TerminalScreen) async throws {
    try await screen.update { model in for row in rows { model.rows[row].state = state } }
  }
}
