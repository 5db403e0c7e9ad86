// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import Synchronization

/// A source of values for other programs, which are sent through the pipes that the requests bring.
final class WaylandSource: Sendable {
  enum Signal: Sendable {
    /// A program requests a value.
    case request(String, WaylandDescriptor)
    /// Another program has taken the selection, or the drag has ended without a drop.
    case cancelled
    /// The limit of sent values is reached.
    case served
    /// A drag is over a target; the value is the type that the target accepts, or `nil`.
    case target(String?)
    /// A drag has entered a window of this connection, or has left it and continues.
    case hovering(Bool)
    /// A drag has left a window of this connection, or has ended over it.
    case leaving
    /// The window has received the release of a button with a code, so no drag runs.
    case released(UInt32)
    /// The compositor has chosen an action of a drag, in the bits of the protocol.
    case action(UInt32)
    /// The items of a drag were dropped, and the target loads them.
    case dropped
    /// The target of a drag has loaded everything.
    case finished
    /// A target reads content.
    case activity
    /// The timer with a number has ended.
    case timeOut(Int)
  }

  private final class Arrival: Sendable {
    let unreadCount = Lock(0)
    /// The request after the last report that the drag has left a window.
    let leaving = Lock<WaylandObject?>(nil)
  }

  /// The maximum number of unread signals other than those of the end; the pipes of further requests are closed.
  private static let maximumUnread = 1024

  let object: WaylandObject
  private let signals: AsyncQueue<Signal>
  private let arrival = Arrival()
  private let display: WaylandDisplay
  private let content: any OfferedContent
  private let permits: AsyncSemaphore

  /// Creates a source that offers the types of the content.
  ///
  /// - Parameters:
  ///   - display: The display.
  ///   - manager: The manager that creates the source.
  ///   - request: The name of its request.
  ///   - content: The content.
  /// - Throws: The errors of the connection.
  init(
    _ display: WaylandDisplay, _ manager: WaylandObject, _ request: String, _ content: any OfferedContent
  ) throws(DisplayError) {
    self.display = display
    self.content = content
    permits = AsyncSemaphore(permits: display.options.maximumTransfers)
    let object = try display.connection.create(manager, request)
    self.object = object
    let (control, device, session, arrival) = (display.control?.device, display.dataDevice, display.session, arrival)
    // The events arrive in order, so none of the new source is lost before this subscription: it offers nothing yet.
    signals = display.router.events(limit: .max) { event in
      switch event.name {
      case "cancelled" where event.object == object: return .cancelled
      case "finished" where event.object == control: return .cancelled
      case "dnd_drop_performed" where event.object == object: return .dropped
      case "dnd_finished" where event.object == object: return .finished
      default: break
      }
      let signal: Signal
      switch event.name {
      case "send" where event.object == object:
        guard let descriptor = event.descriptor(1) else { return nil }
        signal = .request(event.string(0) ?? "", descriptor)
      case "target" where event.object == object: signal = .target(event.string(0))
      case "action" where event.object == object: signal = .action(event.uint(0))
      case "enter" where event.object == device:
        arrival.leaving.withLock { $0 = nil }
        signal = .hovering(true)
      case "leave" where event.object == device:
        // Some compositors report that a drag has left before they cancel it. If the response to this request comes
        // first, the drag continues.
        let sync = try? session.connection.create(WaylandConnection.display, "sync")
        arrival.leaving.withLock { $0 = sync }
        signal = .leaving
      case "done" where event.object == arrival.leaving.withLock({ $0 }): signal = .hovering(false)
      case "button" where event.object == session.pointer && event.uint(3) == 0: signal = .released(event.uint(2))
      default: return nil
      }
      return arrival.unreadCount.withLock { count in
        guard count < Self.maximumUnread else { return nil }
        count += 1
        return signal
      }
    }
    do throws(DisplayError) {
      for name in content.targets { try display.connection.send(object, "offer", .string(name)) }
    } catch {
      close()
      throw error
    }
  }

  /// Waits for the next signal; `nil` after the end of the connection, or if the task is cancelled.
  func next() async -> Signal? {
    let signal = await signals.next()
    switch signal {
    case .request, .target, .action, .hovering, .leaving, .released: arrival.unreadCount.withLock { $0 -= 1 }
    default: break
    }
    return signal
  }

  /// Adds a signal of this program.
  func add(_ signal: Signal) {
    signals.put(signal) { last, new in
      if case (.activity, .activity) = (last, new) { true } else { false }
    }
  }

  /// Ends the source, and with it the ownership of a selection.
  func close() {
    try? display.connection.send(object, "destroy")
  }

  /// Sends a value in a new task of a group.
  ///
  /// A reader that closes its pipe early needs no more, which is not an error. If the content fails, the pipe is closed:
  /// the protocol has no other report.
  ///
  /// - Parameters:
  ///   - name: The type that the other program requests.
  ///   - descriptor: The pipe.
  ///   - group: The group.
  ///   - onSent: Called after a value was sent completely.
  func send(
    _ name: String, to descriptor: WaylandDescriptor, in group: inout ThrowingDiscardingTaskGroup<any Error>,
    onSent: @escaping @Sendable () -> Void
  ) {
    // The pipe of a surplus request is closed.
    guard content.targets.contains(name), permits.tryWait() else { return }
    group.addTask { [self] in
      defer { permits.signal() }
      guard let pipe = descriptor.take() else { return }
      do {
        let value = try await content.value(for: name)
        let sink = try ChunkSink(.descriptor(pipe.release()), idleTimeout: display.options.idleTimeout)
        while let part = try await value.next() { try await sink.write(ArraySlice(part)) }
        onSent()
      } catch {}
    }
  }
}
