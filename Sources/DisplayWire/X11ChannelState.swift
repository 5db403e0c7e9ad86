// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The state that a connection's thread shares with the tasks that use the connection.
///
/// Functions that complete a wait add the result to a ``Delivery``, which the caller performs without the lock.
struct X11ChannelState: Sendable {
  /// Results and wake-ups that are to be delivered without the lock.
  struct Delivery: Sendable {
    private var responses: [(Completion<[UInt8]>, Result<[UInt8], DisplayError>)] = []
    private var wakesReader: [Completion<Void>] = []

    mutating func add(_ completion: Completion<[UInt8]>, _ result: Result<[UInt8], DisplayError>) {
      responses.append((completion, result))
    }

    mutating func wake(_ reader: inout Completion<Void>?) {
      guard let waiting = reader else { return }
      wakesReader.append(waiting)
      reader = nil
    }

    func perform() {
      for (completion, result) in responses { completion.complete(result) }
      for reader in wakesReader { reader.complete(.success(())) }
    }
  }

  let limits: X11Limits
  /// The bytes of requests that the thread has not taken yet.
  var output: [UInt8] = []
  /// The number of bytes in ``output``, and of the bytes that the thread has taken and not yet written completely.
  private(set) var queuedBytes = 0
  private var ledger = X11Ledger()
  private var waiters: [UInt64: Completion<[UInt8]>] = [:]
  private var events: [X11Event] = []
  private var firstEvent = 0
  private var reader: Completion<Void>?
  /// The extension XFIXES, if the program uses it.
  var xfixes: X11Extension?
  /// The time at which opening the connection fails, or `nil` if it is open.
  var deadline: ContinuousClock.Instant?
  /// The reason why the connection has ended.
  private(set) var ending: DisplayError?
  /// Whether the thread has been woken and has not processed the state since.
  var isWakeUpPending = false

  init(limits: X11Limits) {
    self.limits = limits
  }

  // MARK: Requests

  /// Queues the setup request, which has no sequence number.
  mutating func queue(setup bytes: [UInt8]) {
    output += bytes
    queuedBytes += bytes.count
  }

  /// Queues a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - maximumExtraBytes: The maximum length of the response after its first 32 bytes, or `nil` without a response.
  ///   - completion: The completion that gets the response, or `nil` for a request without a response.
  /// - Throws: The reason why the connection ended; `limitExceeded` if too many bytes or requests are waiting.
  mutating func queue(
    _ request: X11Request, maximumExtraBytes: Int? = nil, completion: Completion<[UInt8]>? = nil
  ) throws(DisplayError) {
    if let ending { throw ending }
    let count = request.byteCount
    guard count <= limits.queuedBytes - queuedBytes else {
      throw DisplayError(
        .limitExceeded,
        "\(request.name) of \(count) bytes and \(queuedBytes) queued bytes exceed the limit of \(limits.queuedBytes)")
    }
    guard ledger.count < X11Ledger.maximumCount else {
      throw DisplayError(
        .limitExceeded, "\(ledger.count) requests wait for the display; the limit is \(X11Ledger.maximumCount)")
    }
    if ledger.needsSynchronization, completion == nil {
      let synchronization = X11Query.getInputFocus().request
      append(synchronization, maximumExtraBytes: 0)
    }
    let sequence = append(request, maximumExtraBytes: maximumExtraBytes)
    waiters[sequence] = completion
  }

  @discardableResult
  private mutating func append(_ request: X11Request, maximumExtraBytes: Int?) -> UInt64 {
    let count = output.count
    request.append(to: &output)
    queuedBytes += output.count - count
    return ledger.add(X11Ledger.Entry(name: request.name, maximumExtraBytes: maximumExtraBytes))
  }

  /// Records that the thread has written `count` bytes.
  mutating func recordWritten(_ count: Int) {
    queuedBytes -= count
  }

  // MARK: Messages of the server

