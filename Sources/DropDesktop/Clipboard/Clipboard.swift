// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import DropTransport
public import ItemTransfer

/// The clipboard, or the primary selection, of a display.
///
/// ```swift
/// try await DesktopDisplay.withConnection { display in
///   try await Clipboard(display).offer([ItemProvider(hero)])      // until another program copies
/// }
/// ```
///
/// The program that copies offers representations, and creates them when another program pastes. Two programs that use
/// this package exchange complete and verified items. A value from any other program may be truncated: the protocol
/// does not distinguish a complete value from a truncated one.
public struct Clipboard: Sendable {
  /// The selections of a display.
  public enum Selection: Sendable, Hashable, CaseIterable {
    /// The content that a program has copied.
    case clipboard
    /// The selected text, which the middle button pastes.
    case primary
  }

  /// A change of the clipboard.
  public struct Change: Sendable, Hashable {
    /// Whether a program offered content after the change.
    public let isOffered: Bool
  }

  let display: DesktopDisplay
  let selection: Selection

  /// Creates a reference to a selection.
  public init(_ display: DesktopDisplay, _ selection: Selection = .clipboard) {
    self.display = display
    self.selection = selection
  }

  // MARK: Reading

  /// Returns the names of the types that the owner of the selection offers, in the order of the owner.
  ///
  /// The names are MIME types and older X11 names, without the names of the protocol itself, such as `TARGETS`.
  ///
  /// - Throws: `nothingOffered`, `sourceFailed`, `timedOut`, `limitExceeded`, `malformed`, `displayGone`.
  public func typeNames() async throws -> [String] {
    try await rethrowing { try await display.clipboardBackend.content(of: selection).typeNames() }
  }

  /// Loads the offered items.
  ///
  /// An address of a file must lead to a regular file or folder of this host; otherwise the call throws. The addresses
  /// are not trusted: show the names to the user before you pass the files on.
  ///
  /// - Parameters:
  ///   - actor: The caller's isolation; omit it.
  ///   - body: Uses the items. Their representations can be loaded until it returns.
  /// - Returns: The result of `body`.
  /// - Throws: `nothingOffered`, `sourceFailed`, `timedOut`, `limitExceeded`, `malformed`, `displayGone`;
  ///   `DropStreamError` for a drop stream; the errors of `body`.
  public func withItems<Result>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: ([ItemProvider]) async throws -> Result
  ) async throws -> Result {
    let items = try await rethrowing { try await incomingItems().items() }
    return try await body(items)
  }

  /// Reads the content as a drop stream if the owner offers one; otherwise, loads the offered items.
  ///
  /// Unlike with ``withItems(isolation:_:)``, the content of a stream is not stored before it is used.
  ///
  /// - Parameters:
  ///   - actor: The caller's isolation; omit it.
  ///   - stream: Reads the stream to its verified end, with an idle timeout.
  ///   - items: Uses the items. Their representations can be loaded until it returns.
  /// - Returns: The result of `stream` or `items`.
  /// - Throws: The errors of ``withItems(isolation:_:)``, of `stream` and of `items`.
  package func withContent<Result>(
    isolation actor: isolated (any Actor)? = #isolation, stream: (DropEndpoint, Duration?) async throws -> Result,
    items: ([ItemProvider]) async throws -> Result
  ) async throws -> Result {
    let incoming = try await rethrowing { try await incomingItems() }
    if incoming.isStream { return try await incoming.withStream(stream) }
    return try await items(try await rethrowing { try await incoming.items() })
  }

  private func incomingItems() async throws -> IncomingItems {
    let content = try await display.clipboardBackend.content(of: selection)
    return try await IncomingItems(content: content, names: content.typeNames())
  }

  /// Returns the changes from now on.
  ///
  /// The present content is not reported.
  ///
  /// A further change replaces an unread change, so the sequence never delivers an outdated state. It ends with the
  /// connection.
  ///
  /// - Returns: The sequence.
  /// - Throws: `noDisplay` if the server cannot report changes; `displayGone`.
  public func changes() async throws -> some AsyncSequence<Change, Never> & Sendable {
    let events = try await rethrowing { try await display.clipboardBackend.changes(of: selection) }
    return AsyncStream { await events.next() }
  }

  // MARK: Offering

  /// Offers items until another program takes the selection, or `pasteLimit` is reached.
  ///
  /// Cancelling the task ends the offer. A running clipboard manager is then asked to store the content of the
  /// clipboard, unless it is sensitive.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - isSensitive: Whether clipboard managers are asked not to store the content.
  ///   - pasteLimit: The positive number of completely sent values after which the offer ends, usually one for each
  ///     paste; `nil` for no limit.
  ///   - whenOffered: Called once this program owns the selection.
  /// - Throws: `notOwned`, `displayGone`, `timedOut`; `CancellationError`.
  public func offer(
    _ items: [ItemProvider], isSensitive: Bool = false, pasteLimit: Int? = nil,
    whenOffered: @Sendable () async -> Void = {}
  ) async throws {
    // A program uses the key only after it has received it, when a limited offer may have ended.
    let content = ProviderContent(
      items, isSensitive: isSensitive, portal: pasteLimit == nil ? FileTransferPortal.ofSession() : nil)
    do {
      try await display.clipboardBackend.offer(
        content, on: selection, isSensitive: isSensitive, pasteLimit: pasteLimit, whenOffered: whenOffered)
      await content.removeFiles()
    } catch {
      await content.removeFiles()
      throw error is CancellationError ? error : DesktopError(caught: error)
    }
  }

  /// Removes the content, whichever program offers it.
  ///
  /// - Throws: `displayGone`, `timedOut`.
  public func clear() async throws {
    try await rethrowing { try await display.clipboardBackend.clear(selection) }
  }

  private func rethrowing<Result>(_ work: () async throws -> Result) async throws -> Result {
    do {
      return try await work()
    } catch let error as DropStreamError {
      throw error
    } catch {
      throw DesktopError(caught: error)
    }
  }
}
