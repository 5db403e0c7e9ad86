// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropDesktop
internal import DropScenes
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// The window of a scene on a display.
///
/// Several tasks share it: one handles the display's events, one shows new content, one runs drags, and one accepts
/// drops. So a window shows changes during a drag.
final class SceneView: Sendable {
  let window: SceneWindow
  private let display: DesktopDisplay
  let options: SceneWindowOptions
  let state: Mutex<ShownScene>
  private let endings = AsyncStream.makeStream(of: Void.self)
  private let wantedPictures = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let copies = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
  private let pastes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  let scrolls = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let resizes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let leaving = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let fading = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let drags: SceneDrags

  init(_ window: SceneWindow, _ display: DesktopDisplay, _ options: SceneWindowOptions) {
    self.options = options
    self.window = window
    self.display = display
    state = Mutex(ShownScene(takesDrops: !options.dropTypes.isEmpty, hasSizeHandle: options.hasSizeHandle))
    drags = SceneDrags(window, display)
  }

  /// Ends ``run()``.
  func end() { endings.continuation.finish() }

  /// Shows the window until it is closed, or until ``end()``.
  func run() async throws {
    // Without the window, its scene must end.
    defer { window.endEvents() }
    async let _ = SystemText.preload()
    let events = display.windowEvents()
    let desk = try await DesktopWindow.open(
      on: display.connection, state.withLock { $0.model() }, options: windowOptions)
    defer { desk.close() }
    let target = DesktopDrop(display, window: desk.identifier) { self.answer(to: $0, desk) }
    try await target.withEvents { drops in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { for await _ in self.endings.stream {} }
        group.addTask { try await self.follow(events, desk) }
        group.addTask { try await self.showContents(on: desk) }
        group.addTask { try await self.reportSizes(of: desk) }
        group.addTask { try await self.showPictures(on: desk) }
        group.addTask {
          try await self.drags.run { try self.report($0, on: desk) }
        }
        group.addTask { try await self.drags.sendHandedOver { try self.report($0, on: desk) } }
        group.addTask { try await self.accept(drops, desk) }
        group.addTask { try await self.scrollAtEdges(of: desk) }
        group.addTask { try await self.fadeMarks(on: desk) }
        group.addTask { try await self.shrinkLeavingRows(on: desk) }
        group.addTask { await self.offerCopies() }
        group.addTask { try await self.paste(into: desk) }
        defer { group.cancelAll() }
        if options.isAnimated { group.addTask { try await self.animate(desk, isOpening: true) } }
        // The end of the animation is not the end of the window.
        for _ in 0..<(options.isAnimated ? 2 : 1) { try await group.next() }
        if options.isAnimated { try await animate(desk, isOpening: false) }
      }
    }
  }

  private static let lowestHeight = 160.0
  /// The width of a usual character, in points.
  private static let characterWidth = 7.5

  /// Changes the height in steps, from the lowest height or to it.
  private func animate(_ desk: DesktopWindow, isOpening: Bool) async throws {
    let stepCount = 10
    // The user may have changed the size of a window that closes.
    let full = isOpening ? (width: options.width, height: options.height) : desk.size
    for step in 1...stepCount {
      let fraction = Double(isOpening ? step : stepCount - step) / Double(stepCount)
      try desk.resize(width: full.width, height: Self.lowestHeight + (full.height - Self.lowestHeight) * fraction)
      try await Task.sleep(for: .milliseconds(16))
    }
  }

  private var windowOptions: WindowOptions {
    var new = WindowOptions(
      width: options.width, height: options.isAnimated ? Self.lowestHeight : options.height,
      position: options.position,
      programName: CommandLine.arguments[0].split(separator: "/").last.map(String.init) ?? "",
      environment: getenv("GTK_THEME").map { ["GTK_THEME": String(cString: $0)] } ?? [:])
    new.isDialog = window.presentationStyle == .prominent
    return new
  }

  // MARK: Content

  /// Handles the display's events until the user closes the window.
  private func follow(_ events: AsyncQueue<DisplayEvent>, _ desk: DesktopWindow) async throws {
    var former = PixelRectangle.empty
    while let event = await events.next() {
      let actions = try desk.handle(event)
      let bounds = desk.layout.bounds
      if bounds != former {
        if bounds.width != former.width { try wrap(on: desk) }
        resizes.continuation.yield()
        former = bounds
      }
      for action in actions {
        switch action {
        case .changedFocus(let isFocused): window.add(.key(isFocused))
        case .closed:
          try await window.close()
          return
        case .openedRow(let index): send(row(index)?.input)
        case .pressedButton(let index):
          if let button = state.withLock({ $0.button(index) }) {
            send(button.input)
          } else if let field = desk.model.field {
            try submit(String(field.text), desk)
          }
        case .submittedField(let text): try submit(text, desk)
        case .copiedText(let text): copies.continuation.yield(text)
        case .requestedPaste: pastes.continuation.yield()
        case .cancelledRow(let index):
          send(state.withLock { $0.pressCross(ofRow: index) })
        case .markedRow(let index): send(row(index)?.mark)
        case .beganDrag(let dragged):
          request(dragged, desk, time: event.time)
        default: break
        }
      }
    }
    try Task.checkCancellation()
    throw DropStreamError(.peerGone, "the display has closed the connection")
  }

  /// Reports new sizes to the scene, and loads a picture for them; not for each step while the user changes the size.
  private func reportSizes(of desk: DesktopWindow) async throws {
    var columns = 0
    for await _ in resizes.stream {
      let (width, height) = desk.size
      if columns != Int(width / Self.characterWidth) {
        columns = Int(width / Self.characterWidth)
        window.add(.size(columns: columns))
      }
      window.add(.bounds(width: width, height: height))
      wantedPictures.continuation.yield()
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  private func send(_ input: String?) {
    if let input { window.add(.input(input)) }
  }

  /// Sends the text of the field, and empties a field that has no text of the app.
  private func submit(_ text: String, _ desk: DesktopWindow) throws {
    send(state.withLock { $0.field?.input.map { "\($0) \(text)" } ?? text })
    try desk.update { model in
      if model.field?.original == "" { model.field?.reset() }
    }
  }

  /// Offers the last copied text to all programs; at the end, a clipboard manager may store it.
  private func offerCopies() async {
    var offer: Task<Void, any Error>?
    for await text in copies.stream {
      // Two offers of one window would both respond to a request.
      offer?.cancel()
      _ = await offer?.result
      offer = Task { [display] in try await Clipboard(display).offer([ItemProvider(text)]) }
    }
    offer?.cancel()
    _ = await offer?.result
  }

  /// Inserts the text of the clipboard into the field.
  private func paste(into desk: DesktopWindow) async throws {
    for await _ in pastes.stream {
      do {
        let text = try await Clipboard(display).withItems { items in try await items.first?.value(as: String.self) }
        if let text { try desk.insert(text) }
      } catch {
        try Task.checkCancellation()
        try report("cannot paste: \(error)", on: desk)
      }
    }
  }

  func row(_ index: Int) -> SceneRow? { state.withLock { $0.row(index) } }

  /// Requests a drag of the rows that have items.
  private func request(_ dragged: DraggedItems, _ desk: DesktopWindow, time: UInt32) {
    guard case .rows(let indices) = dragged else { return }
    let chosen = indices.filter { row($0)?.items != nil }
    let shown = desk.model.rows
    guard !chosen.isEmpty, chosen.allSatisfy(shown.indices.contains) else { return }
    drags.begin(chosen.compactMap(row), picture: desk.dragPicture(of: chosen.map { shown[$0] }), time: time)
  }

  private func showContents(on desk: DesktopWindow) async throws {
    for await content in window.contents {
      if state.withLock({ $0.show(content) }) { leaving.continuation.yield() }
      try wrap(on: desk)
      wantedPictures.continuation.yield()
    }
  }

  /// Loads and shows pictures, four at a time; those of visible rows come first.
  private func showPictures(on desk: DesktopWindow) async throws {
    for await _ in wantedPictures.stream {
      try await withThrowingDiscardingTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            while let (picture, side) = self.takePicture(on: desk) {
              try Task.checkCancellation()
              guard let bytes = try? await picture.load(),
                let thumbnail = try await Thumbnails.picture(
                  of: Array(bytes), side: side, enlarges: picture.side == nil)
              else { continue }
              self.state.withLock { $0.store(thumbnail, of: picture, side: side) }
              try self.refresh(desk)
            }
          }
        }
      }
    }
  }

  /// Returns the next picture to load, and its side in pixels.
  private func takePicture(on desk: DesktopWindow) -> (ScenePicture, side: Int)? {
    let (visible, filling) = (desk.visibleRows, desk.fillingSide)
    func side(_ picture: ScenePicture) -> Int { picture.side.map { Int(Double($0) * desk.scale) } ?? filling }
    return state.withLock { $0.takePicture(visible: visible, side: side) }.map { ($0, side($0)) }
  }

  /// Divides long text into lines for the present width, and shows the content.
  private func wrap(on desk: DesktopWindow) throws {
    // The width of a line depends on the number of columns.
    try refresh(desk)
    let rows = state.withLock { $0.content?.rows ?? [] }
    let hasColumns = desk.layout.columns.count > 1
    let lines = rows.map { row in
      let hasAccessory = row.removal != nil || (row.items != nil && !hasColumns)
      return row.picture == nil && row.style != .tile
        ? desk.lines(of: row.text, hasAccessory: hasAccessory) : [row.text]
    }
    state.withLock { state in
      // New content may have arrived, whose lines follow.
      if state.content?.rows.count == lines.count { state.lines = lines }
    }
    try refresh(desk)
  }

  /// Shows the present state.
  ///
  /// Rows whose text is unchanged keep their selection; other rows are marked as new for a moment.
  func refresh(_ desk: DesktopWindow) throws {
    try desk.update { model in
      // The closure runs again if another task has changed the window, and then needs the newest content.
      let new = state.withLock { $0.model() }
      let former = RowMatches(model.rows)
      let (hadRows, field) = (!model.rows.isEmpty, model.field)
      model = new
      former.transfer(to: &model.rows, marksNew: hadRows)
      if let field, let changed = new.field { model.field = field.updated(to: changed) }
    }
    guard desk.model.rows.contains(where: \.isNew) else { return }
    fading.continuation.yield()
  }

  /// Shrinks rows that have left the content.
  private func shrinkLeavingRows(on desk: DesktopWindow) async throws {
    for await _ in leaving.stream {
      var isShrinking = true
      while isShrinking {
        try await Task.sleep(for: .milliseconds(16))
        isShrinking = state.withLock { $0.shrinkLeavingRows() }
        try refresh(desk)
      }
    }
  }

  /// Ends the marks of new rows.
  private func fadeMarks(on desk: DesktopWindow) async throws {
    for await _ in fading.stream {
      try await Task.sleep(for: .milliseconds(700))
      try desk.update { model in for index in model.rows.indices { model.rows[index].isNew = false } }
    }
  }
}
