// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport

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

  let object: WaylandObject
  let signals: AsyncQueue<Signal>
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
    // The events arrive in order, so none of the new source is lost before this subscription: it offers nothing yet.
    signals = display.router.events(limit: 1024) { event in
      guard event.object == object else { return nil }
      switch event.name {
      case "send": return event.descriptor(1).map { .request(event.string(0) ?? "", $0) }
      case "cancelled": return .cancelled
      case "target": return .target(event.string(0))
      case "action": return .action(event.uint(0))
      case "dnd_drop_performed": return .dropped
      case "dnd_finished": return .finished
      default: return nil
      }
    }
    for name in content.targets { try display.connection.send(object, "offer", .string(name)) }
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
