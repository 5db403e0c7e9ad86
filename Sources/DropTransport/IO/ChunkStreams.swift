// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import Glibc

/// A sequence of chunks that a separate thread reads from a file, a pipe or a terminal.
package actor ChunkSource {
  private static let chunkLength = 128 << 10

  private nonisolated let interrupt: Interrupt
  private let executor = BlockingExecutor()
  private var descriptor: StreamDescriptor

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to read.
  ///   - idleTimeout: The longest wait for a chunk; `nil` waits without limit.
  /// - Throws: `sourceUnavailable` if the endpoint cannot be opened or is a directory.
  package init(_ endpoint: DropEndpoint, idleTimeout: Duration? = nil) throws(DropStreamError) {
    let descriptor = try StreamDescriptor.open(endpoint, access: O_RDONLY, idleTimeout: idleTimeout)
    interrupt = descriptor.interrupt
    self.descriptor = consume descriptor
  }

  /// Returns the next chunk; `nil` at the end.
  ///
  /// - Throws: `peerGone`, `systemCall`, `timedOut`; `cancelled` if the task is cancelled, which interrupts the read.
  package nonisolated func next() async throws(DropStreamError) -> Data? {
    try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in try await self.read() }
  }

  private func read() throws(DropStreamError) -> Data? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkLength, alignment: 16)
    defer { buffer.deallocate() }
    let count = try descriptor.read(into: buffer)
    return count == 0 ? nil : Data(buffer[..<count])
  }
}

extension ChunkSource: AsyncSequence {
  package nonisolated func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(source: self)
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
    let source: ChunkSource

    package mutating func next() async throws -> Data? {
      try await source.next()
    }
  }
}

/// A writer that writes bytes to a file, a pipe or a terminal on a separate thread.
package actor ChunkSink {
  private nonisolated let interrupt: Interrupt
  private let executor = BlockingExecutor()
  private let descriptor: StreamDescriptor

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the endpoint.
  ///
  /// Standard output stays open after the sink is released.
  ///
  /// - Throws: `destinationUnavailable`.
  package init(_ endpoint: DropEndpoint) throws(DropStreamError) {
    let descriptor = try StreamDescriptor.open(endpoint, access: O_WRONLY)
    interrupt = descriptor.interrupt
    self.descriptor = consume descriptor
  }

  /// Writes all bytes.
  ///
  /// - Throws: `peerGone`, `systemCall`; `cancelled` if the task is cancelled, which interrupts the write.
  package nonisolated func write(_ bytes: [UInt8]) async throws(DropStreamError) {
    try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in try await self.writeAll(bytes) }
  }

  private func writeAll(_ bytes: [UInt8]) throws(DropStreamError) {
    var written = 0
    try descriptor.write(bytes.span.bytes, from: &written)
  }
}
