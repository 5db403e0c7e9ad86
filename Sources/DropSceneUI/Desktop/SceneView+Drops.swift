// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
public import DropScenes
internal import DropWindows
internal import Synchronization

/// The drops on the window of a scene.
extension SceneView {
  /// Passes drops to the scene until the window closes.
  func accept(_ drops: DesktopDrop.Events, _ desk: DesktopWindow) async throws {
    for await event in drops {
      switch event {
      case .entered: break
      case .moved(let position): try target(position, desk)
      case .left: try target(nil, desk)
      case .dropped(let session):
        try target(nil, desk)
        // Programs of the desktop send all content first.
        try report("loading…", on: desk)
        do {
          let drop = DesktopSceneDrop(session: session, items: try await session.items)
          try report("", on: desk)
          try await window.add(SceneDrop(drop, position: position(of: session, desk)))
        } catch {
          try Task.checkCancellation()
          session.refuse(because: "\(error)")
          try report("\(error)", on: desk)
        }
      }
    }
    try Task.checkCancellation()
  }

  /// Shows a message in the window.
  func report(_ message: String, on desk: DesktopWindow) throws {
    state.withLock { $0.message = message }
    try refresh(desk)
  }

  private func target(_ position: DesktopDrop.Position?, _ desk: DesktopWindow) throws {
    let column = !options.dropTypes.isEmpty ? position.map { desk.layout.column(atX: $0.x) } : nil
    let isChanged = state.withLock { state in
      defer { state.targetedColumn = column }
      return state.targetedColumn != column
    }
    if isChanged { try refresh(desk) }
  }

  /// Returns the position of the row of a drop; `nil` outside of the rows.
  private func position(of session: DesktopDrop.Session, _ desk: DesktopWindow) -> Int? {
    desk.row(forDropAtX: session.position.x, y: session.position.y).flatMap { row($0)?.position }
  }
}
