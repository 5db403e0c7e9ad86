// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A consumer of the events of a stream, which turns them into items.
protocol ItemSink: SendableMetatype {
  associatedtype Item: Sendable

  mutating func begin(_ offer: DropOffer) throws(DropStreamError)
  /// Takes a piece of the next representation, valid during the call. Its checksum is verified only at the end.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError)
  /// Takes zeros of the next representation: a hole in its file, which may be larger than memory.
  mutating func append(zeros count: UInt64) throws(DropStreamError)
  /// The file to whose current offset bytes of the next representation can be copied; `nil` if there is no single file.
  var copyTarget: CInt? { get }
  /// Takes bytes that were copied to that file.
  mutating func append(_ copy: RangeCopy) throws(DropStreamError)
  mutating func endRepresentation(byteCount: UInt64) throws(DropStreamError)
  /// Takes all of the next representation at once.
  mutating func take(representation bytes: UnsafeRawBufferPointer) throws(DropStreamError)
  /// Discards the next representation, of which a part may have arrived: the sender could not load the representation.
  mutating func failRepresentation(_ failure: SenderFailure) throws(DropStreamError)
  mutating func endItem() throws(DropStreamError) -> Item
  /// Ends the items of a verified stream.
  mutating func endStream() throws(DropStreamError)
  /// Discards the content of an incomplete stream.
  mutating func abandon()
}

extension ItemSink {
  var copyTarget: CInt? { nil }

  mutating func append(_ copy: RangeCopy) {}

  mutating func take(representation bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    if !bytes.isEmpty { try append(bytes) }
    try endRepresentation(byteCount: UInt64(bytes.count))
  }
}

/// A reader of the items of a stream.
///
/// ```
/// descriptor -> StreamInput: input buffer -> StreamParser -> ItemSink -- batch --> StreamReader: one item at a time
/// ```
///
/// Only a thread of `BlockingExecutor` waits for the descriptor. It reads items in batches, so that only each batch costs
/// a change of threads. All iterators of a sequence share the reader, so no item is lost when an iterator is discarded.
final class StreamReader<Sink: ItemSink>: Sendable {
  private let interrupt: Interrupt
  private let input: Lock<StreamInput<Sink>>
  /// The rest of the latest batch, in reverse order: the next item is removed from the end.
  private let batch = Lock<[Sink.Item]>([])

  /// Opens the endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: The source of the stream.
  ///   - options: The limits and the idle timeout.
  ///   - sink: The consumer of the first drop.
  ///   - takesSequence: Whether further drops may follow the first (``beginNext(_:)``).
  /// - Throws: `sourceUnavailable`.
  init(
    _ endpoint: DropEndpoint, _ options: DropStreamOptions, sink: sending Sink, takesSequence: Bool = false
  ) throws(DropStreamError) {
    let descriptor = try StreamDescriptor.open(endpoint, access: O_RDONLY, idleTimeout: options.idleTimeout)
    interrupt = descriptor.interrupt
    input = Lock(StreamInput(descriptor, limits: options.limits, sink, takesSequence: takesSequence))
  }

  /// Begins the drop that follows the verified end of another.
  ///
  /// - Parameter makeSink: Makes the consumer of the next drop.
  /// - Returns: Whether there is one.
  func beginNext(_ makeSink: @Sendable () -> sending Sink) -> Bool {
    input.withLock { $0.beginNext(makeSink) }
  }

  /// Returns the next item; `nil` at the verified end.
  ///
  /// - Throws: The first error of the stream, also in every later call; `cancelled` if the task is cancelled.
  func next(isolation: isolated (any Actor)?) async throws(DropStreamError) -> Sink.Item? {
    if let item = batch.withLock({ $0.popLast() }) { return item }
    let items = try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in
      try await runBlocking { () throws(DropStreamError) in
        try input.withLock { input throws(DropStreamError) in try input.nextBatch() }
      }
    }
    return batch.withLock { batch in
      // Another iterator may have stored items meanwhile. The order of the items is then undefined, but no item is
      // lost.
      batch = items.reversed() + batch
      return batch.popLast()
    }
  }

  /// Stops reading, interrupts a task that still waits, and discards the content of an incomplete stream.
  func abandon(isolation: isolated (any Actor)? = #isolation) async {
    interrupt.raise()
    await runBlocking { input.withLock { $0.abandon() } }
  }
}

/// The input of a stream: the descriptor, an input buffer of fixed size, the parser, and the sink of its events.
struct StreamInput<Sink: ItemSink>: ~Copyable {
  /// The default length of a writer's chunks.
  private static var bufferLength: Int { DropStreamOptions.defaultChunkLength }

  /// The descriptor; `nil` after the verified end or an error, so that it is closed even if the reader is retained.
  private var descriptor: StreamDescriptor?
  private let memory = InputMemory(byteCount: Self.bufferLength)
  private var start = 0
  private var end = 0
  private var parser: StreamParser
  private var sink: Sink
  private var failure: DropStreamError?
  /// Whether the kernel may be able to copy content from the input.
  private var isCopied: Bool
  /// Whether the end frame has been read, but not the end of the input after it.
  private var isEndExpected = false
  private var isVerified = false
  private let takesSequence: Bool

  init(
    _ descriptor: consuming StreamDescriptor, limits: DropStreamLimits, _ sink: Sink, takesSequence: Bool = false
  ) {
    self.takesSequence = takesSequence
    isCopied = descriptor.kindOfFile == .regular
    self.descriptor = consume descriptor
    self.sink = sink
    parser = StreamParser(limits: limits)
  }

  private var buffer: UnsafeMutableRawBufferPointer { memory.bytes }

