// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

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
  ///   - encoder: Makes the frames.
  ///   - buffer: Frames that go before them.
  ///   - progress: Advanced as chunks are written.
  /// - Returns: The encoder and the buffer as they are then, and what came of it.
  func sendData(
    _ data: Data, chunkLength: Int, encoder: FrameEncoder, after buffer: [UInt8], progress: ItemProgress?
  ) -> FileOutcome {
    var outcome = FileOutcome(
      encoder: encoder, buffer: buffer, byteCount: .success(UInt64(data.count)), contentOffset: encoder.offset)
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
            outcome.encoder.sealChunk(of: count, in: frame)
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
