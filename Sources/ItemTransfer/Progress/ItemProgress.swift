// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization
package import UniformTypes

/// The progress of a load or a transfer.
///
/// The owner chooses the unit, usually bytes. A child measures a part of the work, and has a share of its parent's
/// total. A progress can also cancel the work: ``cancel()`` cancels the tasks of its loads.
///
/// ```swift
/// let progress = ItemProgress(total: 3)
/// Task { for await now in progress.updates { print(now.phase, now.fraction) } }
/// progress.advance(by: 1)
/// let rest = progress.child(units: 2)     // its own scale, 2 of our 3 units
/// ```
public final class ItemProgress: Sendable {
  /// A phase of the work.
  public enum Phase: Sendable, Hashable, CaseIterable {
    /// The source creates the representation.
    case preparing
    /// Bytes are in transit.
    case transferring
    /// The receiver verifies the data.
    case verifying
  }

  /// The outcome of the work.
  public enum Ending: Sendable, Hashable {
    /// All work is done.
    case finished
    /// The work was cancelled.
    case cancelled
    /// The work failed.
    case failed
  }

  /// The state at one moment.
  public struct Snapshot: Sendable, Hashable {
    /// The completed units including children's shares, at most ``total``.
    public let completed: Int64
    /// The total number of units; `nil` while it is unknown.
    public let total: Int64?
    /// The completed fraction, from 0 to 1; 0 while the total is unknown.
    public let fraction: Double
    /// The current phase.
    public let phase: Phase
    /// The outcome of the work; `nil` while it continues.
    ///
    /// The state does not change after the end.
    public let ending: Ending?

    /// Whether all of the work is done.
    public var isFinished: Bool { ending == .finished }
    /// Whether the work was cancelled.
    public var isCancelled: Bool { ending == .cancelled }
  }

  private let state: Lock<ItemProgressState>

  /// Creates a progress without completed units.
  ///
  /// - Parameter total: The total number of units, if known; a negative number means an unknown total.
  public convenience init(total: Int64? = nil) {
    self.init(total: total, parent: nil)
  }

  private init(total: Int64?, parent: ItemProgress?) {
    state = Lock(ItemProgressState(total: total, parent: parent))
  }

  deinit {
    // Most progresses end without a reader, and need no notification.
    guard state.withLock({ $0.isObserved }) else { return }
    end(.finished)
    // A chain of parents can be longer than the stack allows.
    var next = state.withLock { $0.parent.take() }
    while isKnownUniquelyReferenced(&next), let last = next {
      last.end(.finished)
      next = last.state.withLock { $0.parent.take() }
    }
  }

  /// The current state.
  public var snapshot: Snapshot {
    state.withLock { $0.snapshot }
  }

  /// Sets the total number of units; `nil` or a negative number means an unknown total.
  public func setTotal(_ total: Int64?) {
    change { $0.total = total.flatMap { $0 < 0 ? nil : $0 } }
  }

  /// Adds completed units; a negative count is ignored.
  public func advance(by count: Int64) {
    change { $0.advance(by: count) }
  }

  /// Enters a phase.
  public func enter(_ phase: Phase) {
    change { $0.phase = phase }
  }

  // MARK: Ending

  /// Ends the work successfully.
  ///
  /// All units are then completed, and all ``updates`` end.
  ///
  /// Only the first ending has an effect. While a load uses the progress, the function has no effect: the load ends the
  /// progress. A loader that loads another item passes on a child.
  public func finish() {
    _ = endAlone(.finished, isByLoad: false)
  }

  /// Ends the work unsuccessfully, as ``finish()`` ends it successfully; an error of a cancellation cancels the work.
  public func fail(_ error: any Error) {
    if error.isCancellation { cancel() } else { _ = endAlone(.failed, isByLoad: false) }
  }

  /// Cancels the work: the tasks of its loads, and its children.
  ///
  /// The loads end with the error `cancelled` as soon as their loaders respond to the cancellation. Work that has ended
  /// keeps its outcome.
  public func cancel() {
    end(.cancelled)
  }