  /// Waits for an item, and returns it with all further items that have arrived.
  ///
  /// - Returns: The items; empty only at the verified end.
  mutating func nextBatch() throws(DropStreamError) -> [Sink.Item] {
    if let failure { throw failure }
    var items: [Sink.Item] = []
    do throws(DropStreamError) {
      try read(into: &items)
    } catch {
      let isReason = error.senderFailure != nil || error.code == .cancelled
      let error = isReason ? error : parser.chunkError ?? error
      fail(error)
      // Complete items are returned before the error: the result must not depend on the boundaries of the batches.
      if items.isEmpty { throw error }
    }
    return items
  }

  mutating func abandon() {
    if !isVerified, failure == nil { fail(DropStreamError(.closed, "the reader has stopped")) }
  }

  private mutating func fail(_ error: DropStreamError) {
    failure = error
    descriptor = nil
    sink.abandon()
  }

  private mutating func read(into items: inout [Sink.Item]) throws(DropStreamError) {
    while !isVerified {
      if isEndExpected { return try verifyEnd() }
      if isAtLongContent {
        guard items.isEmpty else { return }
        if try copyContent() { continue }
      }
      let window = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      guard let (event, used) = try parser.next(in: window) else {
        guard items.isEmpty else { return }
        if start == end, try skipHole() { continue }
        guard try fill() > 0 else { throw truncation }
        continue
      }
      start += used
      switch event {
      case nil: break
      case .offer: try sink.begin(parser.offer)
      case .bytes(let bytes): try sink.append(bytes)
      case .zeros(let count): try sink.append(zeros: count)
      case .representation(let bytes): try sink.take(representation: bytes)
      case .endOfRepresentation(let count): try sink.endRepresentation(byteCount: count)
      case .failureOfRepresentation(let failure): try sink.failRepresentation(failure)
      case .endOfItem: items.append(try sink.endItem())
      case .endOfStream:
        isEndExpected = true
        // The wait for the end of the input may be long, and these items are complete.
        if !items.isEmpty { return }
      }
    }
  }

  /// Verifies that nothing follows the end frame, or another drop in a sequence.
  private mutating func verifyEnd() throws(DropStreamError) {
    let magic = Preamble.magic
    while end - start < magic.count, buffer[start..<end].elementsEqual(magic.prefix(end - start)) {
      if try fill() == 0 { break }
    }
    if start < end {
      let isDrop = buffer[start..<end].starts(with: magic)
      guard isDrop, takesSequence else {
        let what = isDrop ? "another drop follows" : "bytes follow"
        throw DropStreamError(
          .trailingBytes, "\(what) the end of the stream", at: parser.offset, detail: isDrop ? .anotherDrop : nil)
      }
    }
    try sink.endStream()
    isVerified = true
    if start == end { descriptor = nil }
  }

  /// Begins the drop that follows the verified end of another.
  ///
  /// - Returns: Whether there is one.
  mutating func beginNext(_ makeSink: () -> sending Sink) -> Bool {
    guard isVerified, start < end else { return false }
    sink = makeSink()
    parser = StreamParser(after: parser)
    (isEndExpected, isVerified) = (false, false)
    if parser.isExhausted { fail(.excess(ofItems: parser.limits.items)) }
    return true
  }

  /// Skips a hole of a file that is read, if the parser waits for content there.
  ///
  /// - Returns: Whether there was a hole.
  private mutating func skipHole() throws(DropStreamError) -> Bool {
    let count = try descriptor?.skipHole(atMost: parser.missingContent) ?? 0
    guard count > 0 else { return false }
    try sink.append(zeros: count)
    parser.skipContent(count, CRC32C(zeros: count))
    return true
  }

  /// Whether the parser waits for content of a file that is worth a copy by the kernel.
  private var isAtLongContent: Bool {
    isCopied && parser.missingContent >= RangeCopy.leastByteCount
  }

  /// Skips a hole of a file that is read, or copies its content to the file of the sink.
  ///
  /// The start of the content that has been read is copied too, so that all of the copy is aligned like the file.
  ///
  /// - Returns: Whether there was a hole or a copy; if not, the content is read.
  private mutating func copyContent() throws(DropStreamError) -> Bool {
    guard let target = sink.copyTarget else { return false }
    try descriptor?.seek(Int64(start - end), SEEK_CUR)
    start = end
    if try skipHole() { return true }
    guard let copy = try descriptor?.copy(atMost: parser.missingContent, to: target) else {
      isCopied = false
      return false
    }
    try sink.append(copy)
    parser.skipContent(copy.byteCount, copy.crc)
    return true
  }

  /// Reads the bytes that have arrived, and waits for the first byte.
  private mutating func fill() throws(DropStreamError) -> Int {
    if start > 0 {
      // The unused bytes are at most an incomplete header or checksum: payloads are decoded in pieces of any length.
      buffer[..<(end - start)].copyBytes(from: buffer[start..<end])
      end -= start
      start = 0
    }
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
    let count = try descriptor?.read(into: room) ?? 0
    end += count
    return count
  }

  private var truncation: DropStreamError {
    let total = parser.offset + UInt64(end - start)
    guard total > 0 else { return DropStreamError(.empty, "the input is empty", at: 0) }
    return DropStreamError(.truncated, "the stream is truncated: it ends \(parser.positionDescription)", at: total)
  }
}

/// The memory of an input buffer.
///
/// It is an object because Swift 6.3 does not run the `deinit` of a generic noncopyable structure inside a `Mutex` when
/// it optimizes the code; `.ci/leaks` reports a compiler that does.
private final class InputMemory {
  let bytes: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    bytes = .allocate(byteCount: byteCount, alignment: 16)
  }

  deinit {
    bytes.deallocate()
  }
}
