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

/// The state of a progress without synchronization; its owner's lock guards it.
struct ItemProgressState: Sendable {
  typealias CancellationHandler = @Sendable () -> Void

  private struct Child {
    weak var progress: ItemProgress?
    var units: Int64
    var fraction = 0.0
    var share = UnitShare()
  }

  /// A change that the readers and the parent must learn.
  struct Change {
    let state: ItemProgress.Snapshot
    let parent: ItemProgress?
    fileprivate var readers: [ItemProgressWatch.Continuation] = []

    /// Resumes the readers that wait for a state.
    func resumeReaders() {
      for reader in readers { reader.resume(returning: state) }
    }
  }

  /// The work that is cancelled with a progress.
  struct Dependents {
    var handlers: [CancellationHandler]
    var children: [ItemProgress]
  }

  /// The progress of the complete work, if this is a part of it.
  var parent: ItemProgress?
  var total: Int64?
  var phase = ItemProgress.Phase.preparing
  /// Whether a load uses the progress, and ends it.
  var isLoading = false
  private(set) var ending: ItemProgress.Ending?
  private var completed: Int64 = 0
  /// The children in progress.
  ///
  /// The share of an ended child moves to ``completed``, which bounds the size of the table.
  private var children: [ObjectIdentifier: Child] = [:]
  /// The sum of the shares of ``children``.
  private var share = UnitShare()
  private var watches: [ItemProgressWatch] = []
  private var cancellationHandlers: [CancellationHandler] = []

  init(total: Int64?, parent: ItemProgress? = nil) {
    self.parent = parent
    self.total = total.flatMap { $0 < 0 ? nil : $0 }
  }

  /// Whether readers or a parent must learn changes.
  var isObserved: Bool { parent != nil || !watches.isEmpty }

  var snapshot: ItemProgress.Snapshot {
    let (sum, overflow) = completed.addingReportingOverflow(share.units)
    let done = overflow ? .max : sum
    let isFinished = ending == .finished
    guard let total else {
      return .init(
        completed: done, total: isFinished ? done : nil, fraction: isFinished ? 1 : 0, phase: phase, ending: ending)
    }
    let fraction = total == 0 ? 0 : min(1, (Double(completed) + share.value) / Double(total))
    return .init(
      completed: isFinished ? total : min(done, total), total: total, fraction: isFinished ? 1 : fraction,
      phase: phase, ending: ending)
  }

  /// Changes the state, unless the work has ended, and shows it to the readers.
  ///
  /// - Parameter body: Changes the state.
  /// - Returns: The change; `nil` if there is none, or nothing must learn it.
  mutating func change(_ body: (inout ItemProgressState) -> Void) -> Change? {
    guard ending == nil else { return nil }
    body(&self)
    guard isObserved else { return nil }
    var change = Change(state: snapshot, parent: parent)
    for watch in watches { change.readers += watch.show(change.state) }
    if ending != nil { watches = [] }
    return change
  }

  /// Changes the share of a child as ``change(_:)`` changes the state.
  ///
  /// - Returns: The change; `nil` also if the new share makes no difference.
  mutating func change(of child: ObjectIdentifier, to new: ItemProgress.Snapshot) -> Change? {
    guard ending == nil else { return nil }
    let before = snapshot
    guard update(child, to: new), snapshot != before else { return nil }
    return change { _ in }
  }

  mutating func advance(by count: Int64) {
    guard count > 0 else { return }
    let (sum, overflow) = completed.addingReportingOverflow(count)
    completed = overflow ? .max : sum
  }

  /// Ends the work.
  ///
  /// The caller ensures that the work has not ended.
  ///
  /// - Returns: The work that a cancellation must end too.
  mutating func end(_ ending: ItemProgress.Ending) -> Dependents {
    self.ending = ending
    defer { cancellationHandlers = [] }
    let isCancelled = ending == .cancelled
    return Dependents(
      handlers: cancellationHandlers,
      children: isCancelled ? children.values.compactMap(\.progress) : [])
  }

  // MARK: Children

  /// Adds a child, unless the work has ended.
  ///
  /// - Returns: The outcome of the work; `nil` while it continues.
  mutating func add(_ child: ItemProgress, units: Int64) -> ItemProgress.Ending? {
    if ending == nil { children[ObjectIdentifier(child)] = Child(progress: child, units: units) }
    return ending
  }

  /// Updates the share of a child.
  ///
  /// Its fraction only grows, because reports of two threads may arrive out of order.
  ///
  /// - Returns: Whether the child has a share.
  private mutating func update(_ id: ObjectIdentifier, to state: ItemProgress.Snapshot) -> Bool {
    guard let index = children.index(forKey: id) else { return false }
    let child = children.values[index]
    if state.ending != nil {
      share -= child.share
      children.remove(at: index)
      advance(by: child.units)
    } else if state.fraction > child.fraction {
      let new = UnitShare(units: child.units, fraction: state.fraction)
      share -= child.share
      share += new
      children.values[index].fraction = state.fraction
      children.values[index].share = new
    }
    return true
  }

  // MARK: Readers

  /// Adds a reader, and shows it the current state.
  mutating func add(_ watch: ItemProgressWatch) {
    // A new reader does not wait yet.
    _ = watch.show(snapshot)
    if ending == nil { watches.append(watch) }
  }

  mutating func remove(_ watch: ItemProgressWatch) {
    watches.removeAll { $0 === watch }
  }

  /// Stores a cancellation handler, unless the work has ended.
  ///
  /// - Returns: The outcome of the work; `nil` while it continues.
  mutating func addCancellationHandler(_ handler: @escaping CancellationHandler) -> ItemProgress.Ending? {
    if ending == nil { cancellationHandlers.append(handler) }
    return ending
  }
}

/// A number of units that is not whole, as a fixed-point number.
///
/// Sums of such numbers have no rounding errors, so a share can be added and subtracted at any time.
private struct UnitShare {
  private static let partsOfUnit = 4_294_967_296.0

  /// The whole units; the sum of shares can exceed the range of `Int64`.
  private var whole: Int128 = 0
  private var parts: Int64 = 0

  init() {}

  /// - Parameters:
  ///   - units: The units of a complete share.
  ///   - fraction: The completed fraction, from 0 to 1.
  init(units: Int64, fraction: Double) {
    let share = Double(units) * fraction
    let floor = share.rounded(.down)
    whole = Int128(Int64(exactly: floor) ?? .max)
    parts = Int64((share - floor) * Self.partsOfUnit)
  }

  static func += (left: inout UnitShare, right: UnitShare) {
    left.whole += right.whole
    left.parts += right.parts
  }

  static func -= (left: inout UnitShare, right: UnitShare) {
    left.whole -= right.whole
    left.parts -= right.parts
  }

  /// The number of complete units, at most `Int64.max`.
  var units: Int64 { Int64(clamping: whole + Int128(parts >> 32)) }

  var value: Double { Double(Int64(clamping: whole)) + Double(parts) / Self.partsOfUnit }
}
