// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import ItemTransfer

/// Items that this process has received from another program, for a receiver in this process.
final class LocalOffer: Sendable, Hashable {
  private let items: [ItemProvider]
  /// Called before an item is loaded, with the index of the item and the progress of the load.
  let onLoad: (@Sendable (Int, ItemProgress) -> Void)?

  init(_ items: [ItemProvider], onLoad: (@Sendable (Int, ItemProgress) -> Void)? = nil) {
    self.items = items
    self.onLoad = onLoad
  }

  static func == (one: LocalOffer, other: LocalOffer) -> Bool { one === other }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// Opens a session in which the items are offered, so that a receiver treats them like the items of any other sender.
  func withSession<Result>(
    options: DropStreamOptions, isolation actor: isolated (any Actor)? = #isolation,
    _ body: (DropSession) async throws -> Result
  ) async throws -> Result {
    let (near, far) = try SystemCalls.socketPair()
    let items = items
    let source = Task {
      try await DropStream.withSession(over: .descriptor(far), options: options) { session in
        _ = try await session.offer(items)
      }
    }
    defer { source.cancel() }
    var options = options
    // A checksum that this process computes cannot show whether the other program has changed its file.
    options.acceptsUncheckedFiles = true
    return try await DropStream.withSession(over: .descriptor(near), options: options, body)
  }
}

extension DropStreamOptions {
  /// The options for other programs of the desktop, with the same idle timeout.
  var desktop: DesktopOptions {
    var options = DesktopOptions()
    if let idleTimeout { options.idleTimeout = idleTimeout }
    return options
  }
}
