// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// How far a load or a transfer is.
///
/// Counts are in whatever unit the owner chooses, bytes as a rule. A part of the work can be given to somebody else as
/// a child with a share of the total. Whoever watches may also stop the work: ``cancel()`` cancels the tasks of the
/// loads that count here.
///
/// ```swift
/// let progress = ItemProgress(total: 3)
/// Task { for await now in progress.updates { print(now.phase, now.fraction) } }
/// progress.advance(by: 1)
/// let rest = progress.child(units: 2)     // its own scale, 2 of our 3 units
/// ```
public final class ItemProgress: Sendable {
  /// What is being done.
  public enum Phase: Sendable, Hashable, CaseIterable {
    /// The source makes the representation.
    case preparing
    /// Bytes are on their way.
    case transferring
    /// What has arrived is checked.
    case verifying
  }

  /// How the work has ended.
  public enum Ending: Sendable, Hashable {
    /// All of it is done.
    case finished
    /// Somebody has stopped it.
    case cancelled
    /// It could not be done.
    case failed
  }

  /// The state at one moment.
  public struct Snapshot: Sendable, Hashable {
    /// How much is done, children's shares included; never above ``total``.
    public let completed: Int64
    /// How much there is to do; `nil` while nobody knows.
    public let total: Int64?
    /// The part that is done, from 0 to 1; 0 while the total is unknown.
    public let fraction: Double
    /// What is being done.
    public let phase: Phase
    /// How the work has ended; `nil` while it goes on.
    ///
    /// Nothing changes afterwards.
    public let ending: Ending?

    /// Whether all of the work is done.
    public var isFinished: Bool { ending == .finished }
    /// Whether the work was stopped.
    public var isCancelled: Bool { ending == .cancelled }
  }

  private let state: Lock<ItemProgressState>
  /// Held while observers are told, so that none sees an older state after a newer one.
  ///
  /// Telling only fills a buffer: what a stream's end calls takes the other lock.
  private let delivery = Lock(())
  /// Called, outside the lock, with the fraction done after every change.
  private let report: (@Sendable (_ fraction: Double, _ hasEnded: Bool) -> Void)?

  /// Starts at nothing.
  ///
  /// - Parameter total: How much there is to do, where it is known; negative counts as unknown.
  public convenience init(total: Int64? = nil) {
    self.init(total: total, report: nil)
  }

  private init(total: Int64?, report: (@Sendable (Double, Bool) -> Void)?) {
    state = Lock(ItemProgressState(total: total))
    self.report = report
  }

  deinit {
    // Nobody is told of the end of most: each load has a progress, whether or not anybody watches it.
    if report != nil || state.withLock({ $0.isWatched }) { finish() }
  }

  /// The state now.
  public var snapshot: Snapshot {
    state.withLock { $0.snapshot }
  }

  /// Says how much there is to do, once that is known.
  public func setTotal(_ total: Int64?) {
    change { $0.total = total.flatMap { $0 < 0 ? nil : $0 } }
  }

  /// Adds work that has been done; a negative count takes nothing back.
  public func advance(by count: Int64) {
    change { $0.advance(by: count) }
  }

  /// Says what is being done now.
  public func enter(_ phase: Phase) {
    change { $0.phase = phase }
  }

  // MARK: Ending

  /// Ends the work: what is left counts as done, and all ``updates`` end.
  ///
  /// The first ending counts; another one does nothing more. A load ends its own progress: a loader that ends the one
  /// it was given, or hands it to another load in place of a child, takes from its destination what was left to see.
  public func finish() {
    end(.finished)
  }

  /// Stops the work: cancels the tasks of the loads that count here, and those of its children.
  ///
  /// The loads end with the error `cancelled`, as soon as their loaders heed it. What has ended stays as it is.
  public func cancel() {
    end(.cancelled)
  }

  /// Ends the work as far as it got.
  package func fail() {
    end(.failed)
  }

  /// Ends the work as something has that went wrong.
  func end(with error: ItemProviderError) {
    end(error.code == .cancelled ? .cancelled : .failed)
  }

  private func end(_ ending: Ending) {
    var handlers: [ItemProgressState.CancellationHandler] = []
    change { handlers = $0.end(ending) }
    if ending == .cancelled { for handler in handlers { handler() } }
  }

  /// Whether somebody has stopped the work.
  public var isCancelled: Bool {
    state.withLock { $0.ending == .cancelled }
  }

  /// Calls `handler` once when the work is stopped, at once where it has been; never after any other ending.
  ///
  /// - Returns: What to give to ``removeCancellationHandler(_:)``; `nil` where nothing is kept.
  package func addCancellationHandler(_ handler: @escaping @Sendable () -> Void) -> Int? {
    let (id, isCancelled) = state.withLock { ($0.addCancellationHandler(handler), $0.ending == .cancelled) }
    if isCancelled { handler() }
    return id
  }

  package func removeCancellationHandler(_ id: Int?) {
    if let id { _ = state.withLock { $0.removeCancellationHandler(id) } }
  }

  // MARK: Children

  /// Gives a part of this work to somebody else.
  ///
  /// A child that is let go of before it has ended counts as finished, so that a parent never waits for it. One that is
  /// cancelled or fails gives up its share in the same way. Cancelling this progress cancels the child.
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

  /// The states from now on, ending with the one in which the work has ended.
  ///
  /// Only the newest state is kept for a reader that is slow, so that memory does not grow.
  public var updates: AsyncStream<Snapshot> {
    let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { $0.addObserver(continuation) }
    // Weak: a stream that somebody keeps must not keep the work alive.
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.removeObserver(id) } }
    delivery.withLock { _ in
      let now = snapshot
      continuation.yield(now)
      if now.ending != nil { continuation.finish() }
    }
    return stream
  }

  private func change(_ body: (inout ItemProgressState) -> Void) {
    let hasChanged = state.withLock { state in
      guard state.ending == nil else { return false }
      body(&state)
      return true
    }
    guard hasChanged else { return }
    let now = deliver()
    report?(now.fraction, now.ending != nil)
  }

  /// Tells the observers where the work is by now.
  private func deliver() -> Snapshot {
    // The state is looked at inside: of two threads that deliver, the later one has the newer state.
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
