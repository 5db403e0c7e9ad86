// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// Memory that this process shares with a compositor, for the pixels of buffers.
///
/// Its size is fixed. A larger buffer needs new memory. The compositor may change the bytes at any time.
package final class WaylandMemory: Sendable {
  /// The number of bytes.
  package let byteCount: Int
  private let owned: OwnedDescriptor
  private let memory: Lock<UnsafeMutableRawBufferPointer>

  /// The maximum number of bytes, which the protocol describes with 31 bits.
  package static let maximumByteCount = Int(Int32.max)

  /// Creates memory that is filled with zeros.
  ///
  /// - Throws: `limitExceeded` for a size outside of 1 to ``maximumByteCount``; `systemCall`.
  package init(byteCount: Int) throws(DisplayError) {
    guard (1...Self.maximumByteCount).contains(byteCount) else {
      throw DisplayError(.limitExceeded, "\(byteCount) bytes of pixels exceed the limit of \(Self.maximumByteCount)")
    }
    self.byteCount = byteCount
    do throws(SystemError) {
      owned = OwnedDescriptor(try SystemCalls.memoryFile("dragpipe-pixels"))
      try SystemCalls.truncate(owned.raw, Int64(byteCount))
      try SystemCalls.sealSize(owned.raw)
      memory = Lock(try SystemCalls.mapShared(owned.raw, byteCount))
    } catch {
      throw DisplayError(.systemCall, "no memory for \(byteCount) bytes of pixels", error)
    }
  }

  deinit {
    memory.withLock { SystemCalls.unmap($0) }
  }

  /// Returns a new descriptor of the memory, to pass to the compositor.
  package func descriptor() throws(DisplayError) -> WaylandDescriptor {
    do throws(SystemError) {
      return WaylandDescriptor(OwnedDescriptor(try SystemCalls.duplicate(owned.raw)))
    } catch {
      throw DisplayError(.systemCall, "cannot pass the memory of the pixels", error)
    }
  }

  /// Calls a closure with the bytes, while no other task accesses them.
  package func withBytes<Result: Sendable, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try memory.withLock { (memory) throws(Failure) in try body(memory) }
  }

  /// Calls a closure with the bytes as pixels of 32 bits, while no other task accesses them.
  package func withPixels<Result: Sendable, Failure: Error>(
    _ body: (UnsafeMutableBufferPointer<UInt32>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withBytes { (memory) throws(Failure) in try body(memory.bindMemory(to: UInt32.self)) }
  }
}
