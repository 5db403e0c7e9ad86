// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Foundation
internal import Glibc
internal import Synchronization
public import Testing

/// The longest time that a test waits for one event.
public let waitingLimit = Duration.seconds(60)

/// The error that an event has not happened within its limit.
public struct WaitTimedOut: Error, CustomStringConvertible {
  /// The event, the limit and the details.
  public let description: String

  /// Creates an error with details such as the last output and the state of a child.
  public init(_ awaited: String, within limit: Duration, _ details: String = "") {
    description = "waited \(limit) for \(awaited)\(details.isEmpty ? "" : "; \(details)")"
  }
}

/// Waits until another thread or process fulfils a condition.
///
/// - Returns: Whether the condition holds within the limit.
public func eventually(
  within limit: Duration = waitingLimit, isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws -> Bool
) async throws -> Bool {
  let end = ContinuousClock.now + limit
  while ContinuousClock.now < end {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(5))
  }
  return try await condition()
}

/// Waits until another thread or process fulfils a condition.
///
/// - Throws: `WaitTimedOut` with the event and the details if the condition does not hold within the limit.
public func wait(
  for awaited: String, within limit: Duration = waitingLimit, isolation: isolated (any Actor)? = #isolation,
  details: () -> String = { "" }, until condition: () async throws -> Bool
) async throws {
  guard try await eventually(within: limit, condition) else { throw WaitTimedOut(awaited, within: limit, details()) }
}

/// Runs work that may block on a thread outside of the cooperative pool.
///
/// - Throws: The error of the work; `WaitTimedOut` if the work takes longer than the limit. The thread then continues.
public func onThread<Value: Sendable>(
  within limit: Duration = waitingLimit, sourceLocation: SourceLocation = #_sourceLocation,
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await firstResult(WaitTimedOut("blocking work at \(sourceLocation)", within: limit), within: limit) { result in
    BlockingExecutor.startThread { result(Result(catching: work)) }
  }
}

/// Runs work that must end by itself, also after the task was cancelled.
///
/// - Throws: The error of the work; `WaitTimedOut` if the work takes longer than the limit. The work is then cancelled.
public func finishing<Value: Sendable>(
  _ awaited: String, within limit: Duration = waitingLimit, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let task = Task { try await work() }
  defer { task.cancel() }
  return try await firstResult(WaitTimedOut(awaited, within: limit), within: limit) { result in
    Task { result(await task.result) }
  }
}

/// Returns the first result that `start` reports, or throws `error` after the limit.
private func firstResult<Value: Sendable>(
  _ error: WaitTimedOut, within limit: Duration,
  _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  let waiting = Lock<CheckedContinuation<Value, any Error>?>(nil)
  let resume: @Sendable (Result<Value, any Error>) -> Void = { result in
    waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }?.resume(with: result)
  }
  let timer = Task {
    try await Task.sleep(for: limit)
    resume(.failure(error))
  }
  defer { timer.cancel() }
  return try await withCheckedThrowingContinuation { continuation in
    waiting.withLock { $0 = continuation }
    start(resume)
  }
}

/// Reads at most `count` bytes, on a thread that may block.
///
/// - Returns: The bytes; none at the end of the input.
/// - Throws: `WaitTimedOut` if nothing arrives within a minute; `SystemError` for a failed call.
public func readSome(_ descriptor: CInt, _ count: Int = 1 << 16, awaiting awaited: String = "input") throws -> [UInt8] {
  var state = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
  guard try SystemCalls.poll(&state, CInt(waitingLimit / .milliseconds(1))) > 0 else {
    throw WaitTimedOut(awaited, within: waitingLimit)
  }
  return try [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
    length = try SystemCalls.read(descriptor, UnsafeMutableRawBufferPointer(buffer))
  }
}

/// Reads up to the end on a thread, and closes the descriptor.
///
/// - Throws: As ``readSome(_:_:awaiting:)``.
public func readAll(_ descriptor: CInt) async throws -> [UInt8] {
  try await onThread {
    var all: [UInt8] = []
    while case let bytes = try readSome(descriptor, awaiting: "the end of the input"), !bytes.isEmpty { all += bytes }
    try SystemCalls.close(descriptor)
    return all
  }
}
