// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem

extension X11Display {
  func atom(of selection: Clipboard.Selection) -> X11Atom { selection == .primary ? .primary : atoms[.clipboard] }

  func content(of selection: Clipboard.Selection) async throws -> any ForeignContent {
    SelectionReader(display: self, selection: atom(of: selection), time: try await currentTime())
  }

  func changes(of selection: Clipboard.Selection) async throws -> AsyncQueue<Clipboard.Change> {
    guard let xfixes = try await connection.xfixes() else {
      throw DesktopError(.noDisplay, "the display cannot report changes: it lacks XFIXES")
    }
    let selection = atom(of: selection)
    let changes = router.events(limit: 1) { _, _ in
      true
    } _: { event -> Clipboard.Change? in
      guard case .selectionOwnerNotify(let change) = event.kind, change.selection == selection, !event.isSentByClient
      else { return nil }
      return Clipboard.Change(isOffered: change.owner != .none)
    }
    try connection.send(
      .xfixesSelectSelectionInput(
        xfixes, window: connection.screen.root, selection: selection,
        changes: [.newOwner, .windowDestroyed, .clientClosed]))
    try await connection.synchronize()
    return changes
  }

  func offer(
    _ content: ProviderContent, on selection: Clipboard.Selection, isSensitive: Bool, pasteLimit: Int?,
    whenOffered: @Sendable () async -> Void
  ) async throws {
    let time = try await currentTime()
    let owner = try await SelectionOwner(self, atom(of: selection), window: window, content, time: time)
    await whenOffered()
    do {
      if try await owner.serve(limit: pasteLimit) == .served {
        owner.release()
        await settle()
      }
    } catch is CancellationError {
      // The manager still requests the content, so a task that is not cancelled responds.
      if selection != .primary, !isSensitive { _ = try? await Task { try await owner.store() }.value }
      owner.release()
      await settle()
      throw CancellationError()
    }
  }

  func clear(_ selection: Clipboard.Selection) async throws {
    let (time, atom) = (try await currentTime(), atom(of: selection))
    // Only its owner can release a selection.
    try connection.send(.setSelectionOwner(window, selection: atom, time: time))
    try connection.send(.setSelectionOwner(.none, selection: atom, time: time))
    try await connection.synchronize()
  }
}