  /// Processes all messages that have arrived completely.
  ///
  /// A protocol violation of the server ends the connection.
  mutating func receive(from decoder: inout X11PacketDecoder, into delivery: inout Delivery) {
    while ending == nil {
      let offset = decoder.offset
      do throws(X11SyntaxError) {
        guard let packet = try nextPacket(&decoder) else { return }
        try receive(packet, into: &delivery)
      } catch {
        end(.violation("byte \(offset + UInt64(error.offset)) from the display: \(error.reason)"), into: &delivery)
      }
    }
  }

  private func nextPacket(_ decoder: inout X11PacketDecoder) throws(X11SyntaxError) -> X11Packet? {
    try decoder.next { (wire) throws(X11SyntaxError) in
      let (sequence, entry) = try ledger.entry(wire)
      guard let maximum = entry.maximumExtraBytes else {
        throw X11SyntaxError(2, "response to \(entry.name), request \(sequence), which expects none")
      }
      return min(maximum, limits.responseBytes - 32)
    }
  }

  private mutating func receive(_ packet: X11Packet, into delivery: inout Delivery) throws(X11SyntaxError) {
    switch packet {
    case .response(let wire, let bytes):
      let (sequence, _) = try ledger.entry(wire)
      try ledger.complete(sequence)
      if let waiter = waiters.removeValue(forKey: sequence) { delivery.add(waiter, .success(bytes)) }
    case .error(let wire, let bytes):
      let (sequence, entry) = try ledger.entry(wire)
      try ledger.complete(sequence)
      let error = try X11Error(bytes, requestName: entry.name)
      if let waiter = waiters.removeValue(forKey: sequence) {
        delivery.add(waiter, .failure(DisplayError(error)))
      } else if entry.maximumExtraBytes == nil {
        add(X11Event(.error(error)), into: &delivery)
      }
    case .event(let wire, let bytes):
      if let wire { try ledger.receiveEvent(wire) }
      add(try X11Event(bytes, xfixes: xfixes), into: &delivery)
    }
  }

  // MARK: Events

  private mutating func add(_ event: X11Event, into delivery: inout Delivery) {
    guard events.count - firstEvent < limits.events else {
      discardEvents()
      end(
        DisplayError(.limitExceeded, "more than \(limits.events) events of the display wait to be read"),
        into: &delivery)
      return
    }
    events.append(event)
    delivery.wake(&reader)
  }

  /// Removes the first event of the queue.
  ///
  /// - Returns: The event, or `nil` if the queue is empty.
  /// - Throws: The reason why the connection ended, after all events have been removed.
  mutating func takeEvent() throws(DisplayError) -> X11Event? {
    guard firstEvent < events.count else {
      if let ending { throw ending }
      return nil
    }
    defer {
      firstEvent += 1
      if firstEvent == events.count {
        discardEvents()
      } else if firstEvent > 1024, firstEvent > events.count / 2 {
        events.removeFirst(firstEvent)
        firstEvent = 0
      }
    }
    return events[firstEvent]
  }

  private mutating func discardEvents() {
    events.removeAll(keepingCapacity: events.capacity <= 1024)
    firstEvent = 0
  }

  /// Sets the completion that wakes the reading task at the next event.
  ///
  /// - Precondition: No other task is waiting for an event.
  mutating func setReader(_ completion: Completion<Void>) {
    precondition(reader?.isClosed ?? true, "only one task may read the events of a connection")
    reader = completion
  }

  // MARK: End

  /// Ends the connection.
  ///
  /// Only the first reason is stored.
  mutating func end(_ reason: DisplayError, into delivery: inout Delivery) {
    guard ending == nil else { return }
    ending = reason
    // After the program has closed the connection, nothing reads the remaining events.
    if reason.code == .closed { discardEvents() }
    for waiter in waiters.values { delivery.add(waiter, .failure(reason)) }
    waiters = [:]
    delivery.wake(&reader)
  }
}
