// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

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
  /// Held while observers are notified, so that each observer receives the states in order.
  ///
  /// This cannot deadlock: a notification only fills a buffer, and the termination handler of a stream takes ``state``.
  private let delivery = Lock(())
  /// Called outside the lock, after every change.
  private let report: (@Sendable (_ fraction: Double, _ hasEnded: Bool) -> Void)?

  /// Creates a progress without completed units.
  ///
  /// - Parameter total: The total number of units, if known; a negative number means an unknown total.
  public convenience init(total: Int64? = nil) {
    self.init(total: total, report: nil)
  }

  private init(total: Int64?, report: (@Sendable (Double, Bool) -> Void)?) {
    state = Lock(ItemProgressState(total: total))
    self.report = report
  }

  deinit {
    // Most progresses end without an observer, and need no notification.
    if report != nil || state.withLock({ $0.isWatched }) { finish() }
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
  /// Only the first ending has an effect. A load ends its own progress. A loader should not end the progress it was
  /// given, nor pass it to another load: use a child.
  public func finish() {
    end(.finished)
  }

  /// Cancels the work: the tasks of its loads, and its children.
  ///
  /// The loads end with the error `cancelled` as soon as their loaders respond to the cancellation. Work that has ended
  /// keeps its outcome.
  public func cancel() {
    end(.cancelled)
  }

  /// Ends the work unsuccessfully.
  package func fail() {
    end(.failed)
  }

  /// Ends the work with the outcome that an error implies.
  func end(with error: ItemProviderError) {
    end(error.code == .cancelled ? .cancelled : .failed)
  }

  private func end(_ ending: Ending) {
    var handlers: [ItemProgressState.CancellationHandler] = []
    change { handlers = $0.end(ending) }
    if ending == .cancelled { for handler in handlers { handler() } }
  }

  /// Whether the work was cancelled.
  public var isCancelled: Bool {
    state.withLock { $0.ending == .cancelled }
  }

  /// Adds a handler that is called once if the work is cancelled.
  ///
  /// If the work is cancelled already, the handler is called at once. After another ending, it is never called.
  ///
  /// - Returns: An identifier for ``removeCancellationHandler(_:)``; `nil` if the handler was not stored.
  package func addCancellationHandler(_ handler: @escaping @Sendable () -> Void) -> Int? {
    let (id, isCancelled) = state.withLock { ($0.addCancellationHandler(handler), $0.ending == .cancelled) }
    if isCancelled { handler() }
    return id
  }

  /// Removes a handler; `nil` and unknown identifiers are ignored.
  func removeCancellationHandler(_ id: Int?) {
    if let id { _ = state.withLock { $0.removeCancellationHandler(id) } }
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
    let id = state.withLock { $0.addChild(units: max(0, units)) }
    let child = ItemProgress(total: nil) { [self] fraction, hasEnded in
      change { $0.updateChild(id, fraction: fraction, hasEnded: hasEnded) }
    }
    let cancel: @Sendable () -> Void = { [weak child] in child?.cancel() }
    let isCancelled = state.withLock { state in
      _ = state.addCancellationHandler(cancel, id: id)
      return state.ending == .cancelled
    }
    if isCancelled { child.cancel() }
    return child
  }

  // MARK: Watching

  /// A sequence of the states from now on.
  ///
  /// The last state has an ``Snapshot/ending``.
  ///
  /// The stream buffers only the newest state for a slow reader, so memory does not grow.
  public var updates: AsyncStream<Snapshot> {
    let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { $0.addObserver(continuation) }
    // The reference is weak, so that a stream does not keep the work alive.
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.removeObserver(id) } }
    delivery.withLock { _ in
      let now = snapshot
      continuation.yield(now)
      if now.ending != nil { continuation.finish() }
    }
    return stream
  }

  private func change(_ body: (inout ItemProgressState) -> Void) {
    let (hasChanged, isWatched) = state.withLock { state in
      guard state.ending == nil else { return (false, false) }
      body(&state)
      return (true, state.isWatched)
    }
    // An observer that is added later starts with the new state.
    guard hasChanged, isWatched || report != nil else { return }
    let now = deliver()
    report?(now.fraction, now.ending != nil)
  }

  /// Notifies the observers of the current state.
  private func deliver() -> Snapshot {
    // The state is read inside the lock, so that observers never receive an older state after a newer state.
    delivery.withLock { _ in
      let (now, observers) = state.withLock { state in
        (state.snapshot, state.ending == nil ? state.observers : state.takeObservers())
      }
      for observer in observers {
        observer.yield(now)
        if now.ending != nil { observer.finish() }
      }
      return now
    }
  }
}
