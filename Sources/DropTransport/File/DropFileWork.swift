// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// Runs short work that blocks outside the cooperative pool, and keeps the type of its error.
func runBlockingWork<Value: Sendable>(
  _ work: @escaping @Sendable () throws(DropStreamError) -> Value
) async throws(DropStreamError) -> Value {
  do {
    return try await runBlocking { try work() }
  } catch {
    throw DropStreamError(caught: error)
  }
}

/// The same for work of any length, which asks between its steps whether it is still wanted.
func runInterruptibleWork<Value: Sendable>(
  _ work: @escaping @Sendable (Interruption) throws(DropStreamError) -> Value
) async throws(DropStreamError) -> Value {
  do {
    return try await runInterruptibly { try work($0) }
  } catch {
    throw DropStreamError(caught: error)
  }
}

extension Interruption {
  /// Ends work that nobody waits for any more.
  func check() throws(DropStreamError) {
    if isRaised { throw .cancelled }
  }
}

extension DropStreamError {
  fileprivate init(caught error: any Error) {
    switch error {
    case let error as DropStreamError: self = error
    case is CancellationError: self = .cancelled
    default: self.init(.systemCall, "\(error)", underlyingError: error)
    }
  }
}
