// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The sender of items through the clipboard, which other programs paste until one of them copies.
struct ClipboardSender: Sendable {
  /// The maximum length of standard input, which stays in memory because it can be read only once.
  static let maximumInputBytes = 256 << 20

  let items: OfferedItems
  let context: OfferContext
  let selection: Clipboard.Selection
  /// The number of pastes to serve; `nil` for no limit.
  let pasteCount: Int?
  var isSensitive = false
  let keepsGoing: Bool
  let transfer: TransferOptions

  /// Offers the items.
  ///
  /// - Parameter whenOffered: Called once the items are offered.
  /// - Throws: `peerGone` without a display; errors of reading the items.
  func run(whenOffered: @escaping @Sendable () async -> Void = {}) async throws {
    let leftOut = LoadFailures()
    let leaveOut: @Sendable (DropStreamError) -> Void = { leftOut.add($0, notedIn: context.environment) }
    var providers: [ItemProvider] = []
    let names = try await items.names(context, onLeftOut: keepsGoing ? leaveOut : nil)
    try await items.forEach(of: names, context) { item in providers.append(try await repeatable(item)) }
    let offered = providers
    try await DesktopDisplay.withConnection(options: transfer.desktop) { display in
      try await Clipboard(display, selection).offer(
        offered, isSensitive: isSensitive, pasteLimit: pasteCount, whenOffered: whenOffered)
    }
    if let failure = leftOut.failure(hasSentSome: true) { throw failure }
  }

  /// Returns an item whose representations can be loaded several times, and the address of its file.
  private func repeatable(_ item: OfferedItems.Item) async throws -> ItemProvider {
    if let file = item.file, file.isReadableAgain {
      let address = URL(fileURLWithPath: file.resolvedPath, isDirectory: file.isFolder)
      item.provider.register(.fileURL) { _ in Data(address.absoluteString.utf8) }
      return item.provider
    }
    guard item.file != nil || items.readsInput else { return item.provider }
    let copy = ItemProvider(suggestedName: item.provider.suggestedName)
    for type in item.provider.contentTypes(visibleTo: .all) {
      let data = try await content(of: item.provider, type)
      copy.register(type == .data ? Self.type(of: data) : type) { _ in data }
    }
    return copy
  }

  private func content(of provider: ItemProvider, _ type: UTType) async throws -> Data {
    var data = Data()
    for try await chunk in try await provider.bytes(for: type) {
      data += chunk
      guard data.count <= Self.maximumInputBytes else {
        throw ToolFailure(
          .refused, "the input exceeds \(Self.maximumInputBytes) bytes; write it to a file and copy that")
      }
    }
    return data
  }

  /// The type of content without a name; text becomes plain text, so that editors accept it.
  private static func type(of data: Data) -> UTType {
    let found = UTType.identify(content: Array(data.prefix(64 << 10)).span).type
    let isText = found.conforms(to: .plainText) && String(validating: data, as: UTF8.self) != nil
    return isText ? .utf8PlainText : found
  }
}

/// A session with this process's own view of the clipboard, so that a receiver treats it like any other sender.
enum ClipboardSource {
  /// Opens a session in which the content of a selection is offered.
  ///
  /// - Parameters:
  ///   - selection: The selection.
  ///   - options: The options of the session.
  ///   - desktop: The options for the other program.
  ///   - body: Uses the session.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of the desktop, and of `body`.
  static func withSession<Result>(
    _ selection: Clipboard.Selection, options: DropStreamOptions, desktop: DesktopOptions,
    _ body: (DropSession) async throws -> Result
  ) async throws -> Result {
    let (near, far) = try SystemCalls.socketPair()
    let source = Task {
      let socket = OwnedDescriptor(far)
      try await offer(selection, options, desktop, socket)
    }
    do {
      let result = try await DropStream.withSession(over: .descriptor(near), options: options, body)
      source.cancel()
      return result
    } catch {
      source.cancel()
      // The desktop's error explains a session that ended early.
      if !Task.isCancelled, case .failure(let cause as DesktopError) = await source.result, cause.code != .cancelled {
        throw cause
      }
      throw error
    }
  }

  private static func offer(
    _ selection: Clipboard.Selection, _ options: DropStreamOptions, _ desktop: DesktopOptions,
    _ socket: consuming OwnedDescriptor
  ) async throws {
    var socket: OwnedDescriptor? = consume socket
    try await DesktopDisplay.withConnection(options: desktop) { display in
      try await Clipboard(display, selection).withItems { items in
        guard let descriptor = socket.take()?.release() else { return }
        try await DropStream.withSession(over: .descriptor(descriptor), options: options) { session in
          _ = try await session.offer(items)
        }
      }
    }
  }
}

extension TransferOptions {
  /// The options for programs of the desktop.
  var desktop: DesktopOptions {
    var options = DesktopOptions()
    if let idleTimeout { options.idleTimeout = idleTimeout }
    return options
  }
}
