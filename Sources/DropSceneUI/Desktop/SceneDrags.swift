// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropDesktop
public import DropScenes
internal import DropTransport
internal import DropWindows

/// The drags that start in a window.
struct SceneDrags: Sendable {
  private struct Request: Sendable {
    var rows: [SceneRow]
    var icon: DesktopDrag.Icon?
    var time: X11Time
  }

  private let window: SceneWindow
  private let display: DesktopDisplay
  private let requests = AsyncStream.makeStream(of: Request.self, bufferingPolicy: .bufferingNewest(1))

  init(_ window: SceneWindow, _ display: DesktopDisplay) {
    self.window = window
    self.display = display
  }

  /// Requests a drag of rows with items.
  func begin(_ rows: [SceneRow], picture: DragPicture, time: X11Time) {
    let icon = DesktopDrag.Icon(width: picture.width, height: picture.height) { feedback in
      switch feedback {
      case .refused: picture.canvas(.refused).pixels
      case .copy: picture.canvas(.copy).pixels
      case .move: picture.canvas(.move).pixels
      }
    }
    requests.continuation.yield(Request(rows: rows, icon: icon, time: time))
  }

  /// Runs the drags, one after the other, and reports why one failed; an empty reason if it did not.
  func run(_ report: (String) throws -> Void) async throws {
    // Targets may copy temporary files after the drop, so the files of the last drag are kept.
    var last: DesktopDrag?
    for await request in requests.stream {
      let items = request.rows.flatMap { $0.items?() ?? [] }
      let allowsMove = request.rows.allSatisfy { $0.actions.contains(.move) }
      let drag = DesktopDrag(display, items, allowsMove: allowsMove, icon: request.icon)
      var message = ""
      do {
        switch try await drag.run(from: .init(button: 1, time: request.time.rawValue)) {
        case .dropped(let action): for row in request.rows { await row.dragged?(action) }
        case .refused:
          // Outside of all windows, the items open a window of their own.
          if try await isPointerOutside() { _ = try await window.drag(items, to: .desktop) }
        case .cancelled: break
        }
      } catch let error as DropStreamError {
        message = error.senderFailure?.reason ?? error.description
      } catch let error as DesktopError where error.code != .displayGone {
        message = error.description
      }
      try report(message)
      last = drag
    }
    withExtendedLifetime(last) {}
  }

  private func isPointerOutside() async throws -> Bool {
    let root = display.connection.screen.root
    return try await display.connection.response(to: .queryPointer(root)).child == .none
  }
}
