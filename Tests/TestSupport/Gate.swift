// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import DropSystem
internal import Synchronization
public import Testing

/// A gate at which tasks wait until it is opened.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var nextKey = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Lock(State())

  /// Creates a closed gate.
  public init() {}

  /// Resumes all waiting tasks.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until the gate is opened or this task is cancelled.
  ///
  /// A cancelled task does not affect the others. If the gate stays closed for three minutes, which is longer than the
  /// waits of the test that should open it, the wait fails and returns.
  public func wait(sourceLocation: SourceLocation = #_sourceLocation) async {
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    let timer = Task {
      try await Task.sleep(for: waitingLimit * 3)
      guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: key) }) else { return }
      Issue.record("the gate stayed closed", sourceLocation: sourceLocation)
      waiting.resume()
    }
    defer { timer.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          // The handler has already run if the task was cancelled before.
          guard !state.isOpen, !Task.isCancelled else { return false }
          state.waiting[key] = continuation
          return true
        }
        if !isWaiting { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: key) }?.resume()
    }
  }
}

/// Signals between threads, whose waits block a thread.
public struct BlockingSignals: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Creates signals of which none is sent.
  public init() {}

  /// Ends `count` waits, or that many later waits.
  public func send(_ count: Int = 1) { for _ in 0..<count { semaphore.signal() } }

  /// Waits for `count` signals, and records an issue if one of them does not come within a minute.
  public func receive(_ count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) {
    for number in 1...count where semaphore.wait(timeout: .now() + 60) == .timedOut {
      Issue.record("no signal \(number) of \(count)", sourceLocation: sourceLocation)
      return
    }
  }
}

/// A list of values that several tasks add.
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
