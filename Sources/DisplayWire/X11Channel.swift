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
  /// The maximum length in bytes of a buffer that several requests share.
  private static let sharedBytes = 1 << 16
  /// The bytes of requests that the thread has not taken yet.
  ///
  /// A long body has its own buffer, so that it is not copied.
  var output: [[UInt8]] = []
  /// The number of bytes in ``output``, and of the bytes that the thread has taken and not yet written completely.
  private(set) var queuedBytes = 0
  private var ledger = X11Ledger()
  private var waiters: [UInt64: Completion<[UInt8]>] = [:]
  private var events = FIFOQueue<X11Event>()
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
    append(bytes)
  }

  private mutating func append(_ bytes: [UInt8]) {
    queuedBytes += bytes.count
    if let last = output.indices.last, output[last].count + bytes.count <= Self.sharedBytes {
      output[last] += bytes
    } else {
      output.append(bytes)
    }
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
    append(request.header)
    append(request.body)
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
    guard events.count < limits.events else {
      events.removeAll()
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
    if let event = events.popFirst() { return event }
    if let ending { throw ending }
    return nil
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
    if reason.code == .closed { events.removeAll() }
    for waiter in waiters.values { delivery.add(waiter, .failure(reason)) }
    waiters = [:]
    delivery.wake(&reader)
  }
}

/// The requests to which the server may still respond, with their sequence numbers.
///
/// A packet contains only the lower 16 bits of a sequence number. The server processes requests in order, so the number
/// of a packet is never lower than the number of the previous packet. These 16 bits are unambiguous if at least every
/// 32,768th request has a response.
struct X11Ledger: Sendable {
  /// A request to which the server may still respond.
  struct Entry: Sendable {
    /// The name of the request.
    let name: String
    /// The maximum length of the response after its first 32 bytes; `nil` for a request without a response.
    let maximumExtraBytes: Int?
  }

  /// The maximum number of consecutive requests without a response.
  static let synchronizationInterval: UInt64 = 1 << 15
  /// The maximum number of requests to which the server may still respond.
  static let maximumCount = 1 << 20

  /// The entries.
  ///
  /// Entries before `head` are no longer used.
  private var entries: [Entry] = []
  private var head = 0
  /// The sequence number of the last request.
  private(set) var lastSent: UInt64 = 0
  private var lastWithResponse: UInt64 = 0
  /// The sequence number of the last packet.
  private(set) var lastReceived: UInt64 = 0

  /// The number of requests to which the server may still respond.
  var count: Int { entries.count - head }

  /// Whether the next request must have a response.
  var needsSynchronization: Bool { lastSent - lastWithResponse >= Self.synchronizationInterval }

  /// Adds a request, and returns its sequence number.
  mutating func add(_ entry: Entry) -> UInt64 {
    lastSent += 1
    if entry.maximumExtraBytes != nil { lastWithResponse = lastSent }
    entries.append(entry)
    return lastSent
  }

  /// The sequence number of the first entry.
  private var first: UInt64 { lastSent + 1 - UInt64(count) }

  private func sequence(_ wire: UInt16) -> UInt64 {
    let sequence = lastReceived & ~0xFFFF | UInt64(wire)
    return sequence < lastReceived ? sequence + 0x10000 : sequence
  }

  /// Returns the request that a response or an error belongs to, without removing it.
  ///
  /// - Throws: `X11SyntaxError` if the server has already processed the request, or if the request was not sent.
  func entry(_ wire: UInt16) throws(X11SyntaxError) -> (sequence: UInt64, entry: Entry) {
    let sequence = sequence(wire)
    guard sequence <= lastSent else {
      throw X11SyntaxError(2, "sequence number \(sequence) of a request that was not sent; the last is \(lastSent)")
    }
    guard sequence >= first else {
      throw X11SyntaxError(2, "sequence number \(sequence) of a request that has a response already")
    }
    return (sequence, entries[head + Int(sequence - first)])
  }

  /// Records an event.
  ///
  /// The server has processed all requests before the event's sequence number.
  mutating func receiveEvent(_ wire: UInt16) throws(X11SyntaxError) {
    let sequence = sequence(wire)
    guard sequence <= lastSent else {
      throw X11SyntaxError(2, "sequence number \(sequence) of a request that was not sent; the last is \(lastSent)")
    }
    try removeEntries(before: sequence)
    lastReceived = sequence
  }

  /// Records a response or an error.
  ///
  /// The server has processed its request and all earlier requests.
  mutating func complete(_ sequence: UInt64) throws(X11SyntaxError) {
    try removeEntries(before: sequence)
    head += 1
    lastReceived = sequence
  }

  private mutating func removeEntries(before sequence: UInt64) throws(X11SyntaxError) {
    while first < sequence {
      let entry = entries[head]
      guard entry.maximumExtraBytes == nil else {
        throw X11SyntaxError(2, "the response to \(entry.name), request \(first), is missing")
      }
      head += 1
    }
    if head > 1024, head > entries.count / 2 {
      entries.removeFirst(head)
      head = 0
    }
  }
}

/// The limits that protect a connection from too many events, too long responses and a server that does not read.
package struct X11Limits: Sendable, Hashable {
  /// The maximum number of queued bytes of requests that are not yet written.
  package var queuedBytes: Int
  /// The maximum number of bytes of a response.
  package var responseBytes: Int
  /// The maximum number of events that the program has not read yet.
  package var events: Int

  /// Creates limits.
  package init(queuedBytes: Int = 64 << 20, responseBytes: Int = 64 << 20, events: Int = 65_536) {
    self.queuedBytes = queuedBytes
    self.responseBytes = responseBytes
    self.events = events
  }
}
