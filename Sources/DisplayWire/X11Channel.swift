// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

typealias X11Channel = ConnectionChannel<X11ChannelState>

extension ConnectionChannel<X11ChannelState> {
  convenience init(limits: X11Limits) throws(DisplayError) {
    try self.init(X11ChannelState(limits: limits))
  }

  var limits: X11Limits { change { state, _ in state.limits } }

  /// Queues a request, and wakes the thread.
  func queue(
    _ request: X11Request, maximumExtraBytes: Int? = nil, completion: Completion<[UInt8]>? = nil
  ) throws(DisplayError) {
    try queue { (state) throws(DisplayError) in
      try state.queue(request, maximumExtraBytes: maximumExtraBytes, completion: completion)
    }
  }
}

/// The state that a connection to an X11 server shares with its thread.
struct X11ChannelState: ConnectionState {
  let limits: X11Limits
  var output = OutputQueue()
  var inbox = EventInbox<X11Event>()
  private var ledger = X11Ledger()
  private var waiters: [UInt64: Completion<[UInt8]>] = [:]
  /// The extension XFIXES, if the program uses it.
  var xfixes: X11Extension?
  var deadline: ContinuousClock.Instant?
  var ending: DisplayError?

  init(limits: X11Limits) {
    self.limits = limits
  }

  // MARK: Requests

  /// Queues the setup request, which has no sequence number.
  mutating func queue(setup bytes: [UInt8]) {
    output.append(bytes)
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
    guard count <= limits.queuedBytes - output.byteCount else {
      throw DisplayError(
        .limitExceeded,
        """
        \(request.name) of \(count) bytes and \(output.byteCount) queued bytes exceed the limit of \
        \(limits.queuedBytes)
        """)
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
    output.append(request.header)
    output.append(request.body)
    return ledger.add(X11Ledger.Entry(name: request.name, maximumExtraBytes: maximumExtraBytes))
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
    guard inbox.count < limits.events else {
      inbox.removeAll(into: &delivery)
      end(
        DisplayError(.limitExceeded, "more than \(limits.events) events of the display wait to be read"),
        into: &delivery)
      return
    }
    inbox.add(event, into: &delivery)
  }

  mutating func failWaits(_ reason: DisplayError, into delivery: inout Delivery) {
    for waiter in waiters.values { delivery.add(waiter, .failure(reason)) }
    waiters = [:]
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
