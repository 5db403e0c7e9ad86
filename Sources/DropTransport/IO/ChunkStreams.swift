// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A sequence of chunks that a separate thread reads from a file, a pipe or a terminal.
package final class ChunkSource: Sendable {
  fileprivate static let chunkLength = 128 << 10

  private let interrupt: Interrupt
  private let descriptor: Lock<StreamDescriptor>

  /// Opens the endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to read.
  ///   - idleTimeout: The longest wait for a chunk; `nil` waits without limit.
  /// - Throws: `sourceUnavailable` if the endpoint cannot be opened or is a directory.
  package init(_ endpoint: DropEndpoint, idleTimeout: Duration? = nil) throws(DropStreamError) {
    let descriptor = try StreamDescriptor.open(endpoint, access: O_RDONLY, idleTimeout: idleTimeout)
    interrupt = descriptor.interrupt
    self.descriptor = Lock(descriptor)
  }

  /// Waits for the first bytes, and returns them without reading them.
  ///
  /// - Parameter limit: The maximum number of bytes, at most 64 KiB.
  /// - Returns: The bytes that have arrived; empty at the end, and for a terminal or a device.
  /// - Throws: The errors of ``next()``.
  package func peek(atMost limit: Int) async throws(DropStreamError) -> [UInt8] {
    try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in
      try await runBlocking { () throws(DropStreamError) in
        try descriptor.withLock { descriptor throws(DropStreamError) in try descriptor.peek(atMost: limit) }
      }
    }
  }

  /// Returns the next chunk; `nil` at the end.
  ///
  /// - Throws: `peerGone`, `systemCall`, `timedOut`; `cancelled` if the task is cancelled, which interrupts the read.
  package func next() async throws(DropStreamError) -> Data? {
    try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in
      try await runBlocking { () throws(DropStreamError) in
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkLength, alignment: 16)
        defer { buffer.deallocate() }
        let count = try descriptor.withLock { descriptor throws(DropStreamError) in try descriptor.read(into: buffer) }
        return count == 0 ? nil : Data(buffer[..<count])
      }
    }
  }
}

extension ChunkSource: AsyncSequence {
  package func makeAsyncIterator() -> AsyncIterator {
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
package final class ChunkSink: Sendable {
  private let interrupt: Interrupt
  private let descriptor: Lock<StreamDescriptor>

  /// Opens the endpoint.
  ///
  /// Standard output stays open after the sink is released.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to write.
  ///   - idleTimeout: The longest wait for a reader; `nil` waits without limit.
  /// - Throws: `destinationUnavailable`.
  package init(_ endpoint: DropEndpoint, idleTimeout: Duration? = nil) throws(DropStreamError) {
    let descriptor = try StreamDescriptor.open(endpoint, access: O_WRONLY, idleTimeout: idleTimeout)
    interrupt = descriptor.interrupt
    self.descriptor = Lock(descriptor)
  }

  /// Writes all bytes.
  ///
  /// - Throws: `peerGone`, `systemCall`, `timedOut`; `cancelled` if the task is cancelled, which interrupts the write.
  package func write(_ bytes: ArraySlice<UInt8>) async throws(DropStreamError) {
    try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in
      try await runBlocking { () throws(DropStreamError) in
        try descriptor.withLock { descriptor throws(DropStreamError) in
          var written = 0
          try descriptor.write(bytes.span.bytes, from: &written)
        }
      }
    }
  }

  /// Writes the content of a file.
  ///
  /// - Throws: The errors of ``write(_:)``, and those of opening and reading the file.
  package func write(contentsOf path: String) async throws(DropStreamError) {
    try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in
      try await runBlocking { () throws(DropStreamError) in
        var file = try StreamDescriptor.open(.file(path), access: O_RDONLY)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ChunkSource.chunkLength, alignment: 16)
        defer { buffer.deallocate() }
        try descriptor.withLock { descriptor throws(DropStreamError) in
          while case let count = try file.read(into: buffer), count > 0 {
            var written = 0
            try descriptor.write(RawSpan(_unsafeBytes: buffer[..<count]), from: &written)
          }
        }
      }
    }
  }
}
