// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// What becomes of the items of a stream; lives on the lane that reads it.
protocol ItemSink {
  associatedtype Item: Sendable

  mutating func begin(_ offer: DropOffer) throws(DropStreamError)
  /// Takes a piece of the next representation; good for the time of the call, and checked only when that has ended.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError)
  /// Takes zeros of the next representation: a hole in its file, and perhaps more than there is room for.
  mutating func append(zeros count: UInt64) throws(DropStreamError)
  mutating func endRepresentation(byteCount: UInt64) throws(DropStreamError)
  /// Takes all of the next representation at once.
  mutating func take(representation bytes: UnsafeRawBufferPointer) throws(DropStreamError)
  /// The source could not make the representation, of which a part may have come.
  mutating func failRepresentation(_ failure: SenderFailure) throws(DropStreamError)
  mutating func endItem() throws(DropStreamError) -> Item
  /// The stream has ended and is verified.
  mutating func endStream() throws(DropStreamError)
  /// The stream will never be whole: undo what is left of it.
  mutating func abandon()
}

extension ItemSink {
  mutating func take(representation bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    if !bytes.isEmpty { try append(bytes) }
    try endRepresentation(byteCount: UInt64(bytes.count))
  }
}

/// Owns the descriptor a stream is read from, and the thread that may wait for it.
actor InputLane<Sink: ItemSink> {
  nonisolated let interrupt: Interrupt
  private let executor = BlockingExecutor(label: "org.dragpipe.input")
  private var intake: ItemIntake<Sink>
  private var failure: DropStreamError?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(endpoint: DropEndpoint, options: DropStreamOptions, sink: sending Sink) throws(DropStreamError) {
    let descriptor = try StreamDescriptor.open(endpoint, access: O_RDONLY, idleTimeout: options.idleTimeout)
    interrupt = descriptor.interrupt
    intake = ItemIntake(DropStreamInput(consume descriptor, limits: options.limits), sink)
  }

  /// Waits for an item, then takes as many more as have come already.
  ///
  /// - Returns: No item only when the stream has ended and is verified.
  /// - Throws: The same error for ever after the first.
  func nextBatch() throws(DropStreamError) -> [Sink.Item] {
    if let failure { throw failure }
    var items: [Sink.Item] = []
    do throws(DropStreamError) {
      try intake.read(into: &items)
    } catch {
      failure = error
      intake.abandon()
      // Items that were whole before the fault come first: how bytes fall into batches must not decide what is seen.
      if items.isEmpty { throw error }
    }
    return items
  }

  /// Undoes what an unfinished stream has left; for a reader that stops early.
  func abandon() {
    guard !intake.isVerified, failure == nil else { return }
    failure = DropStreamError(.closed, "the reader has stopped")
    intake.abandon()
  }
}

/// A stream on its way to a sink; for its lane, one thing to look at for a whole batch.
private struct ItemIntake<Sink: ItemSink>: ~Copyable {
  /// Closed as soon as there is nothing more to read, whoever still holds the lane.
  private var input: DropStreamInput?
  private var sink: Sink
  /// Whether the end has been stated, behind which nobody has looked yet.
  private var isEndStated = false
  /// Whether nothing was found there.
  private(set) var isVerified = false

  init(_ input: consuming DropStreamInput, _ sink: Sink) {
    self.input = consume input
    self.sink = sink
  }

  mutating func read(into items: inout [Sink.Item]) throws(DropStreamError) {
    while !isVerified {
      if isEndStated {
        try input?.expectEnd()
        try sink.endStream()
        isVerified = true
        input = nil
        break
      }
      guard let event = try input?.next(mayRead: items.isEmpty) else { break }
      switch event {
      case .offer(let offer): try sink.begin(offer)
      case .bytes(let bytes): try sink.append(bytes)
      case .zeros(let count): try sink.append(zeros: count)
      case .representation(let bytes): try sink.take(representation: bytes)
      case .endOfRepresentation(let count): try sink.endRepresentation(byteCount: count)
      case .failureOfRepresentation(let failure): try sink.failRepresentation(failure)
      case .endOfItem: items.append(try sink.endItem())
      case .endOfStream:
        isEndStated = true
        // Looking at what follows may take a while; these items are whole.
        if !items.isEmpty { return }
      }
    }
  }

  mutating func abandon() {
    input = nil
    sink.abandon()
  }
}
