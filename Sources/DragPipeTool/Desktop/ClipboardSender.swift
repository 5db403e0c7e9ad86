// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import ItemTransfer
internal import UniformTypes

/// A sender that offers items on the clipboard until another program copies, or until enough programs have pasted.
struct ClipboardSender: Sendable {
  let items: RepeatableItems
  let selection: Clipboard.Selection
  /// The number of pastes to serve; `nil` for no limit.
  let pasteCount: Int?
  var isSensitive = false
  let transfer: TransferOptions

  /// Offers the items.
  ///
  /// - Parameter whenOffered: Called once this process owns the clipboard.
  /// - Throws: `peerGone` without a display; `partial` if items were left out; read errors of the items.
  func run(whenOffered: @escaping @Sendable () async -> Void = {}) async throws {
    let leftOut = LoadFailures()
    let offered = try await items.load(leftOut).map(\.provider)
    var choice = transfer.display
    if choice == nil, DisplayChoice.copiesToTerminal(nil), canCopyToTerminal(offered) {
      choice = .terminal
      if !transfer.isQuiet {
        items.context.environment.note("no display; the terminal is asked to copy the text, and may ignore it")
      }
    }
    try await ClipboardDisplay.with(transfer.desktop, via: choice) { display in
      try await Clipboard(display, selection).offer(
        offered, isSensitive: isSensitive, pasteLimit: pasteCount, whenOffered: whenOffered)
    }
    if let failure = leftOut.failure(hasSentSome: true) { throw failure }
  }

  /// Returns whether a terminal can keep the items as they were meant: one text, for any number of pastes.
  private func canCopyToTerminal(_ offered: [ItemProvider]) -> Bool {
    guard !isSensitive, pasteCount == nil, offered.count == 1, let item = offered.first else { return false }
    return item.contentTypes(visibleTo: .all).first { !$0.conforms(to: .url) }?.conforms(to: .text) == true
  }
}
