// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What becomes of one representation: whole, in chunks, or in a file as one long frame.
extension DropStreamWriter {
  /// Writes a representation, or why there is none where that does not end the stream.
  func writeContentOrFailure(
    of representation: ItemRepresentation, _ progress: ItemProgress?, _ toleratesFailures: Bool
  ) async throws(DropStreamError) -> DropStreamError? {
    let (before, gathered) = (encoder, buffer.count)
    let flushesBefore = flushCount
    contentOffset = encoder.offset
    do throws(DropStreamError) {
      try await writeContent(of: representation, progress)
      let byteCount = encoder.counts.bytes - before.counts.bytes
      indexer?.addRepresentation(at: contentOffset, byteCount: byteCount)
      return nil
    } catch {
      guard toleratesFailures, error.isOfSource, !Task.isCancelled, !lane.interrupt.hasBeenRaised else { throw error }
      if indexer != nil {
        // Half a frame would be in the way, and a file can be cut.
        encoder = before
        if flushCount == flushesBefore {
          buffer.removeLast(buffer.count - gathered)
        } else {
          buffer.removeAll(keepingCapacity: true)
          try await lane.cut(to: encoder.offset)
        }
      }
      indexer?.addRepresentation(at: encoder.offset, byteCount: DropFileIndex.Representation.failureByteCount)
      encoder.appendFailureOfRepresentation(SenderFailure(error), to: &buffer)
      return error
    }
  }

  private func writeContent(
    of representation: ItemRepresentation, _ progress: ItemProgress?
  ) async throws(DropStreamError) {
    let promised = representation.size.promised.flatMap(UInt64.init(exactly:))
    let content: ItemContent
    do throws(ItemProviderError) {
      content = try await representation.portableContent(progress: ItemProgress())
    } catch {
      throw DropStreamError(error)
    }
    switch content {
    case .data(let data):
      if let promised, promised != UInt64(data.count) {
        throw DropStreamError(
          .sourceChanged, "\(representation.contentType) has \(data.count) bytes where \(promised) were promised")
      }
      try await write(data, progress)
    case .file(let sent):
      try await write(fileAt: sent.file.path, promised: promised, progress)
    case .stream:
      // Which also holds the source to what it has promised.
      let chunks = representation.stream(of: content, progress: ItemProgress())
      if indexer != nil, let promised, promised > UInt64(chunkLength) {
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
        chunk.withUnsafeBytes { encoder.appendData($0, whole: false, to: &buffer) }
        try await flush(ifLongerThan: chunkLength)
        progress?.advance(by: Int64(chunk.count))
      } else {
        try await writeChunks(of: chunk, progress)
      }
      count += UInt64(chunk.count)
    }
    if count == 0 {
      // No chunk is empty: what has no bytes is one whole frame.
      encoder.appendData(UnsafeRawBufferPointer(start: nil, count: 0), whole: true, to: &buffer)
    } else {
      encoder.appendEndOfRepresentation(byteCount: count, to: &buffer)
    }
  }

  private func write(_ data: Data, _ progress: ItemProgress?) async throws(DropStreamError) {
    if data.count <= chunkLength {
      data.withUnsafeBytes { encoder.appendData($0, whole: true, to: &buffer) }
      progress?.advance(by: Int64(data.count))
      return
    }
    if indexer != nil { return try await writeWhole(data, progress) }
    try await writeChunks(of: data, progress)
    encoder.appendEndOfRepresentation(byteCount: UInt64(data.count), to: &buffer)
  }

  private func writeChunks(of data: Data, _ progress: ItemProgress?) async throws(DropStreamError) {
    let outcome = try await onLane { [encoder, buffer, chunkLength] lane throws(DropStreamError) in
      await lane.sendData(data, chunkLength: chunkLength, encoder: encoder, after: buffer, progress: progress)
    }
    try take(outcome)
  }

  // MARK: As one frame, which only a file can take: there, what was begun in vain is cut off again

  private func writeWhole(_ data: Data, _ progress: ItemProgress?) async throws(DropStreamError) {
    beginWhole(byteCount: UInt64(data.count))
    try await extendWhole(by: data, progress)
    encoder.endWhole(byteCount: UInt64(data.count), to: &buffer)
  }

  private func writeWhole(
    _ chunks: ItemByteStream, byteCount: UInt64, _ progress: ItemProgress?
  ) async throws(DropStreamError) {
    beginWhole(byteCount: byteCount)
    var chunks = chunks.makeAsyncIterator()
    while let chunk = try await chunks.nextOfDrop() { try await extendWhole(by: chunk, progress) }
    encoder.endWhole(byteCount: byteCount, to: &buffer)
  }

  private func beginWhole(byteCount: UInt64) {
    encoder.beginWhole(byteCount: byteCount, to: &buffer)
    contentOffset = encoder.offset
  }

  private func extendWhole(by data: Data, _ progress: ItemProgress?) async throws(DropStreamError) {
    var rest = data[...]
    while !rest.isEmpty {
      let piece = rest.prefix(chunkLength)
      piece.withUnsafeBytes { bytes in
        encoder.extendWhole(bytes)
        buffer.append(contentsOf: bytes)
      }
      rest = rest.dropFirst(piece.count)
      try await flush(ifLongerThan: chunkLength - 1)
      progress?.advance(by: Int64(piece.count))
    }
  }

  private func write(fileAt path: String, promised: UInt64?, _ progress: ItemProgress?) async throws(DropStreamError) {
    let outcome = try await onLane { [encoder, buffer, chunkLength] lane throws(DropStreamError) in
      await lane.sendFile(
        path, promised: promised, chunkLength: chunkLength, encoder: encoder, after: buffer, progress: progress)
    }
    contentOffset = outcome.contentOffset
    try take(outcome)
  }

  private func take(_ outcome: OutputLane.FileOutcome) throws(DropStreamError) {
    encoder = outcome.encoder
    buffer = outcome.buffer
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
