// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import ItemTransfer

/// A terminal onto which other programs drop items.
struct TerminalDrop: Sendable {
  /// The time between two updates of the progress.
  private static let frameTime = Duration.milliseconds(200)

  let areas: [DropArea]
  /// Whether to end after the first drop that was received.
  let isOnce: Bool
  /// Whether the command fails if it ends before a drop was received.
  var needsDrop = false
  let transfer: TransferOptions

  /// Shows the areas until the user ends the command, or with ``isOnce`` until a drop was received or ended a stream.
  ///
  /// - Throws: `peerGone` if the terminal does not support drags; errors of a stream that carries all drops.
  func run(in environment: ToolEnvironment) async throws {
    try await DropReception.run(areas, isOnce: isOnce, in: environment) { try await show($0) }
  }

  private func show(_ reception: DropReception) async throws -> ToolFailure? {
    try await DesktopTerminal.withTerminal(transfer.desktop) { terminal in
      try await terminal.withScreen {
        let model = WindowModel(
          title: "Drop", hint: "Drop files or other content here.",
          zones: areas.map { DropZone(name: $0.name, detail: $0.detail) })
        let screen = TerminalScreen(model, on: terminal)
        try await screen.update { _ in }
        let target = DesktopDrop(terminal.display, window: 0) { position in
          area(at: position, screen) == nil ? .refuse : .accept(.copy)
        }
        return try await target.withEvents { drops in
          try await withThrowingTaskGroup(of: ToolFailure?.self) { group in
            group.addTask {
              try await screen.awaitEnd()
              return needsDrop ? ToolFailure(.cancelledByPeer, "the command ended without a drop") : nil
            }
            group.addTask { try await receive(drops, screen, reception) }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
          }
        }
      }
    }
  }

  /// Returns the area for a drop at a location; `nil` for none.
  ///
  /// The only area has the whole terminal.
  private func area(at position: DesktopDrop.Position, _ screen: TerminalScreen) -> Int? {
    if areas.count == 1 { return 0 }
    if case .zone(let index) = screen.lines.meaning(ofLine: position.y) { return index }
    return nil
  }

  /// Receives drops, one after the other.
  private func receive(
    _ drops: DesktopDrop.Events, _ screen: TerminalScreen, _ reception: DropReception
  ) async throws -> ToolFailure? {
    var targeted: Int?
    func target(_ index: Int?) async throws {
      guard index != targeted else { return }
      targeted = index
      try await screen.update { model in
        for zone in model.zones.indices { model.zones[zone].isTargeted = zone == index }
      }
    }
    for await event in drops {
      switch event {
      case .scrolled, .entered: break
      case .left: try await target(nil)
      case .moved(let position): try await target(area(at: position, screen))
      case .dropped(let session):
        try await target(nil)
        guard let index = area(at: session.position, screen) else {
          session.refuse(because: "no area is at the location of the drop")
          continue
        }
        let failure = try await receive(session, index, screen, reception)
        if isOnce, failure == nil || areas[index].endsStream { return failure }
      }
    }
    try Task.checkCancellation()
    throw ToolFailure(.peerGone, "the terminal is closed")
  }

  /// Receives a drop, and shows its progress and its result.
  private func receive(
    _ session: DesktopDrop.Session, _ index: Int, _ screen: TerminalScreen, _ reception: DropReception
  ) async throws -> ToolFailure? {
    let showing = Task {
      while !Task.isCancelled {
        try await screen.update { model in
          reception.items.update(&model)
          model.zones[index].state = .loading(nil)
        }
        try await Task.sleep(for: Self.frameTime)
      }
    }
    defer { showing.cancel() }
    let failure = try await reception.receive(session, in: areas[index], isOnce: isOnce)
    showing.cancel()
    _ = await showing.result
    reception.items.end(failure)
    try await screen.update { model in
      reception.items.update(&model)
      model.zones[index].state = failure.map { .failed($0.message) } ?? .done
    }
    return failure
  }
}