  /// Whether the work was cancelled.
  public var isCancelled: Bool {
    state.withLock { $0.ending == .cancelled }
  }

  /// Whether the work or the calling task was cancelled: a source may end early for either reason.
  var isCancelledWithTask: Bool { Task.isCancelled || isCancelled }

  /// Begins the load that ends this progress.
  ///
  /// - Returns: Whether this load ends the progress; `false` if another load uses it, whose loader has passed it on.
  /// - Throws: `progressEnded`; `cancelled` if the progress was cancelled before.
  package func begin(_ contentType: UTType?) throws(ItemProviderError) -> Bool {
    let (ending, isFirst) = state.withLock { state in
      defer { state.isLoading = true }
      return (state.ending, !state.isLoading)
    }
    guard let ending else { return isFirst }
    throw ItemProviderError(ending == .cancelled ? .cancelled : .progressEnded, contentType: contentType)
  }

  /// Lets only a load and a cancellation end the progress from now on.
  func lend() {
    state.withLock { $0.isLoading = true }
  }

  /// Ends the work, unless it has ended.
  ///
  /// - Returns: The outcome: `ending`, or that of an earlier end.
  @discardableResult
  package func end(_ ending: Ending) -> Ending {
    let (outcome, dependents) = endAlone(ending)
    guard outcome == .cancelled, let dependents else { return outcome }
    // The children are cancelled before any handler runs, in a loop: a chain can be longer than the stack allows.
    var (handlers, rest) = (dependents.handlers, dependents.children)
    while let child = rest.popLast() {
      guard let dependents = child.endAlone(.cancelled).dependents else { continue }
      handlers += dependents.handlers
      rest += dependents.children
    }
    for handler in handlers { handler() }
    return outcome
  }

  /// Ends the work with the outcome that an error implies.
  ///
  /// - Returns: The error; `cancelled` if the work was cancelled before.
  @discardableResult
  func end(with error: ItemProviderError) -> ItemProviderError {
    let isCancellation = error.code == .cancelled
    if end(isCancellation ? .cancelled : .failed) == .cancelled, !isCancellation {
      return ItemProviderError(.cancelled, contentType: error.contentType)
    }
    return error
  }

  /// Ends the work without the work that depends on it.
  private func endAlone(
    _ ending: Ending, isByLoad: Bool = true
  ) -> (outcome: Ending, dependents: ItemProgressState.Dependents?) {
    // The dependents are released outside the lock, because that may run code of the program.
    var dependents: ItemProgressState.Dependents?
    change { if isByLoad || !$0.isLoading { dependents = $0.end(ending) } }
    if dependents != nil { return (ending, dependents) }
    return (state.withLock { $0.ending } ?? ending, nil)
  }

  /// Adds a handler that is called once if the work is cancelled.
  ///
  /// If the work is cancelled already, the handler is called at once. After another ending, it is never called.
  package func addCancellationHandler(_ handler: @escaping @Sendable () -> Void) {
    if state.withLock({ $0.addCancellationHandler(handler) }) == .cancelled { handler() }
  }

  // MARK: Children

  /// Creates a child for a part of this work.
  ///
  /// A child that is released before its end is treated as finished, so that a parent never waits for it. A cancelled
  /// or failed child also completes its share. Cancelling this progress cancels the child.
  ///
  /// - Parameter units: The child's share, in this progress's units.
  /// - Returns: A progress with a scale of its own.
  public func child(units: Int64) -> ItemProgress {
    let child = ItemProgress(total: nil, parent: self)
    if state.withLock({ $0.add(child, units: max(0, units)) }) == .cancelled { child.cancel() }
    return child
  }

  // MARK: Watching

  /// A sequence of the states from now on.
  ///
  /// The last state has an ``Snapshot/ending``.
  ///
  /// A slow reader gets only the newest state, so memory does not grow.
  public var updates: AsyncStream<Snapshot> {
    let watch = ItemProgressWatch()
    state.withLock { $0.add(watch) }
    // The reference is weak, so that a stream does not keep the work alive.
    let release = ReleaseAction { [weak self] in self?.state.withLock { $0.remove(watch) } }
    return AsyncStream {
      defer { withExtendedLifetime(release) {} }
      return await watch.next()
    }
  }

