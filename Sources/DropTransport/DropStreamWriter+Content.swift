// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer

/// What becomes of one representation: whole, in chunks, or in a file as one long frame.
extension DropStreamWriter {
  /// Writes a representation, or why there is none where that does not end the stream.
  @inline(__always) func writeContentOrFailure(
    of representation: ItemRepresentation, _ progress: ItemProgress?, _ toleratesFailures: Bool
  ) async throws(DropStreamError) -> DropStreamError? {
    let (before, gathered) = (framing.pending.encoder, framing.pending.bytes.count)
    let flushesBefore = flushCount
    do throws(DropStreamError) {
      let content: ItemContent
      do throws(ItemProviderError) {
        content = try await representation.portableContent(progress: ItemProgress())
      } catch {
        throw DropStreamError(error)
      }
      if case .data(let data) = content, data.count <= chunkLength {
        // By far the most; without a change of functions that could wait.
        try check(data.count, against: representation)
        framing.addContent(data)
        progress?.advance(by: Int64(data.count))
        return nil
      }
      framing.contentOffset = framing.pending.encoder.offset
      try await write(content, of: representation, progress)
      framing.endContent(since: before)
      return nil
    } catch {
      guard toleratesFailures, error.isOfSource, !Task.isCancelled, !lane.interrupt.hasBeenRaised else { throw error }
      if framing.indexer != nil {
        // Half a frame would be in the way, and a file can be cut.
        framing.pending.encoder = before
        if flushCount == flushesBefore {
          framing.pending.bytes.removeLast(framing.pending.bytes.count - gathered)
        } else {
          framing.pending.bytes.removeAll(keepingCapacity: true)
          try await lane.cut(to: before.offset)
        }
      }
      framing.addFailure(SenderFailure(error))
      return error
    }
  }

  private func check(_ byteCount: Int, against representation: ItemRepresentation) throws(DropStreamError) {
    guard let promised = representation.size.promised, promised != Int64(byteCount) else { return }
    throw DropStreamError(
      .sourceChanged, "\(representation.contentType) has \(byteCount) bytes where \(promised) were promised")
  }

  private func write(
    _ content: ItemContent, of representation: ItemRepresentation, _ progress: ItemProgress?
  ) async throws(DropStreamError) {
    let promised = representation.size.promised.flatMap(UInt64.init(exactly:))
    switch content {
    case .data(let data):
      try check(data.count, against: representation)
      try await write(data, progress)
    case .file(let sent):
      defer { withExtendedLifetime(sent) {} }
      try await write(fileAt: sent.file.path, promised: promised, progress)
    case .stream:
      // Which also holds the source to what it has promised.
      let chunks = representation.stream(of: content, progress: ItemProgress())
      if framing.indexer != nil, let promised, promised > UInt64(chunkLength) {
        try await writeWhole(chunks, byteCount: promised, progress)
      } else {
        try await write(chunks, progress)
      }
    }
  }

  private func write(_ chunks: ItemByteStream, _ progress: ItemProgress?) async throws(DropStreamError) {
    var chunks = chunks.makeAsyncIterator()
    var count: UInt64 = 0
    while let chunk = try await chunks.nextOfDrop() {
      if chunk.count < chunkLength {
        // Short ones gather.
        chunk.withUnsafeBytes { bytes in framing.pending.add { $0.appendData(bytes, whole: false, to: &$1) } }
        if framing.pending.bytes.count > chunkLength { try await flush() }
        progress?.advance(by: Int64(chunk.count))
      } else {
        try await writeChunks(of: chunk, progress)
      }
      count += UInt64(chunk.count)
    }
    if count == 0 {
      // No chunk is empty: what has no bytes is one whole frame.
      framing.pending.add { $0.appendData(UnsafeRawBufferPointer(start: nil, count: 0), whole: true, to: &$1) }
    } else {
      framing.pending.add { $0.appendEndOfRepresentation(byteCount: count, to: &$1) }
    }
  }

  private func write(_ data: Data, _ progress: ItemProgress?) async throws(DropStreamError) {
    if framing.indexer != nil { return try await writeWhole(data, progress) }
    try await writeChunks(of: data, progress)
    framing.pending.add { $0.appendEndOfRepresentation(byteCount: UInt64(data.count), to: &$1) }
  }

  private func writeChunks(of data: Data, _ progress: ItemProgress?) async throws(DropStreamError) {
    let outcome = try await onLane { [pending = framing.pending, chunkLength] lane throws(DropStreamError) in
      await lane.sendData(data, chunkLength: chunkLength, after: pending, progress: progress)
    }
    try take(outcome)
  }

  // MARK: As one frame, which only a file can take: there, what was begun in vain is cut off again

  private func writeWhole(_ data: Data, _ progress: ItemProgress?) async throws(DropStreamError) {
    beginWhole(byteCount: UInt64(data.count))
    try await extendWhole(by: data, progress)
    framing.pending.add { $0.endWhole(byteCount: UInt64(data.count), to: &$1) }
  }

  private func writeWhole(
    _ chunks: ItemByteStream, byteCount: UInt64, _ progress: ItemProgress?
  ) async throws(DropStreamError) {
    beginWhole(byteCount: byteCount)
    var chunks = chunks.makeAsyncIterator()
    while let chunk = try await chunks.nextOfDrop() { try await extendWhole(by: chunk, progress) }
    framing.pending.add { $0.endWhole(byteCount: byteCount, to: &$1) }
  }

  private func beginWhole(byteCount: UInt64) {
    framing.pending.add { $0.beginWhole(byteCount: byteCount, to: &$1) }
    framing.contentOffset = framing.pending.encoder.offset
  }

  private func extendWhole(by data: Data, _ progress: ItemProgress?) async throws(DropStreamError) {
    var rest = data[...]
    while !rest.isEmpty {
      let piece = rest.prefix(chunkLength)
      piece.withUnsafeBytes { bytes in
        framing.pending.encoder.extendWhole(bytes)
        framing.pending.bytes.append(contentsOf: bytes)
      }
      rest = rest.dropFirst(piece.count)
      if framing.pending.bytes.count >= chunkLength { try await flush() }
      progress?.advance(by: Int64(piece.count))
    }
  }

  private func write(fileAt path: String, promised: UInt64?, _ progress: ItemProgress?) async throws(DropStreamError) {
    let outcome = try await onLane { [pending = framing.pending, chunkLength] lane throws(DropStreamError) in
      await lane.sendFile(
        path, promised: promised, chunkLength: chunkLength, after: pending, progress: progress)
    }
    framing.contentOffset = outcome.contentOffset
    try take(outcome)
  }

  private func take(_ outcome: OutputLane.FileOutcome) throws(DropStreamError) {
    framing.pending = outcome.pending
    if outcome.hasWritten { flushCount += 1 }
    _ = try outcome.byteCount.get()
  }
}

extension ItemByteStream.Iterator {
  /// The next chunk, or what its failure is to a drop.
  mutating func nextOfDrop() async throws(DropStreamError) -> Data? {
    do throws(ItemProviderError) {
      return try await next()
    } catch {
      throw DropStreamError(error)
    }
  }
}
