// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemTransfer

/// Content that is in memory.
extension OutputLane {
  /// Sends bytes as chunks, without the end of their representation.
  ///
  /// The frames are made here, one after the other in the same memory, so that they are still in the processor's cache
  /// when they are written; and many of them cost one change of threads.
  ///
  /// - Parameters:
  ///   - data: More than one byte.
  ///   - chunkLength: The length of all chunks but the last.
  ///   - pending: Makes the frames, and has those that go before.
  ///   - progress: Advanced as chunks are written.
  /// - Returns: The frames that are pending then, and what came of it.
  func sendData(
    _ data: Data, chunkLength: Int, after pending: PendingFrames, progress: ItemProgress?
  ) -> FileOutcome {
    var outcome = FileOutcome(
      pending: pending, byteCount: .success(UInt64(data.count)), contentOffset: pending.encoder.offset)
    let frame = frameMemory(forChunksOf: chunkLength)
    do throws(DropStreamError) {
      try flush(&outcome)
      // The standard function would erase the type of the error.
      let result = data.withUnsafeBytes { bytes in
        Result { () throws(DropStreamError) in
          var start = 0
          while start < bytes.count {
            let count = min(chunkLength, bytes.count - start)
            frame.baseAddress?.advanced(by: FrameHeader.length).copyMemory(
              from: bytes.baseAddress.unsafelyUnwrapped + start, byteCount: count)
            outcome.pending.encoder.sealChunk(of: count, in: frame)
            let length = FrameHeader.length + count + FrameHeader.checkLength
            try write(UnsafeRawBufferPointer(rebasing: frame[..<length]))
            progress?.advance(by: Int64(count))
            start += count
          }
        }
      }
      try result.get()
    } catch {
      outcome.byteCount = .failure(error)
    }
    return outcome
  }
}
