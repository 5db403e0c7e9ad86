// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// A window onto which other programs drop items.
struct DropWindow: Sendable {
  /// The number of rows that fit in the window when it opens.
  private static let visibleRowCount = 4
  /// The time between two updates of the progress.
  private static let frameTime = Duration.milliseconds(50)

  let areas: [DropArea]
  /// Whether to end after the first drop that was received.
  let isOnce: Bool
  /// Whether the command fails if the window is closed before a drop was received.
  var needsDrop = false
  let transfer: TransferOptions

  /// Shows the window until it is closed, or with ``isOnce`` until a drop was received or ended a stream.
  ///
  /// - Throws: `peerGone` without a display; errors of a stream that carries all drops.
  func run(in environment: ToolEnvironment) async throws {
    async let _ = SystemText.preload()
    try await DropReception.run(areas, isOnce: isOnce, in: environment) { try await show($0) }
  }

  /// Shows the window.
  ///
  /// - Returns: The failure with which the command ends if content of a stream is missing, or if there was no drop.
  private func show(_ reception: DropReception) async throws -> ToolFailure? {
    try await DesktopDisplay.withConnection(options: transfer.desktop) { display in
      let events = display.windowEvents()
      let window = try await DesktopWindow.open(on: display.connection, model, options: .tool(height: height))
      defer { window.close() }
      let run = Run(window: window, display: display, reception: reception)
      let target = DesktopDrop(display, window: window.identifier) { position in
        area(at: position, run) == nil ? .refuse : .accept(.copy)
      }
      return try await target.withEvents { drops in
        try await withThrowingTaskGroup(of: ToolFailure?.self) { group in
          group.addTask { try await untilClosed(run, events) }
          group.addTask { try await receive(drops, run) }
          defer { group.cancelAll() }
          return try await group.next() ?? nil
        }
      }
    }
  }

  /// The objects that are in use while a window is shown.
  private final class Run: Sendable {
    let window: DesktopWindow
    let display: DesktopDisplay
    let reception: DropReception
    /// The start times of the drags from the window that have not been dropped.
    ///
    /// The window refuses their items.
    let drags = Lock<Set<UInt32>>([])

    init(window: DesktopWindow, display: DesktopDisplay, reception: DropReception) {
      (self.window, self.display, self.reception) = (window, display, reception)
    }

    var items: DropItems { reception.items }
    var environment: ToolEnvironment { reception.environment }
  }

  private var model: WindowModel {
    WindowModel(
      title: "Drop", hint: "Drop files or other content here.",
      zones: areas.map { DropZone(name: $0.name, detail: $0.detail) })
  }

  private var height: Double {
    var model = model
    model.rows = Array(repeating: WindowRow(name: ""), count: Self.visibleRowCount)
    model.status = "items"
    return WindowLayout.preferredHeight(model)
  }

  /// Returns the area for a drop at a location; `nil` for none, and during a drag from the window itself.
  ///
  /// The only area has the whole window.
  private func area(at position: DesktopDrop.Position, _ run: Run) -> Int? {
    guard run.drags.withLock({ $0.isEmpty }) else { return nil }
    if areas.count == 1 { return 0 }
    if case .zone(let index) = run.window.target(x: position.x, y: position.y) { return index }
    return nil
  }

