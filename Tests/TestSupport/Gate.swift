// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A gate that suspends tasks until another task opens it.
public final class Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  /// Creates a closed gate.
  public init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  /// Resumes all waiting tasks.
  public func open() {
    continuation.finish()
  }

  /// Waits until the gate is opened or the task is cancelled.
  public func wait() async {
    for await _ in stream {}
  }
}

/// A thread-safe collection of values.
public final class Collector<Value: Sendable>: Sendable {
  private let state = Lock<[Value]>([])

  /// Creates an empty collector.
  public init() {}

  /// The values in the order in which they were added.
  public var values: [Value] { state.withLock { $0 } }

  /// Appends a value.
  public func add(_ value: Value) {
    state.withLock { $0.append(value) }
  }
}
