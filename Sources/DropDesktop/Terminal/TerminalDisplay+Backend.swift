// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer

extension TerminalDisplay: DisplayBackend {
  var connectionForWindows: DisplayConnection { preconditionFailure("a terminal has no windows") }

  func windowEvents(limit: Int) -> AsyncQueue<DisplayEvent> {
    let events = AsyncQueue<DisplayEvent>()
    events.close()
    return events
  }

  // MARK: Clipboards

  func content(of selection: Clipboard.Selection) async throws -> any ForeignContent { throw Self.noClipboard }

  func changes(of selection: Clipboard.Selection) async throws -> AsyncQueue<Clipboard.Change> {
    throw Self.noClipboard
  }

  func offer(
    _ content: ProviderContent, on selection: Clipboard.Selection, isSensitive: Bool, pasteLimit: Int?,
    whenOffered: @Sendable () async -> Void
  ) async throws {
    throw Self.noClipboard
  }

  func clear(_ selection: Clipboard.Selection) async throws { throw Self.noClipboard }

  private static let noClipboard = DesktopError(.notAllowed, "the terminal gives no access to its clipboard")

  // MARK: Drags

  func run(
    _ drag: DesktopDrag, from press: DesktopDrag.Press, onDrop: @escaping @Sendable (String?) -> Void
  ) async throws -> DesktopDrag.Outcome {
    let messages = try openSource()
    defer { closeSource() }
    return try await TerminalDragSource(self, drag, messages, onDrop: onDrop).run()
  }

  func target(_ target: DesktopDrop, _ queue: AsyncQueue<DesktopDrop.Event>) async throws -> any DropReceiver {
    try await TerminalDropLoop(target, self, queue)
  }
}
