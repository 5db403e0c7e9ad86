// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropDesktop
import DropScenes
import DropSystem
import DropTransport
import DropWindows
import Glibc
import ItemTransfer
import Synchronization

/// The window of a scene on a display.
///
/// Several tasks share it: one handles the display's events, one shows new content, one runs drags, and one accepts
/// drops. So a window shows changes during a drag.
final class SceneView: Sendable {
  private struct State {
    var content: SceneContent?
    /// The index of the scene's row for each row of the window, in which long text takes several rows.
    var sources: [Int] = []
    /// The thumbnails by the names of their pictures; `nil` for a picture that cannot be shown.
    var thumbnails: [String: Picture?] = [:]
    var isTargeted = false
    /// The result of the last drag; empty if it succeeded.
    var message = ""
  }

  private let window: SceneWindow
  private let display: DesktopDisplay
  private let takesDrops: Bool
  private let state = Mutex(State())
  private let endings = AsyncStream.makeStream(of: Void.self)
  private let wantedPictures = AsyncStream.makeStream(of: [ScenePicture].self, bufferingPolicy: .bufferingNewest(1))
  private let drags = AsyncStream.makeStream(of: DragRequest.self, bufferingPolicy: .bufferingNewest(1))

  private struct DragRequest: Sendable {
    var rows: [SceneRow]
    var icon: DesktopDrag.Icon?
    var time: UInt32
  }

  init(_ window: SceneWindow, _ display: DesktopDisplay, takesDrops: Bool) {
    self.window = window
    self.display = display
    self.takesDrops = takesDrops
  }

  /// Ends ``run()``.
  func end() { endings.continuation.finish() }