  private func change(_ body: (inout ItemProgressState) -> Void) {
    var news = state.withLock { $0.change(body) }
    // The parents learn the change in a loop: a chain of children can be longer than the stack allows.
    var child = ObjectIdentifier(self)
    while let change = news {
      change.resumeReaders()
      guard let parent = change.parent else { return }
      news = parent.state.withLock { $0.change(of: child, to: change.state) }
      child = ObjectIdentifier(parent)
    }
  }
}

/// An action that runs when the object is released.
private final class ReleaseAction: Sendable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  deinit {
    action()
  }
}

/// A reader of the states of a progress.
///
/// It holds the newest state until its task takes it.
final class ItemProgressWatch: Sendable {
  typealias Continuation = CheckedContinuation<ItemProgress.Snapshot?, Never>

  private struct State {
    var newest: ItemProgress.Snapshot?
    var waiting: [Continuation] = []
    /// Whether the last state was taken, or the task was cancelled.
    var hasEnded = false
  }

  private let state = Lock(State())

  /// Shows a state to the reader.
  ///
  /// - Returns: The tasks that wait for a state. The caller resumes them with this state, outside its locks.
  func show(_ now: ItemProgress.Snapshot) -> [Continuation] {
    state.withLock { state in
      if state.waiting.isEmpty {
        state.newest = now
        return []
      }
      defer { state.waiting = [] }
      state.hasEnded = now.ending != nil
      return state.waiting
    }
  }

  /// Waits for a state that this function has not returned; `nil` after the last state, and in a cancelled task.
  func next() async -> ItemProgress.Snapshot? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now: ItemProgress.Snapshot?? = state.withLock { state in
          if state.hasEnded { return .some(nil) }
          guard let newest = state.newest.take() else {
            state.waiting.append(continuation)
            return nil
          }
          state.hasEnded = newest.ending != nil
          return newest
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        defer { state.waiting = [] }
        state.hasEnded = true
        return state.waiting
      }
      for waiting in waiting { waiting.resume(returning: nil) }
    }
  }
}

extension ItemProgress {
  /// Runs work in a child task that is also cancelled when this progress is cancelled.
  ///
  /// A child task keeps the executor of its parent, unlike a task of its own.
  ///
  /// - Parameters:
  ///   - timeout: The time after which the task is cancelled; `nil` means no limit.
  ///   - work: The work.
  /// - Returns: The result of the work, and whether the time has passed.
  package nonisolated(nonsending) func cancelling<Value: Sendable>(
    after timeout: Duration? = nil, _ work: @escaping @Sendable () async -> Value
  ) async -> (value: Value, hasExpired: Bool) {
    let task = RunningTask()
    let timer = timeout.map { limit in
      Task {
        do { try await Task.sleep(for: limit) } catch { return false }
        task.cancel()
        return true
      }
    }
    let value = await withTaskGroup(of: Value.self) { group in
      group.addTask {
        await withUnsafeCurrentTask { current in
          task.begin(current)
          defer { task.end() }
          return await work()
        }
      }
      addCancellationHandler { task.cancel() }
      guard let value = await group.next() else { preconditionFailure("a group without its task") }
      return value
    }
    timer?.cancel()
    return (value, await timer?.value ?? false)
  }
}

/// A reference to a task, which any thread may cancel while the task runs.
private final class RunningTask: Sendable {
  private struct State: @unchecked Sendable {
    /// The task, which is valid until its end.
    var current: UnsafeCurrentTask?
    var isCancelled = false
  }

  private let state = Lock(State())

  func begin(_ current: UnsafeCurrentTask?) {
    state.withLock { state in
      state.current = current
      if state.isCancelled { current?.cancel() }
    }
  }

  func end() {
    state.withLock { $0.current = nil }
  }

  /// Cancels the task.
  ///
  /// The lock keeps the task from ending meanwhile. Handlers of the cancellation run inside it, as they run inside a lock
  /// of the runtime: they must not wait for the task.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.current?.cancel()
    }
  }
}
