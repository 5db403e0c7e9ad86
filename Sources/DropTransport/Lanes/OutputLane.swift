// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Owns the descriptor a stream is written to, and the thread that may wait for it.
actor OutputLane {
  nonisolated let interrupt: Interrupt
  private let executor = BlockingExecutor(label: "org.dragpipe.output")
  private let endpoint: DropEndpoint
  private let idleTimeout: Duration?
  /// Where a file gets its name from in the end.
  private let staged: StagedOutput?
  private var descriptor: StreamDescriptor?
  /// What an interrupted write left over: the rest of a frame must precede any last words.
  private var unwritten: ArraySlice<UInt8> = []
  /// Where chunks become frames; a writer's chunks are all of one length.
  private var frame: FrameMemory?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(endpoint: DropEndpoint, idleTimeout: Duration?) throws(DropStreamError) {
    self.endpoint = endpoint
    self.idleTimeout = idleTimeout
    let staged = try endpoint.staged()
    let owned = if let staged { try staged.open() } else { try endpoint.open(access: O_WRONLY) }
    let descriptor = try StreamDescriptor.open(owned, of: endpoint, access: O_WRONLY, idleTimeout: idleTimeout)
    self.staged = staged
    interrupt = descriptor.interrupt
    self.descriptor = consume descriptor
  }

  /// Writes everything, and hands the buffer back empty.
  func write(_ bytes: [UInt8]) throws(DropStreamError) -> [UInt8] {
    var rest = bytes[...]
    do throws(DropStreamError) {
      try checkOpen()
      try descriptor?.write(&rest)
    } catch {
      unwritten = rest
      throw error
    }
    rest = []
    var bytes = bytes
    bytes.removeAll(keepingCapacity: true)
    return bytes
  }

  /// Takes back what was written to a file from `length` on.
  func cut(to length: UInt64) throws(DropStreamError) {
    do throws(SystemError) { try descriptor?.cut(to: length) } catch {
      throw DropStreamError(.systemCall, "cannot write to \(endpoint)", error)
    }
  }

  /// What sending a file leaves its caller with.
  struct FileOutcome: Sendable {
    var pending: PendingFrames
    var byteCount: Result<UInt64, DropStreamError>
    /// Where the first frame of the content starts.
    var contentOffset: UInt64
    /// Whether what had gathered before was written.
    var hasWritten = false
  }

  /// Sends a file as one representation.
  ///
  /// - Parameters:
  ///   - path: A file, or anything else that can be read to an end.
  ///   - promised: The size the offer states, if it does.
  ///   - chunkLength: The length of all chunks but the last.
  ///   - pending: Makes the frames, and has those that go before.
  ///   - progress: Advanced as chunks are written.
  /// - Returns: The frames that are pending then, and what came of it.
  func sendFile(
    _ path: String, promised: UInt64?, chunkLength: Int, after pending: PendingFrames, progress: ItemProgress?
  ) -> FileOutcome {
    var outcome = FileOutcome(pending: pending, byteCount: .success(0), contentOffset: pending.encoder.offset)
    do throws(DropStreamError) {
      var source = try FileSource.open(path, promised: promised, interrupt: interrupt, idleTimeout: idleTimeout)
      if staged != nil, let count = source.promised, count > UInt64(chunkLength) {
        outcome.byteCount = .success(try sendWhole(&source, count, chunkLength, &outcome, progress))
      } else {
        outcome.byteCount = .success(try send(&source, chunkLength, &outcome, progress))
      }
    } catch {
      outcome.byteCount = .failure(error)
    }
    return outcome
  }

  private func send(
    _ source: inout FileSource, _ chunkLength: Int, _ outcome: inout FileOutcome, _ progress: ItemProgress?
  ) throws(DropStreamError) -> UInt64 {
    let frame = frameMemory(forChunksOf: chunkLength)
    let chunk = UnsafeMutableRawBufferPointer(rebasing: frame[FrameHeader.length..<FrameHeader.length + chunkLength])

    var total: UInt64 = 0
    while true {
      let hole = try source.skipHole()
      if hole > 0 {
        total += hole
        try source.check(total, isLast: false)
        outcome.pending.add { $0.appendZeros(hole, to: &$1) }
        progress?.advance(by: Int64(hole))
      }
      let (count, isLast) = try source.fill(chunk)
      total += UInt64(count)
      try source.check(total, isLast: isLast)
      if isLast, total == UInt64(count) {
        // All of it in one frame, which may travel together with others.
        let content = UnsafeRawBufferPointer(rebasing: chunk[..<count])
        outcome.pending.add { $0.appendData(content, whole: true, to: &$1) }
        progress?.advance(by: Int64(count))
        return total
      }
      try flush(&outcome)
      if count > 0 {
        outcome.pending.encoder.sealChunk(of: count, in: frame)
        try write(UnsafeRawBufferPointer(rebasing: frame[..<(FrameHeader.length + count + FrameHeader.checkLength)]))
        progress?.advance(by: Int64(count))
      }
      if isLast {
        outcome.pending.add { $0.appendEndOfRepresentation(byteCount: total, to: &$1) }
        return total
      }
    }
  }

  /// As one frame, which only a file can take: there, what was begun in vain is taken back.
  private func sendWhole(
    _ source: inout FileSource, _ byteCount: UInt64, _ chunkLength: Int, _ outcome: inout FileOutcome,
    _ progress: ItemProgress?
  ) throws(DropStreamError) -> UInt64 {
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkLength, alignment: 16)
    defer { chunk.deallocate() }
    outcome.pending.add { $0.beginWhole(byteCount: byteCount, to: &$1) }
    outcome.contentOffset = outcome.pending.encoder.offset
    try flush(&outcome)
    var total: UInt64 = 0
    var isLast = false
    while !isLast {
      let hole = try source.skipHole()
      if hole > 0 {
        total += hole
        try source.check(total, isLast: false)
        outcome.pending.encoder.extendWhole(zeros: hole)
        try skip(hole)
        progress?.advance(by: Int64(hole))
      }
      let count: Int
      (count, isLast) = try source.fill(chunk)
      total += UInt64(count)
      try source.check(total, isLast: isLast)
      let piece = UnsafeRawBufferPointer(rebasing: chunk[..<count])
      outcome.pending.encoder.extendWhole(piece)
      try write(piece)
      progress?.advance(by: Int64(count))
    }
    outcome.pending.add { $0.endWhole(byteCount: byteCount, to: &$1) }
    return total
  }

  /// Writes the frames that go before.
  func flush(_ outcome: inout FileOutcome) throws(DropStreamError) {
    guard !outcome.pending.bytes.isEmpty else { return }
    let full = outcome.pending.bytes
    outcome.hasWritten = true
    // What an error leaves over of it is kept here; the caller must not send it again.
    outcome.pending.bytes = []
    outcome.pending.bytes = try write(full)
  }

  /// Room for a frame with a chunk of `length` bytes, the same each time.
  func frameMemory(forChunksOf length: Int) -> UnsafeMutableRawBufferPointer {
    let memory = frame ?? FrameMemory(chunkLength: length)
    frame = memory
    return memory.bytes
  }

  private final class FrameMemory {
    let bytes: UnsafeMutableRawBufferPointer

    init(chunkLength: Int) {
      bytes = .allocate(byteCount: FrameHeader.length + chunkLength + FrameHeader.checkLength, alignment: 16)
    }

    deinit {
      bytes.deallocate()
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    var written = 0
    do throws(DropStreamError) {
      try checkOpen()
      while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        written += try descriptor?.writeSome(rest) ?? rest.count
      }
    } catch {
      unwritten = ArraySlice(bytes[written...])
      throw error
    }
  }

  /// Leaves a hole in a file.
  private func skip(_ count: UInt64) throws(DropStreamError) {
    do throws(SystemError) { try descriptor?.skip(count) } catch {
      throw DropStreamError(.systemCall, "cannot write to \(endpoint)", error)
    }
  }

  /// Tries, for a moment only, to tell the peer why the stream ends here.
  func writeLastWords(_ bytes: [UInt8]) {
    unwritten.append(contentsOf: bytes)
    // Whoever waits for us has an error already; this one would add nothing.
    try? descriptor?.write(&unwritten, grace: .milliseconds(500))
  }

  /// A task that somebody forgot to wait for must not believe that its item went anywhere.
  private func checkOpen() throws(DropStreamError) {
    if descriptor == nil { throw DropStreamError(.closed, "the stream has ended") }
  }

  /// Lets go of the descriptor, and gives a file its name.
  func finish() throws(DropStreamError) {
    try close()
    try staged?.publish()
  }

  /// Lets go of the descriptor, and takes a file away that is not whole.
  func abandon() {
    // There is an error already; another would add nothing.
    try? close()
    staged?.remove()
  }

  /// Lets go of the descriptor; the peer sees the end.
  ///
  /// - Throws: What the system had kept for later, as a file system across a network may.
  private func close() throws(DropStreamError) {
    endpoint.closeForPeer()
    guard let descriptor = descriptor.take() else { return }
    do throws(SystemError) { try descriptor.close() } catch {
      throw DropStreamError(.systemCall, "cannot write to \(endpoint)", error)
    }
  }
}
