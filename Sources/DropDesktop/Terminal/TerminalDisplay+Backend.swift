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

  func content(of selection: Clipboard.Selection) async throws -> any ForeignContent {
    guard let bytes = try await clipboard(isPrimary: selection == .primary) else {
      throw DesktopError(.nothingOffered, "the terminal does not send its clipboard, or has not been allowed to")
    }
    guard !bytes.isEmpty else { throw DesktopError(.nothingOffered, "the clipboard of the terminal has no text") }
    return TerminalText(text: Data(bytes), options: options)
  }

  func changes(of selection: Clipboard.Selection) async throws -> AsyncQueue<Clipboard.Change> {
    throw DesktopError(.notAllowed, "a terminal does not report changes of its clipboard")
  }

  /// Stores the text of the content, which the terminal keeps.
  ///
  /// The method returns at once: no program requests the text from this program.
  func offer(
    _ content: ProviderContent, on selection: Clipboard.Selection, isSensitive: Bool, pasteLimit: Int?,
    whenOffered: @Sendable () async -> Void
  ) async throws {
    guard content.targets.contains(TerminalText.name) else {
      throw DesktopError(.nothingOffered, "the clipboard of a terminal takes only text")
    }
    let value = try await content.value(for: TerminalText.name)
    var text = Data()
    while let part = try await value.next() {
      text += part
      guard text.count <= Self.maximumClipboardBytes else {
        let limit = Self.maximumClipboardBytes
        throw DesktopError(.limitExceeded, "the text exceeds the limit of \(limit) bytes of the terminal's clipboard")
      }
    }
    try await write(encoder.clipboard(storing: text, isPrimary: selection == .primary))
    await whenOffered()
  }

  func clear(_ selection: Clipboard.Selection) async throws {
    try await write(encoder.clipboard(storing: [], isPrimary: selection == .primary))
  }

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

/// The text of a terminal's clipboard, which has arrived completely.
private struct TerminalText: ForeignContent {
  static let name = "text/plain;charset=utf-8"

  let text: Data
  let options: DesktopOptions

  func typeNames() async throws -> [String] { [Self.name] }

  func transfer(of name: String) async throws -> (any ForeignTransfer)? {
    name == Self.name ? TerminalList(data: text) : nil
  }
}
