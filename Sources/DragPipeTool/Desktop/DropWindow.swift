// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import Glibc
internal import ItemTransfer

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
    if !isOnce, case .forwarder(let forwarder) = areas.first?.destination, forwarder.isStream {
      let failure = try await forwarder.withWriter(environment) { try await show(environment, $0) }
      if let failure { throw failure }
    } else if let failure = try await show(environment, nil) {
      throw failure
    }
  }

  /// Shows the window.
  ///
  /// - Returns: The failure with which the command ends if content of a stream is missing, or if there was no drop.
  private func show(_ environment: ToolEnvironment, _ writer: DropStreamWriter?) async throws -> ToolFailure? {
    try await DesktopDisplay.withConnection(options: transfer.stream.desktop) { display in
      let events = display.windowEvents()
      let window = try await DesktopWindow.open(on: display.connection, model, options: .tool(height: height))
      defer { window.close() }
      let target = DesktopDrop(display, window: window.identifier.rawValue) { position in
        Self.area(at: position, window) == nil ? .refuse : .accept(.copy)
      }
      let run = Run(window: window, environment: environment, writer: writer)
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
  private struct Run: Sendable {
    let window: DesktopWindow
    let items = DropItems()
    let environment: ToolEnvironment
    /// The stream that carries all drops; `nil` if each drop is sent separately.
    let writer: DropStreamWriter?
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

  private static func area(at position: DesktopDrop.Position, _ window: DesktopWindow) -> Int? {
    if case .zone(let index) = window.target(x: position.x, y: position.y) { index } else { nil }
  }

  private func untilClosed(_ run: Run, _ events: AsyncQueue<X11Event>) async throws -> ToolFailure? {
    while let event = await events.next() {
      for action in try run.window.handle(event) {
        switch action {
        case .closed: return needsDrop ? ToolFailure(.cancelledByPeer, "the window was closed without a drop") : nil
        case .cancelledRow(let row): run.items.cancel(row: row)
        default: break
        }
      }
    }
    try Task.checkCancellation()
    throw ToolFailure(.peerGone, "the display has closed the connection")
  }

  /// Receives drops, one after the other.
  private func receive(_ drops: DesktopDrop.Events, _ run: Run) async throws -> ToolFailure? {
    for await event in drops {
      switch event {
      case .scrolled(let steps): try run.window.scroll(by: Double(steps))
      case .entered, .left: try Self.target(nil, run.window)
      case .moved(let position): try Self.target(Self.area(at: position, run.window), run.window)
      case .dropped(let session):
        try Self.target(nil, run.window)
        guard let index = Self.area(at: session.position, run.window) else {
          session.refuse(because: "no area is at the location of the drop")
          continue
        }
        let failure = try await receive(session, index, run)
        if isOnce, failure == nil || endsStream(index) { return failure }
      }
    }
    try Task.checkCancellation()
    return nil
  }

  /// Returns whether an area sends drops to a stream.
  ///
  /// A drop ends the stream, even if the drop fails, unless the stream carries all drops.
  private func endsStream(_ index: Int) -> Bool {
    if case .forwarder(let forwarder) = areas[index].destination { forwarder.isStream } else { false }
  }

  /// Receives a drop, and shows its progress and its result.
  ///
  /// - Returns: The reason why the drop was not received completely; `nil` if it was complete.
  /// - Throws: Errors of the display, and of a stream that cannot carry another drop.
  private func receive(_ session: DesktopDrop.Session, _ index: Int, _ run: Run) async throws -> ToolFailure? {
    let showing = Task { try await Self.showProgress(of: index, run) }
    defer { showing.cancel() }
    var failure: ToolFailure?
    do {
      if try await pass(session, to: areas[index].destination, run) {
        try await session.finish(.copy)
      } else {
        session.refuse(because: "the items were only listed")
      }
    } catch {
      try Task.checkCancellation()
      let cause = (error as? BrokenStream)?.cause ?? error
      let reason = ToolFailure(cause)
      session.refuse(because: reason.message)
      if error is BrokenStream || error is OutputClosed { throw cause }
      if !isOnce || !endsStream(index) { run.environment.note(reason.message) }
      failure = reason
    }
    showing.cancel()
    _ = await showing.result
    run.items.end(failure)
    try run.window.update { model in
      run.items.update(&model)
      model.zones[index].state = failure.map { .failed($0.message) } ?? .done
    }
    return failure
  }

  /// The failure of the output, which ends the command.
  private struct BrokenStream: Error {
    let cause: any Error
  }

  /// Passes the content of a drop to its destination.
  ///
  /// - Returns: Whether the destination keeps the received items; `false` if it only lists the items.
  private func pass(
    _ session: DesktopDrop.Session, to destination: DropArea.Destination, _ run: Run
  ) async throws -> Bool {
    if case .printer(let printer) = destination {
      try await printer.write(try await session.addresses, to: run.environment)
      return true
    }
    let list = Task { try await session.items }
    run.items.begin(session.progress) { list.cancel() }
    let items = try await withTaskCancellationHandler {
      try await list.value
    } onCancel: {
      list.cancel()
    }
    run.items.begin(items)
    switch destination {
    case .receiver(let receiver):
      try await receiver.receiving(items) { run.items.follow($0, $1) }.run(in: run.environment)
      return receiver.keepsItems
    case .forwarder(let forwarder):
      let followed = run.items.followed(items)
      if !forwarder.isStream {
        try await forwarder.offer(followed, run.environment)
      } else {
        do {
          // If each drop has its own stream, the source is notified only after the end of that stream.
          let missing =
            if let writer = run.writer {
              try await forwarder.write(followed, to: writer)
            } else {
              try await forwarder.withWriter(run.environment) { try await forwarder.write(followed, to: $0) }
            }
          if let missing { throw missing }
        } catch let failure as ToolFailure {
          throw failure
        } catch {
          throw BrokenStream(cause: error)
        }
      }
    case .printer: break
    }
    return true
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
