// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import DropTransport
public import FoundationEssentials

/// A window of this program as a target of drags.
///
/// ```swift
/// let target = DesktopDrop(display, window: window)
/// try await target.withEvents { events in
///   for await event in events {
///     guard case .dropped(let session) = event else { continue }
///     for item in try await session.items { … }
///     try await session.finish(.copy)
///   }
/// }
/// ```
///
/// The types, names and addresses of a drop are untrusted claims of its source. Show the names to the user before you
/// pass files on.
public struct DesktopDrop: Sendable {
  /// A function that answers a location.
  ///
  /// It must not block.
  public typealias Responder = @Sendable (Position) -> Answer

  let display: DesktopDisplay
  let window: UInt32
  let directory: URL?
  let responder: Responder

  /// Creates a target.
  ///
  /// Drags can enter it during ``withEvents(isolation:_:)``.
  ///
  /// - Parameters:
  ///   - display: The display.
  ///   - window: The identifier of a top-level window of this connection.
  ///   - directory: The parent of the private directories in which sources save files; `nil` for the directory of
  ///     temporary files.
  ///   - responder: Answers each location; by default, it accepts a copy.
  public init(
    _ display: DesktopDisplay, window: UInt32, directory: URL? = nil,
    responder: @escaping Responder = { _ in .accept(.copy) }
  ) {
    self.display = display
    self.window = window
    self.directory = directory
    self.responder = responder
  }

  /// Accepts drags until the body returns.
  ///
  /// At the end, unfinished sessions are refused.
  ///
  /// - Parameters:
  ///   - actor: The caller's isolation; omit it.
  ///   - body: Reads the events. The sequence ends with the connection, and when the window is closed.
  /// - Returns: The result of `body`.
  /// - Throws: `displayGone`, `sourceFailed` if there is no such window, and the errors of `body`.
  public func withEvents<Result>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: (Events) async throws -> Result
  ) async throws -> Result {
    let queue = AsyncQueue<Event>()
    let loop: any DropReceiver
    do {
      loop = try await display.backend.target(self, queue)
    } catch {
      throw DesktopError(caught: error)
    }
    async let running: Void = loop.run()
    do {
      let result = try await body(Events(queue: queue))
      loop.stop()
      await running
      return result
    } catch {
      loop.stop()
      await running
      throw error
    }
  }
}

extension DesktopDrop {
  /// The events of drags over a window, which one task reads.
  public struct Events: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = Event
    /// The sequence does not fail.
    public typealias Failure = Never

    let queue: AsyncQueue<Event>

    /// Returns an iterator; all iterators share a single pass.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: queue) }

    /// An iterator over the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let queue: AsyncQueue<Event>

      /// Waits for the next event; `nil` at the end, or if the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Event? {
        await queue.next()
      }
    }
  }
}

extension AsyncQueue<DesktopDrop.Event> {
  /// Appends an event of a drag.
  ///
  /// A location, or a turn of the wheel, joins the unread one just before it. If a drag leaves before its entry was read,
  /// all its events are removed. Above 64 unread events, further events are dropped; a dropped session is refused.
  func add(_ event: DesktopDrop.Event) {
    change { events in
      switch (event, events.last) {
      case (.moved, .moved): events.removeLast()
      case (.scrolled(let steps), .scrolled(let former)):
        let sum = Swift.max(-100, Swift.min(100, former + steps))
        events[events.count - 1] = .scrolled(sum)
        return
      case (.left, _):
        let start = events.lastIndex { if case .entered = $0 { true } else { false } }
        let end = events.lastIndex { if case .dropped = $0 { true } else { false } }
        if let start, start > end ?? -1 { return events.removeSubrange(start...) }
      default: break
      }
      if events.count < 64 { events.append(event) }
    }
  }
}