  /// Shows the window until it is closed, or until ``end()``.
  func run() async throws {
    // Without the window, its scene must end.
    defer { window.endEvents() }
    SystemText.preload()
    let events = display.windowEvents()
    let desk = try await DesktopWindow.open(on: display.connection, model(), options: Self.options)
    defer { desk.close() }
    let takesDrops = takesDrops
    let target = DesktopDrop(display, window: desk.identifier.rawValue) { position in
      guard takesDrops else { return .refuse }
      return .accept(position.actions.contains(.move) ? .move : .copy)
    }
    try await target.withEvents { drops in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { for await _ in self.endings.stream {} }
        group.addTask { try await self.follow(events, desk) }
        group.addTask { try await self.showContents(on: desk) }
        group.addTask { try await self.showPictures(on: desk) }
        group.addTask { try await self.runDrags(on: desk) }
        group.addTask { try await self.accept(drops, desk) }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }

  private static var options: WindowOptions {
    WindowOptions(
      width: 460, height: 520, programName: "dragpipe-sample",
      environment: getenv("GTK_THEME").map { ["GTK_THEME": String(cString: $0)] } ?? [:])
  }

  // MARK: Content

  /// Handles the display's events until the user closes the window.
  private func follow(_ events: EventSubscription<X11Event>, _ desk: DesktopWindow) async throws {
    var width = 0
    while let event = await events.next() {
      let actions = try desk.handle(event)
      if desk.layout.bounds.width != width {
        width = desk.layout.bounds.width
        try refresh(desk)
      }
      for action in actions {
        switch action {
        case .closed:
          try await window.close()
          return
        case .openedRow(let index):
          if let input = row(index)?.input { window.add(.input(input)) }
        case .beganDrag(let dragged):
          guard case .motionNotify(let motion) = event.kind else { continue }
          request(dragged, desk, time: motion.time.rawValue)
        default: break
        }
      }
    }
    try Task.checkCancellation()
    throw DropStreamError(.peerGone, "the display has ended the connection")
  }

  private func row(_ index: Int) -> SceneRow? {
    state.withLock { state in
      guard let rows = state.content?.rows, state.sources.indices.contains(index) else { return nil }
      let source = state.sources[index]
      return rows.indices.contains(source) ? rows[source] : nil
    }
  }

  private func showContents(on desk: DesktopWindow) async throws {
    for await content in window.contents {
      state.withLock { $0.content = content }
      try refresh(desk)
      wantedPictures.continuation.yield(content.rows.compactMap(\.picture))
    }
  }

  /// Loads and shows pictures, one after the other.
  private func showPictures(on desk: DesktopWindow) async throws {
    for await pictures in wantedPictures.stream {
      for picture in pictures where state.withLock({ $0.thumbnails[picture.name] == nil }) {
        let side = Int(Double(picture.side) * desk.scale)
        var thumbnail: Picture?
        if let bytes = try? await picture.load() {
          thumbnail = try await Thumbnails.picture(of: Array(bytes), side: side)
        }
        state.withLock { [thumbnail] in $0.thumbnails[picture.name] = .some(thumbnail) }
        try refresh(desk)
      }
    }
  }

  /// Shows the present state, and keeps the selection of rows whose text is unchanged.
  private func refresh(_ desk: DesktopWindow) throws {
    let new = model(desk)
    try desk.update { model in
      let former = model.rows
      model = new
      for index in model.rows.indices
      where former.indices.contains(index) && former[index].name == model.rows[index].name {
        model.rows[index].isSelected = former[index].isSelected
      }
    }
  }

  private func model(_ desk: DesktopWindow? = nil) -> WindowModel {
    state.withLock { state in
      let rows = state.content?.rows ?? []
      var model = WindowModel(
        title: state.content.map { $0.session.title ?? $0.session.configurationName } ?? "",
        rowsAreDraggable: rows.contains { $0.items != nil }, status: state.message)
      model.rowsAreOpened = rows.contains { $0.input != nil }
      model.isTargeted = state.isTargeted
      state.sources = []
      for (index, row) in rows.enumerated() {
        let thumbnail = row.picture.flatMap { state.thumbnails[$0.name] ?? nil }
        let texts = row.picture == nil ? desk?.lines(of: row.text) ?? [row.text] : [row.text]
        model.rows += texts.map { text in
          WindowRow(
            name: text, type: row.detail, icon: thumbnail.map { .thumbnail($0) } ?? .symbol(.picture),
            pictureSide: row.picture?.side ?? 0)
        }
        state.sources += texts.map { _ in index }
      }
      return model
    }
  }

  // MARK: Drags

  /// Requests a drag of the rows that have items.
  private func request(_ dragged: DraggedItems, _ desk: DesktopWindow, time: UInt32) {
    guard case .rows(let indices) = dragged else { return }
    let chosen = indices.filter { row($0)?.items != nil }
    let shown = desk.model.rows
    guard !chosen.isEmpty, chosen.allSatisfy(shown.indices.contains) else { return }
    let picture = desk.dragPicture(of: chosen.map { shown[$0] })
    let icon = DesktopDrag.Icon(width: picture.width, height: picture.height) { feedback in
      switch feedback {
      case .refused: picture.canvas(.refused).pixels
      case .copy: picture.canvas(.copy).pixels
      case .move: picture.canvas(.move).pixels
      }
    }
    drags.continuation.yield(DragRequest(rows: chosen.compactMap(row), icon: icon, time: time))
  }

  private func runDrags(on desk: DesktopWindow) async throws {
    // Targets may copy temporary files after the drop, so the files of the last drag are kept.
    var last: DesktopDrag?
    for await request in drags.stream {
      let items = request.rows.flatMap { $0.items?() ?? [] }
      let allowsMove = request.rows.allSatisfy { $0.actions.contains(.move) }
      let drag = DesktopDrag(display, items, allowsMove: allowsMove, icon: request.icon)
      var message = ""
      do {
        switch try await drag.run(from: .init(button: 1, time: request.time)) {
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
      state.withLock { [message] in $0.message = message }
      try refresh(desk)
      last = drag
    }
    withExtendedLifetime(last) {}
  }

  private func isPointerOutside() async throws -> Bool {
    let root = display.connection.screen.root
    return try await display.connection.response(to: .queryPointer(root)).child == .none
  }

  // MARK: Drops

  private func accept(_ drops: DesktopDrop.Events, _ desk: DesktopWindow) async throws {
    for await event in drops {
      switch event {
      case .entered, .moved: try target(takesDrops, desk)
      case .left: try target(false, desk)
      case .dropped(let session):
        try target(false, desk)
        do {
          let drop = DesktopSceneDrop(session: session, items: try await session.items)
          try await window.add(SceneDrop(drop, position: position(of: session, desk)))
        } catch {
          try Task.checkCancellation()
          session.refuse(because: "\(error)")
          state.withLock { $0.message = "\(error)" }
          try refresh(desk)
        }
      }
    }
    try Task.checkCancellation()
  }

  private func target(_ isTargeted: Bool, _ desk: DesktopWindow) throws {
    let isChanged = state.withLock { state in
      defer { state.isTargeted = isTargeted }
      return state.isTargeted != isTargeted
    }
    if isChanged { try refresh(desk) }
  }

  /// Returns the position of the row of a drop; `nil` outside of the rows.
  private func position(of session: DesktopDrop.Session, _ desk: DesktopWindow) -> Int? {
    guard case .row(let index) = desk.target(x: session.position.x, y: session.position.y) else { return nil }
    return row(index)?.position
  }
}

/// A drop of the desktop on a window.
private struct DesktopSceneDrop: SceneDropSource {
  let session: DesktopDrop.Session
  let items: [ItemProvider]

  var actions: DropActions { session.position.actions }

  /// Reports the action, or a refusal if no item was kept: the protocol of the desktop has no count.
  func finish(_ action: DropAction, keeping kept: [Int]?) async throws(DropStreamError) {
    if kept?.isEmpty == true { return session.refuse(because: "no item was kept") }
    do {
      try await session.finish(action)
    } catch {
      let code: DropStreamError.Code = (error as? DesktopError)?.code == .notAllowed ? .notAllowed : .peerGone
      throw DropStreamError(code, "\(error)", underlyingError: error)
    }
  }

  func refuse(because reason: String) {
    session.refuse(because: reason)
  }
}
