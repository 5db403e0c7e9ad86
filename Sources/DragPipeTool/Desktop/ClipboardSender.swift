// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop

/// The sender of items through the clipboard, which other programs paste until one of them copies.
struct ClipboardSender: Sendable {
  let items: RepeatableItems
  let selection: Clipboard.Selection
  /// The number of pastes to serve; `nil` for no limit.
  let pasteCount: Int?
  var isSensitive = false
  let transfer: TransferOptions

  /// Offers the items.
  ///
  /// - Parameter whenOffered: Called once the items are offered.
  /// - Throws: `peerGone` without a display; errors of reading the items.
  func run(whenOffered: @escaping @Sendable () async -> Void = {}) async throws {
    let leftOut = LoadFailures()
    let offered = try await items.load(leftOut).map(\.provider)
    try await DesktopDisplay.withConnection(options: transfer.stream.desktop) { display in
      try await Clipboard(display, selection).offer(
        offered, isSensitive: isSensitive, pasteLimit: pasteCount, whenOffered: whenOffered)
    }
    if let failure = leftOut.failure(hasSentSome: true) { throw failure }
  }
}
