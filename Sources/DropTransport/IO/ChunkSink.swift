// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// Takes bytes for a file, a pipe or a terminal, and writes them on a thread of its own.
package actor ChunkSink {
  private nonisolated let interrupt: Interrupt
  private let executor = BlockingExecutor(label: "org.dragpipe.chunks")
  private let descriptor: StreamDescriptor

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the endpoint, which is left open for others.
  ///
  /// - Throws: `destinationUnavailable`.
  package init(_ endpoint: DropEndpoint) throws(DropStreamError) {
    let descriptor = try StreamDescriptor.open(endpoint, access: O_WRONLY)
    interrupt = descriptor.interrupt
    self.descriptor = consume descriptor
  }

  /// Writes everything.
  ///
  /// - Throws: `peerGone`, `systemCall`; `cancelled` when the task is cancelled, however long the write waits.
  package nonisolated func write(_ bytes: [UInt8]) async throws(DropStreamError) {
    try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in try await self.writeAll(bytes) }
  }

  private func writeAll(_ bytes: [UInt8]) throws(DropStreamError) {
    var rest = bytes[...]
    try descriptor.write(&rest)
  }
}
