// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropScenes
internal import DropTransport
internal import DropWindows
internal import Synchronization
internal import UniformTypes

/// The drops on the window of a scene.
extension SceneView {
  /// Passes drops to the scene until the window closes.
  func accept(_ drops: DesktopDrop.Events, _ desk: DesktopWindow) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for await event in drops {
        switch event {
        case .entered: break
        case .moved(let position): try target(position, desk)
        case .scrolled(let steps):
          let drag = state.withLock { $0.drag }
          try desk.scroll(by: Double(steps), atX: drag?.x ?? 0)
          try target(drag, desk)
        case .left: try target(nil, desk)
        case .dropped(let session):
          let place = place(of: session.position, desk)
          try target(nil, desk)
          // A program that sends its items slowly does not delay other drops.
          group.addTask { try await self.take(session, at: place?.position, desk) }
        }
      }
    }
    try Task.checkCancellation()
  }

  /// Answers a location of a drag.
  func answer(to position: DesktopDrop.Position, _ desk: DesktopWindow) -> DesktopDrop.Answer {
    place(of: position, desk) == nil ? .refuse : .accept(position.actions.contains(.move) ? .move : .copy)
  }

  /// Returns whether a drag has items of a type that can be dropped, or files of unknown types.
  private func accepts(_ position: DesktopDrop.Position) -> Bool {
    let types = position.types
    if types.contains(where: { type in options.dropTypes.contains { type.conforms(to: $0) } }) { return true }
    // A drag of another window of such an app lists all its types.
    return !options.dropTypes.isEmpty && !position.typeNames.contains(SceneDrags.markName)
      && !Set(position.typeNames).isDisjoint(with: ["text/uri-list", "application/octet-stream"])
  }

  /// Takes the items of a drop.
  ///
  /// The items of another window of the app come through the app. They arrive at once, and their content on demand.
  private func take(_ session: DesktopDrop.Session, at position: Int?, _ desk: DesktopWindow) async throws {
    do {
      if await request(session, at: position) { return try await session.finish(session.acceptedAction) }
      // Programs of the desktop send all content first.
      try report("loading…", on: desk)
      let drop = DesktopSceneDrop(session: session, items: try await session.items)
      try report("", on: desk)
      try await window.add(SceneDrop(drop, position: position))
    } catch {
      try Task.checkCancellation()
      session.refuse(because: "\(error)")
      let isLate = (error as? DesktopError)?.code == .timedOut
      try report(isLate ? "not dropped: the other program did not send the items in time" : "\(error)", on: desk)
    }
  }

  /// Requests the items of a drag of this app from their window; returns whether they will arrive.
  private func request(_ session: DesktopDrop.Session, at position: Int?) async -> Bool {
    guard let mark = await session.mark(named: SceneDrags.markName),
      let drag = SceneDrag(String(decoding: mark, as: UTF8.self))
    else { return false }
    do {
      try await window.take(drag, position: position)
      return true
    } catch {
      return false
    }
  }

  /// Shows a message in the window.
  func report(_ message: String, on desk: DesktopWindow) throws {
    state.withLock { $0.message = message }
    try refresh(desk)
  }

  /// Shows where a drop would take effect.
  private func target(_ location: DesktopDrop.Position?, _ desk: DesktopWindow) throws {
    let place = location.flatMap { self.place(of: $0, desk) }
    let position = place == nil ? nil : location
    let column = position.map { desk.layout.column(atX: $0.x) }
    let insertion = place?.insertion
    let isChanged = state.withLock { state -> Bool in
      let isChanged = state.targetedColumn != column || state.insertion != insertion
      state.drag = position
      state.targetedColumn = column
      state.insertion = insertion
      return isChanged
    }
    if isChanged { try refresh(desk) }
    if position != nil { scrolls.continuation.yield() }
  }

  /// Returns the position of a drop at a location, and the place between two rows if drops are inserted there; `nil` for a
  /// drag that is refused.
  private func place(
    of location: DesktopDrop.Position, _ desk: DesktopWindow
  ) -> (position: Int?, insertion: RowInsertion?)? {
    guard accepts(location) else { return nil }
    var place: (position: Int?, insertion: RowInsertion?)
    if !options.insertsDrops {
      place.position = desk.row(forDropAtX: location.x, y: location.y).flatMap { row($0)?.position }
    } else if let insertion = desk.insertion(forDropAtX: location.x, y: location.y) {
      // The window may have another size by now.
      let column = desk.layout.columns.dropFirst(insertion.column).first
      let isFirst = column?.lowerBound == insertion.index
      place.position = state.withLock { $0.position(of: insertion, isFirst: isFirst) }
      if place.position != nil { place.insertion = insertion }
    }
    return place.position == nil && desk.layout.columns.count > 1 ? nil : place
  }

  /// Scrolls the list while a drag is at its upper or lower edge.
  func scrollAtEdges(of desk: DesktopWindow) async throws {
    let edge = 28 * desk.scale
    for await _ in scrolls.stream {
      while let drag = state.withLock({ $0.drag }) {
        let list = desk.layout.listContent
        let (above, below) = (Double(drag.y - list.y), Double(list.endY - drag.y))
        guard min(above, below) < edge, try desk.scroll(by: above < below ? -0.25 : 0.25, atX: drag.x) else { break }
        try target(drag, desk)
        try await Task.sleep(for: .milliseconds(30))
      }
    }
  }
}