  private func untilClosed(_ run: Run, _ events: AsyncQueue<DisplayEvent>) async throws -> ToolFailure? {
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      while let event = await events.next() {
        for action in try run.window.handle(event) {
          switch action {
          case .closed: return needsDrop ? ToolFailure(.cancelledByPeer, "the window was closed without a drop") : nil
          case .cancelledRow(let row): run.items.cancel(row: row)
          case .openedRow(let row):
            // Another task may have replaced the rows meanwhile.
            let rows = run.window.model.rows
            if rows.indices.contains(row) { Self.open(rows[row].tooltip, run.environment) }
          case .beganDrag(.rows(let rows)):
            group.addTask { try await Self.drag(rows, time: event.time, run) }
          default: break
          }
        }
      }
      try Task.checkCancellation()
      throw ToolFailure(.peerGone, "the display has closed the connection")
    }
  }

  /// Opens a received file in the program that the desktop has chosen for its type.
  private static func open(_ path: String, _ environment: ToolEnvironment) {
    guard !path.isEmpty else { return }
    do {
      let none = try OwnedDescriptor.open("/dev/null", O_RDWR)
      // The program outlives this command, also if the terminal interrupts this command.
      let process = try ChildProcess("xdg-open", [path], input: none.raw, output: none.raw, leadsGroup: true)
      Task {
        let ending = await process.waitForEnd()
        if ending.exitCode != 0 { environment.note("cannot open \(path.escapedForDisplay()): xdg-open: \(ending)") }
      }
    } catch {
      environment.note("cannot open \(path.escapedForDisplay()): xdg-open: \(error)")
    }
  }

  /// Drags received files to another program.
  private static func drag(_ rows: [Int], time: UInt32, _ run: Run) async throws {
    let all = run.window.model.rows
    let dragged = rows.filter { all.indices.contains($0) && !all[$0].tooltip.isEmpty }.map { all[$0] }
    guard !dragged.isEmpty else { return }
    let items = await runBlocking {
      dragged.map { row in
        let file = URL(fileURLWithPath: row.tooltip)
        let item = ItemProvider(contentsOf: file)
        item.register(.fileURL) { _ in Data(file.absoluteString.utf8) }
        return item
      }
    }
    let icon = DesktopDrag.Icon(run.window.dragPicture(of: dragged))
    run.drags.withLock { _ = $0.insert(time) }
    let end: @Sendable (String?) -> Void = { _ in run.drags.withLock { _ = $0.remove(time) } }
    defer { end(nil) }
    do {
      _ = try await DesktopDrag(run.display, items, icon: icon).run(from: .init(button: 1, time: time), onDrop: end)
    } catch let error as DesktopError where error.code != .displayGone {
      run.environment.note(error.description)
    } catch is CancellationError {
      // The window is closed.
    }
  }

  /// Receives drops, one after the other.
  private func receive(_ drops: DesktopDrop.Events, _ run: Run) async throws -> ToolFailure? {
    for await event in drops {
      switch event {
      case .scrolled(let steps): try run.window.scroll(by: Double(steps))
      case .entered, .left: try Self.target(nil, run.window)
      case .moved(let position): try Self.target(area(at: position, run), run.window)
      case .dropped(let session):
        try Self.target(nil, run.window)
        guard let index = area(at: session.position, run) else {
          session.refuse(because: "no area is at the location of the drop")
          continue
        }
        let failure = try await receive(session, index, run)
        if isOnce, failure == nil || areas[index].endsStream { return failure }
      }
    }
    try Task.checkCancellation()
    return nil
  }

  /// Receives a drop, and shows its progress and its result.
  ///
  /// - Returns: The reason why the drop was not received completely; `nil` if it was complete.
  /// - Throws: Errors of the display, and of a stream that cannot carry another drop.
  private func receive(_ session: DesktopDrop.Session, _ index: Int, _ run: Run) async throws -> ToolFailure? {
    let showing = Task { try await Self.showProgress(of: index, run) }
    defer { showing.cancel() }
    let failure = try await run.reception.receive(session, in: areas[index], isOnce: isOnce)
    showing.cancel()
    _ = await showing.result
    run.items.end(failure)
    try run.window.update { model in
      run.items.update(&model)
      model.zones[index].state = failure.map { .failed($0.message) } ?? .done
    }
    return failure
  }

  /// Shows the progress of a drop until the task is cancelled.
  private static func showProgress(of index: Int, _ run: Run) async throws {
    while !Task.isCancelled {
      try run.window.update { model in
        run.items.update(&model)
        model.zones[index].state = .loading(nil)
      }
      _ = try run.window.advanceAnimation()
      try await Task.sleep(for: frameTime)
    }
  }

  private static func target(_ index: Int?, _ window: DesktopWindow) throws(DisplayError) {
    try window.update { model in
      for zone in model.zones.indices { model.zones[zone].isTargeted = zone == index }
    }
  }
}

extension WindowOptions {
  /// Returns the settings of the tool's windows.
  ///
  /// - Parameter height: The height in points; `nil` for the preferred height of the content.
  /// - Returns: The settings.
  static func tool(height: Double? = nil) -> WindowOptions {
    WindowOptions(height: height, environment: getenv("GTK_THEME").map { ["GTK_THEME": String(cString: $0)] } ?? [:])
  }
}
