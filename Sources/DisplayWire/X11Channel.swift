// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// The state that a connection's tasks share with its thread, and the descriptor that wakes the thread.
final class X11Channel: Sendable {
  let limits: X11Limits
  private let state: Lock<X11ChannelState>
  private let wakeUp: OwnedDescriptor

  init(limits: X11Limits) throws(DisplayError) {
    self.limits = limits
    state = Lock(X11ChannelState(limits: limits))
    do throws(SystemError) {
      wakeUp = OwnedDescriptor(try SystemCalls.eventDescriptor())
    } catch {
      throw DisplayError(.systemCall, "no descriptor for the connection to the display", error)
    }
  }

  /// The descriptor that becomes readable when the thread must process the state again.
  var wakeUpDescriptor: CInt { wakeUp.raw }

  /// Changes the state under its lock, then delivers results and events without the lock.
  func change<Result: Sendable, Failure: Error>(
    _ body: (inout X11ChannelState, inout X11ChannelState.Delivery) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var delivery = X11ChannelState.Delivery()
    defer { delivery.perform() }
    return try state.withLock { (state) throws(Failure) in try body(&state, &delivery) }
  }

  /// Queues a request, and wakes the thread.
  func queue(
    _ request: X11Request, maximumExtraBytes: Int? = nil, completion: Completion<[UInt8]>? = nil
  ) throws(DisplayError) {
    try change { (state, _) throws(DisplayError) in
      try state.queue(request, maximumExtraBytes: maximumExtraBytes, completion: completion)
    }
    wake()
  }

  /// Ends the connection.
  ///
  /// Only the first reason is stored.
  func end(_ reason: DisplayError) {
    change { state, delivery in state.end(reason, into: &delivery) }
    wake()
  }

  /// Wakes the thread, unless an earlier wake-up is still pending.
  func wake() {
    let isNeeded = state.withLock { state in
      defer { state.isWakeUpPending = true }
      return !state.isWakeUpPending
    }
    guard isNeeded else { return }
    var one: UInt64 = 1
    // The thread resets the counter, so the counter cannot overflow.
    withUnsafeBytes(of: &one) { _ = try? SystemCalls.write(wakeUp.raw, $0) }
  }

  /// Resets the wake-up.
  ///
  /// The thread must process the state afterwards.
  func resetWakeUp() {
    var count: UInt64 = 0
    withUnsafeMutableBytes(of: &count) { _ = try? SystemCalls.read(wakeUp.raw, $0) }
    state.withLock { $0.isWakeUpPending = false }
  }

  /// Waits for the next event.
  ///
  /// - Throws: The reason why the connection ended; `cancelled`.
  func nextEvent() async throws(DisplayError) -> X11Event {
    while true {
      let wakeUp = Completion<Void>()
      let event = try change { (state, _) throws(DisplayError) in
        let event = try state.takeEvent()
        if event == nil { state.setReader(wakeUp) }
        return event
      }
      if let event { return event }
      try await wakeUp.value()
    }
  }
}
