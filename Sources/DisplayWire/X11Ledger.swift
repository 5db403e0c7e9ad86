// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
