// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A connection to a display.
///
/// One thread reads and writes the socket; it runs no code of the caller. The connection is closed when the last
/// reference to it is released.
///
/// Functions may be called from any task, and requests are sent in the order of the calls. Only one task at a time may
/// read the events.
package final class X11Connection: Sendable {
  /// The description of the server.
  package let setup: X11Setup
  /// The screen that the address names.
  package let screen: X11Screen
  /// The maximum length of a request, in bytes.
  package let maximumRequestBytes: Int
  let channel: X11Channel
  let names = Lock(X11NameCache())
  private let identifierCount = Lock<UInt64>(0)

  init(channel: X11Channel, setup: X11Setup, screen: X11Screen, maximumRequestBytes: Int) {
    self.channel = channel
    self.setup = setup
    self.screen = screen
    self.maximumRequestBytes = maximumRequestBytes
  }

  deinit {
    close()
  }

  // MARK: Requests

  /// Queues a request without a response.
  ///
  /// If the server rejects the request, the error arrives as an event. Requests are sent in the order of the calls.
  ///
  /// - Throws: The reason why the connection ended; `limitExceeded` if the request is too long for the server, or if
  ///   too many bytes are queued.
  package func send(_ request: X11Request) throws(DisplayError) {
    try checkLength(request)
    try channel.queue(request)
  }

  /// Queues a request, and waits for its response.
  ///
  /// Cancellation ends the wait at once. A response that arrives later is dropped.
  ///
  /// - Throws: `requestFailed` for an error of the server; `cancelled`; the errors of ``send(_:)``.
  package func response<Response>(to query: X11Query<Response>) async throws(DisplayError) -> Response {
    try await begin(query).value()
  }

  /// Queues a request without waiting for its response.
  ///
  /// Several such requests take only one round trip.
  ///
  /// - Throws: The errors of ``send(_:)``.
  package func begin<Response>(
    _ query: X11Query<Response>
  ) throws(DisplayError) -> X11PendingResponse<Response> {
    try checkLength(query.request)
    let completion = Completion<[UInt8]>()
    try channel.queue(query.request, maximumExtraBytes: query.maximumExtraBytes, completion: completion)
    return X11PendingResponse(query: query, completion: completion, channel: channel)
  }

  private func checkLength(_ request: X11Request) throws(DisplayError) {
    guard request.byteCount <= maximumRequestBytes else {
      throw DisplayError(
        .limitExceeded,
        "\(request.name) of \(request.byteCount) bytes exceeds the display's limit of \(maximumRequestBytes)")
    }
  }

  /// Waits until the server has processed all earlier requests.
  ///
  /// Before the function returns, the events and errors of these requests are queued.
  package func synchronize() async throws(DisplayError) {
    _ = try await response(to: .getInputFocus())
  }

  /// Returns a new identifier for a resource.
  ///
  /// - Throws: `limitExceeded` if all identifiers have been used.
  package func newIdentifier() throws(DisplayError) -> X11Identifier {
    let mask = UInt64(setup.resourceMask)
    let step = mask & ~(mask - 1)
    let count = identifierCount.withLock { count in
      defer { if (count + 1) * step <= mask { count += 1 } }
      return count
    }
    // Starts at 1, since some servers reserve the identifier that equals the base.
    let value = (count + 1) * step
    guard value <= mask else {
      throw DisplayError(.limitExceeded, "all \(mask / step) resource identifiers of the display are used")
    }
    return X11Identifier(setup.resourceBase | UInt32(value))
  }

  // MARK: Events

  /// Waits for the next event.
  ///
  /// Cancellation does not lose an event.
  ///
  /// - Returns: The event, or `nil` after ``close()``.
  /// - Throws: The reason why the connection ended, after the last event; `cancelled`.
  /// - Precondition: No other task waits for an event.
  package func nextEvent() async throws(DisplayError) -> X11Event? {
    do throws(DisplayError) {
      return try await channel.nextEvent()
    } catch {
      if error.code == .closed { return nil }
      throw error
    }
  }

  /// Closes the connection.
  ///
  /// Queued requests are written only if the socket accepts them at once. If they must reach the server, call
  /// ``synchronize()`` first. The server destroys all resources of the connection.
  package func close() {
    channel.end(.closed)
  }
}

/// A request that was queued, and whose response can be awaited later.
package struct X11PendingResponse<Response: Sendable>: Sendable {
  let query: X11Query<Response>
  let completion: Completion<[UInt8]>
  let channel: X11Channel

  /// Waits for the response.
  ///
  /// Only one task may call this function.
  ///
  /// Cancellation ends the wait at once. A response that arrives later is dropped.
  ///
  /// - Throws: `requestFailed` for an error of the server; `cancelled`; the reason why the connection ended.
  package func value() async throws(DisplayError) -> Response {
    let packet = try await completion.value()
    do throws(X11SyntaxError) {
      return try query.decode(packet)
    } catch {
      let failure = DisplayError.violation(
        "byte \(error.offset) of the response to \(query.request.name): \(error.reason)")
      channel.end(failure)
      throw failure
    }
  }
}
