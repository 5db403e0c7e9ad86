// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// Runs work that blocks on a disk outside the cooperative pool, whose few threads everybody shares.
///
/// The work is not interrupted by cancellation: keep it short.
package func runBlocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    // A queue of its own has a thread at once; the shared ones start another about once a second while all are blocked.
    DispatchQueue(label: "org.dragpipe.blocking").async { continuation.resume(with: Result(catching: work)) }
  }
}
