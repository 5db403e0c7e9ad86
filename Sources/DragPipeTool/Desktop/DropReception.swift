// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropTransport
internal import ItemTransfer

/// The reception of drops, in a window or in a terminal.
struct DropReception: Sendable {
  /// The rows of the dropped items.
  let items = DropItems()
  let environment: ToolEnvironment
  /// The stream that carries all drops; `nil` if each drop is sent separately.
  let writer: DropStreamWriter?

  /// The failure of the output, which ends the command.
  private struct BrokenStream: Error {
    let cause: any Error
  }

  /// Shows a target of drops, with a stream that carries all drops if there is one.
  ///
  /// - Parameters:
  ///   - areas: The areas of the target.
  ///   - isOnce: Whether to end after the first drop that was received.
  ///   - environment: The environment of the command.
  ///   - show: Shows the target. Returns the failure with which the command ends, if any.
  /// - Throws: The failure, and errors of the stream.
  static func run(
    _ areas: [DropArea], isOnce: Bool, in environment: ToolEnvironment,
    _ show: (DropReception) async throws -> ToolFailure?
  ) async throws {
    let failure: ToolFailure?
    if !isOnce, case .forwarder(let forwarder) = areas.first?.destination, forwarder.isStream {
      failure = try await forwarder.withWriter(environment) {
        try await show(DropReception(environment: environment, writer: $0))
      }
    } else {
      failure = try await show(DropReception(environment: environment, writer: nil))
    }
    if let failure { throw failure }
  }

  /// Receives a drop, and reports the result to its source.
  ///
  /// - Parameters:
  ///   - session: The drop.
  ///   - area: The area of the drop.
  ///   - isOnce: Whether the command ends after the first drop that was received.
  /// - Returns: The reason why the drop was not received completely; `nil` if it was complete.
  /// - Throws: Errors of the display, and of a stream that cannot carry another drop.
  func receive(_ session: DesktopDrop.Session, in area: DropArea, isOnce: Bool) async throws -> ToolFailure? {
    do {
      if try await pass(session, to: area.destination) {
        try await session.finish(.copy)
      } else {
        session.refuse(because: "the items were only listed")
      }
      return nil
    } catch {
      try Task.checkCancellation()
      let cause = (error as? BrokenStream)?.cause ?? error
      let reason = ToolFailure(cause)
      session.refuse(because: reason.message)
      if error is BrokenStream || error is OutputClosed { throw cause }
      if !isOnce || !area.endsStream { environment.note(reason.message) }
      return reason
    }
  }

  /// Passes the content of a drop to its destination.
  ///
  /// - Returns: Whether the destination keeps the received items; `false` if it only lists the items.
  private func pass(_ session: DesktopDrop.Session, to destination: DropArea.Destination) async throws -> Bool {
    if case .printer(let printer) = destination {
      let addresses = try await session.addresses
      do {
        try await printer.write(addresses, to: environment)
      } catch let error as DropStreamError {
        throw BrokenStream(cause: error)
      }
      return true
    }
    let list = Task {
      // The summaries are only for display, so their errors have no effect.
      async let _: Void = {
        if let summaries = try? await session.summaries { items.announce(summaries) }
      }()
      return try await session.items
    }
    items.begin(session.progress) { list.cancel() }
    let received = try await withTaskCancellationHandler {
      try await list.value
    } onCancel: {
      list.cancel()
    }
    items.begin(received)
    switch destination {
    case .receiver(let receiver):
      try await receiver.receiving(received) {
        items.follow($0, $1)
      } onKept: {
        items.keep($0)
      }.run(in: environment)
      return receiver.keepsItems
    case .forwarder(let forwarder):
      let followed = items.followed(received)
      if !forwarder.isStream {
        try await forwarder.offer(followed, environment)
      } else {
        do {
          // If each drop has its own stream, the source is notified only after the end of that stream.
          let missing =
            if let writer {
              try await forwarder.write(followed, to: writer)
            } else {
              try await forwarder.withWriter(environment) { try await forwarder.write(followed, to: $0) }
            }
          if let missing { throw missing }
        } catch let failure as ToolFailure {
          throw failure
        } catch {
          throw BrokenStream(cause: error)
        }
      }
    case .printer: break
    }
    return true
  }
}

extension DropArea {
  /// Whether drops go to a stream.
  ///
  /// A drop ends the stream, even if the drop fails, unless the stream carries all drops.
  var endsStream: Bool { if case .forwarder(let forwarder) = destination { forwarder.isStream } else { false } }
}
