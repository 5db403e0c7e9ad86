// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropScenes
internal import DropTransport
internal import DropWindows
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// The drags that start in a window.
final class SceneDrags: Sendable {
  /// The name of the value by which a window of the same app recognizes a drag.
  static let markName = "application/vnd.dragpipe.scene-drag"

  private struct Request: Sendable {
    var rows: [SceneRow]
    var icon: DesktopDrag.Icon?
    var time: UInt32
  }

  /// A drag, the rows and their items.
  private struct Drag: Sendable {
    let id: SceneDrag
    /// The rows with the numbers of their items.
    let rows: [(row: SceneRow, items: Range<Int>)]
    let items: [ItemProvider]

    init(_ id: SceneDrag, _ rows: [SceneRow]) {
      var items: [ItemProvider] = []
      self.id = id
      self.rows = rows.map { row in
        let start = items.count
        items += row.items?() ?? []
        return (row, start..<items.count)
      }
      self.items = items
    }

    var allowsMove: Bool { rows.allSatisfy { $0.row.actions.contains(.move) } }

    /// Whether the desktop can show an item in a window of its own.
    var opensWindow: Bool { items.contains { $0.hasRepresentation(conformingTo: .userActivity) } }
  }

  private let window: SceneWindow
  private let display: DesktopDisplay
  private let requests = AsyncStream.makeStream(of: Request.self, bufferingPolicy: .bufferingNewest(1))
  private let current = Mutex<Drag?>(nil)

  init(_ window: SceneWindow, _ display: DesktopDisplay) {
    self.window = window
    self.display = display
  }

  /// Requests a drag of rows with items.
  func begin(_ rows: [SceneRow], picture: DragPicture, time: UInt32) {
    let icon = DesktopDrag.Icon(width: picture.width, height: picture.height) { feedback in
      switch feedback {
      case .refused: picture.canvas(.refused).pixels
      case .copy: picture.canvas(.copy).pixels
      case .move: picture.canvas(.move).pixels
      case .open: picture.canvas(.open).pixels
      }
    }
    requests.continuation.yield(Request(rows: rows, icon: icon, time: time))
  }

  /// Runs the drags, one after the other, and reports why one failed; an empty reason if it did not.
  func run(_ report: (String) throws -> Void) async throws {
    // Targets may copy temporary files after the drop, so the files of the last drag are kept.
    var last: DesktopDrag?
    for await request in requests.stream {
      let drag = Drag(window.beginDrag(), request.rows)
      current.withLock { $0 = drag }
      try report("")
      let mark = DragMark(name: Self.markName, data: Data(drag.id.text.utf8))
      let desktopDrag = DesktopDrag(
        display, drag.items, allowsMove: drag.allowsMove, icon: request.icon, opensWindow: drag.opensWindow, mark: mark)
      do {
        let outcome = try await desktopDrag.run(from: .init(button: 1, time: request.time))
        // A window of the same app gets the items through the app, and reports what it has kept.
        if !window.isHandedOver(drag.id) { try report(try await end(drag, outcome)) }
      } catch {
        try report(try reason(for: error))
      }
      last = desktopDrag
    }
    withExtendedLifetime(last) {}
  }

  /// Performs what follows from the end of a drag.
  ///
  /// - Returns: The reason why no program has taken the items; an empty string if one has.
  private func end(_ drag: Drag, _ outcome: DesktopDrag.Outcome) async throws -> String {
    switch outcome {
    case .dropped(let action):
      for (row, _) in drag.rows { await row.dragged?(action) }
      return ""
    case .cancelled: return ""
    case .refused: return "not dropped: no window there accepts it"
    case .open:
      _ = try await window.drag(drag.items, to: .desktop)
      return ""
    }
  }

  /// Sends the items of the present drag to windows of the same app that ask for them, and reports failures.
  func sendHandedOver(_ report: @escaping @Sendable (String) throws -> Void) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for await handOver in window.handOvers {
        guard let drag = current.withLock({ $0 }), drag.id == handOver.drag else { continue }
        group.addTask {
          do {
            let actions: DropActions = drag.allowsMove ? [.copy, .move] : .copy
            let receipt = try await self.window.drag(drag.items, to: handOver.target, allowing: actions)
            for (row, items) in drag.rows where items.allSatisfy(receipt.keptItems.contains) {
              await row.dragged?(receipt.action)
            }
          } catch {
            try report(try self.reason(for: error))
          }
        }
      }
    }
  }

  /// Returns the reason for the failure of a drag.
  ///
  /// - Throws: The error if the window cannot go on.
  private func reason(for error: any Error) throws -> String {
    switch error {
    case let error as DropStreamError: return error.senderFailure?.reason ?? error.description
    case let error as DesktopError where error.code != .displayGone: return error.description
    default: throw error
    }
  }
}
