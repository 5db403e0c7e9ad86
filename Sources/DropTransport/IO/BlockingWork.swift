// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// A thread outside the cooperative pool that runs blocking work, one piece after another.
actor BlockingThread {
  private let executor = BlockingExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Runs work after all work that was submitted before.
  ///
  /// Cancellation does not interrupt the work.
  func run<Value: Sendable, Failure>(_ work: @Sendable () throws(Failure) -> Value) throws(Failure) -> Value {
    try work()
  }
}

extension Interrupt {
  /// Runs `body`, and raises the interrupt if the task is cancelled.
  func raisedOnCancellation<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(DropStreamError) -> Value
  ) async throws(DropStreamError) -> Value {
    // `withTaskCancellationHandler` would erase the type of the error, so the closure returns a `Result`.
    let result: Result<Value, DropStreamError> = await withTaskCancellationHandler {
      do throws(DropStreamError) { return .success(try await body()) } catch { return .failure(error) }
    } onCancel: {
      raise()
    }
    return try result.get()
  }
}

/// Runs short, blocking work outside the cooperative pool.
///
/// Cancellation does not interrupt the work.
func runBlockingWork<Value: Sendable>(
  _ work: @escaping @Sendable () throws(DropStreamError) -> Value
) async throws(DropStreamError) -> Value {
  do {
    return try await runBlocking { try work() }
  } catch {
    throw DropStreamError(caught: error)
  }
}

/// Runs blocking work of any length, which calls ``Interruption/check()`` between its steps.
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
  /// Throws `cancelled` if the task that waits for the work was cancelled.
  func check() throws(DropStreamError) {
    if isRaised { throw .cancelled }
  }
}

extension DropStreamError {
  fileprivate init(caught error: any Error) {
    switch error {
    case let error as DropStreamError: self = error
    case _ where error.isCancellation: self = .cancelled
    default: self.init(.systemCall, "\(error)", underlyingError: error)
    }
  }
}
