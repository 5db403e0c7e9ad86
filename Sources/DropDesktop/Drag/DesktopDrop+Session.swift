// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import DropTransport
public import FoundationEssentials
public import ItemTransfer
internal import Synchronization

extension DesktopDrop {
  /// The content that was dropped on a window.
  ///
  /// The source waits until ``finish(_:)`` or ``refuse(because:)`` reports the end. An unfinished session is refused
  /// when its last reference is released, and at the end of ``DesktopDrop/withEvents(isolation:_:)``. The release also
  /// removes the file that the source has saved for this program, so keep the session while you use the items.
  public final class Session: Sendable {
    /// The location of the drop, the offered types and the allowed actions.
    public let position: Position
    /// The action that this program has accepted for the location.
    public let acceptedAction: DropAction
    /// The progress of ``items`` in bytes.
    ///
    /// It advances only if the source sends a drop stream.
    public let progress = ItemProgress()
    private let target: DesktopDrop
    let drop: any ForeignDrop
    private let isEnded = Lock(false)
    private let loading = Lock<Task<LoadedDrop, any Error>?>(nil)

    init(_ target: DesktopDrop, _ drop: any ForeignDrop, _ position: Position, accepted: DropAction) {
      self.target = target
      self.drop = drop
      self.position = position
      acceptedAction = accepted
    }

    deinit {
      end(accepting: nil)
      guard let task = loading.withLock({ $0 }) else { return }
      task.cancel()
      target.display.backend.finishBeforeClosing { await (try? task.value)?.removeFile() }
    }

    /// The items.
    ///
    /// Their representations are requested from the source when the items are loaded, so load the items before the
    /// session ends. If the source offers a drop stream, a list of addresses or a direct save, the first access
    /// requests it.
    ///
    /// - Throws: `nothingOffered`, `sourceFailed`, `timedOut`, `limitExceeded`, `malformed`, `displayGone`;
    ///   `DropStreamError` for a drop stream.
    public var items: [ItemProvider] {
      get async throws {
        do {
          return try await load(position.typeNames).items
        } catch let error as DropStreamError {
          throw error
        } catch {
          throw DesktopError(caught: error)
        }
      }
    }

    /// The addresses of the dropped files and web pages; no content is requested.
    ///
    /// For a drop of web pages without a file, only the first address.
    ///
    /// - Throws: The errors of ``items``; `nothingOffered` if there is no list of addresses; `notAllowed` for files on
    ///   the machine of a terminal.
    public var addresses: [URL] {
      get async throws {
        do {
          try await drop.checkAddresses()
          return try await IncomingItems(content: drop.content, names: position.typeNames).addresses()
        } catch {
          throw DesktopError(caught: error)
        }
      }
    }

    /// Returns the mark of the drag; `nil` if it has none of this name.
    package func mark(named name: String) async -> Data? {
      guard position.typeNames.contains(name) else { return nil }
      return try? await drop.content.data(of: name, limit: 256)
    }

    /// Loads the items with the first call; further calls have the same result.
    func load(_ names: [String]) async throws -> LoadedDrop {
      let (drop, directory, progress) = (drop, target.directory, progress)
      let task = loading.withLock { loading in
        let task = loading ?? Task { try await drop.load(names, in: directory, progress: progress) }
        loading = task
        return task
      }
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }

    /// Reports to the source that the content was taken.
    ///
    /// After a move, the source removes its own items.
    ///
    /// - Parameter action: The action that was taken; one of the position's ``Position/actions``.
    /// - Throws: `notAllowed` for another action, and if the session has ended before; `sourceFailed` if the source no
    ///   longer exists; `displayGone`.
    public func finish(_ action: DropAction) async throws {
      guard position.actions.contains(action) else {
        throw DesktopError(.notAllowed, "the source does not allow a \(action)")
      }
      guard !isEnded.withLock({ $0 }) else { throw Self.endedAlready }
      do {
        try await drop.check(action)
      } catch {
        end(accepting: nil)
        throw error
      }
      guard end(accepting: action) else { throw Self.endedAlready }
    }

    private static var endedAlready: DesktopError { DesktopError(.notAllowed, "the drop has ended already") }

    /// Reports to the source that nothing was taken.
    ///
    /// - Parameter reason: The reason, which only documents the call: the protocol cannot transmit it.
    public func refuse(because reason: String) {
      end(accepting: nil)
    }

    /// Reports the end to the source, unless an earlier call has done so.
    ///
    /// - Parameter action: The action; `nil` for a refusal.
    /// - Returns: Whether this call has reported it.
    @discardableResult
    func end(accepting action: DropAction?) -> Bool {
      let isFirst = isEnded.withLock { isEnded in
        defer { isEnded = true }
        return !isEnded
      }
      guard isFirst else { return false }
      drop.end(accepting: action)
      return true
    }
  }
}
