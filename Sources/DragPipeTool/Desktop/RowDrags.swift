// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import Synchronization

/// The drags from the rows of a window, of which several may wait for their targets.
final class RowDrags: Sendable {
  private struct State {
    var lastNumber = 0
    /// The latest drag of each row, whose result the row shows.
    var latest: [Int: Int] = [:]
    /// The drags that have not ended.
    var running: [Int: Task<DesktopDrag.Outcome, any Error>] = [:]
    /// The programs from which dropped items wait for a report.
    var targets: [Int: String] = [:]
    /// The drags that have ended, which keep their temporary files, since targets may copy them after the drop.
    var ended: [DesktopDrag] = []
    var droppedRows: Set<Int> = []
    var dropCount = 0
  }

  private let window: DesktopWindow
  private let offered: [OfferedItems.Item]
  private let display: DesktopDisplay
  private let allowsMove: Bool
  private let environment: ToolEnvironment
  private let state = Lock(State())

  init(
    of offered: [OfferedItems.Item], in window: DesktopWindow, _ display: DesktopDisplay, allowsMove: Bool,
    _ environment: ToolEnvironment
  ) {
    self.offered = offered
    self.window = window
    self.display = display
    self.allowsMove = allowsMove
    self.environment = environment
  }

  /// The number of successful drops.
  var dropCount: Int { state.withLock { $0.dropCount } }

  /// Whether each item was dropped at least once.
  var areAllDropped: Bool { state.withLock { $0.droppedRows.count } == offered.count }

  /// A program that has not reported the end of a drop; `nil` if no drop waits.
  var waitingTarget: String? { state.withLock { $0.targets.min { $0.key < $1.key }?.value } }

  /// Runs a drag, and shows its result in its rows.
  ///
  /// Cancellation of the task cancels the drag, and is not an error.
  ///
  /// - Returns: Whether a program has taken the items.
  func run(_ dragged: DraggedItems, time: UInt32) async throws -> Bool {
    let rows: [Int] =
      switch dragged {
      case .all: Array(offered.indices)
      case .rows(let chosen): chosen.filter { offered.indices.contains($0) }
      }
    let model = window.model
    let icon = DesktopDrag.Icon(window.dragPicture(of: rows.map { model.rows[$0] }))
    let drag = DesktopDrag(display, rows.map { offered[$0].provider }, allowsMove: allowsMove, icon: icon)
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let running = Task {
      try await drag.run(from: .init(button: 1, time: time)) { [weak self] in self?.wait(for: $0, number, rows) }
    }
    state.withLock { $0.running[number] = running }
    let result = await withTaskCancellationHandler {
      await running.result
    } onCancel: {
      running.cancel()
    }
    let target = state.withLock { state in
      state.running[number] = nil
      state.ended.append(drag)
      return state.targets.removeValue(forKey: number)
    }
    return try await end(result, of: number, rows, target: target)
  }

  /// Shows that the items of a drag wait for the report of their target.
  private func wait(for title: String?, _ number: Int, _ rows: [Int]) {
    let target = title.map { $0.escapedForDisplay().shortened(toColumns: 40) } ?? "the other program"
    state.withLock { state in
      state.targets[number] = target
      for row in rows { state.latest[row] = number }
    }
    // The connection reports its end to the loop of the window.
    try? show(.waiting("waiting for \(target)"), of: number, rows)
  }

  private func end(
    _ result: Result<DesktopDrag.Outcome, any Error>, of number: Int, _ rows: [Int], target: String?
  ) async throws -> Bool {
    switch result {
    case .success(.dropped(let action)):
      if action == .move, allowsMove { try await Self.remove(rows.map { offered[$0] }, environment) }
      state.withLock { state in
        state.dropCount += 1
        state.droppedRows.formUnion(rows)
      }
      try show(.done, of: number, rows)
      return true
    case .success(.refused):
      if let target { try show(.failed("refused by \(target)"), of: number, rows) }
    case .success(.cancelled), .success(.open): break
    case .failure(let error as DesktopError) where error.code != .displayGone:
      state.withLock { state in for row in rows { state.latest[row] = number } }
      try show(.failed(error.description), of: number, rows)
      environment.note(error.description)
    case .failure(is CancellationError):
      try? show(.failed("cancelled"), of: number, rows)
    case .failure(let error): throw error
    }
    return false
  }

  /// Shows a state in those rows of a drag that have not been dropped again.
  private func show(_ new: ItemState, of number: Int, _ rows: [Int]) throws {
    let shown = state.withLock { state in rows.filter { state.latest[$0] == number } }
    try window.update { model in for row in shown { model.rows[row].state = new } }
  }

  /// Removes the files of items that another program has moved.
  static func remove(_ moved: [OfferedItems.Item], _ environment: ToolEnvironment) async throws {
    for file in moved.compactMap(\.file) {
      // Most programs that move a file have already removed it.
      guard file.exists else { continue }
      for line in await runBlocking({ file.removeMoved().kept }) { environment.note(line) }
    }
  }

  /// Cancels the drop for whose target a row waits.
  func cancel(row: Int) {
    state.withLock { state in state.latest[row].flatMap { state.running[$0] } }?.cancel()
  }

  /// Removes the temporary files of all drags that have ended.
  func removeFiles() async {
    let ended = state.withLock { state in
      defer { state.ended = [] }
      return state.ended
    }
    for drag in ended { await drag.removeFiles() }
  }
}

extension DesktopDrag.Icon {
  /// Creates an icon with one picture each for a copy, a move and a refused drop.
  init?(_ picture: DragPicture) {
    self.init(width: picture.width, height: picture.height) { feedback in
      switch feedback {
      case .refused: picture.canvas(.refused).pixels
      case .copy: picture.canvas(.copy).pixels
      case .move: picture.canvas(.move).pixels
      case .open: picture.canvas(.open).pixels
      }
    }
  }
}
