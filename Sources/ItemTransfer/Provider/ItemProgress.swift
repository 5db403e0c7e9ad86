// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How far a load or a transfer is.
///
/// Counts are in whatever unit the owner chooses, bytes as a rule. A part of the work can be given to somebody else as
/// a child with a share of the total.
///
/// ```swift
/// let progress = ItemProgress(total: 3)
/// Task { for await now in progress.updates { print(now.fraction) } }
/// progress.advance(by: 1)
/// let rest = progress.child(units: 2)     // its own scale, 2 of our 3 units
/// ```
public final class ItemProgress: Sendable {
  /// The state at one moment.
  public struct Snapshot: Sendable, Hashable {
    /// How much is done, children's shares included; never above ``total``.
    public let completed: Int64
    /// How much there is to do; `nil` while nobody knows.
    public let total: Int64?
    /// The part that is done, from 0 to 1; 0 while the total is unknown.
    public let fraction: Double
    /// Whether the work has ended; nothing changes afterwards.
    public let isFinished: Bool
  }

  private let state: Mutex<ItemProgressState>
  /// Held while observers are told, so that none sees an older state after a newer one.
  ///
  /// Telling only fills a buffer: what a stream's end calls takes the other lock.
  private let delivery = Mutex(())
  /// Called, outside the lock, with the fraction done after every change.
  private let report: (@Sendable (_ fraction: Double, _ isFinished: Bool) -> Void)?

  /// Starts at nothing.
  ///
  /// - Parameter total: How much there is to do, where it is known; negative counts as unknown.
  public convenience init(total: Int64? = nil) {
    self.init(total: total, report: nil)
  }

  private init(total: Int64?, report: (@Sendable (Double, Bool) -> Void)?) {
    state = Mutex(ItemProgressState(total: total))
    self.report = report
  }

  deinit {
    finish()
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

  /// Ends the work: what is left counts as done, and all ``updates`` end.
  ///
  /// Called twice, it does nothing more.
  public func finish() {
    change { $0.isFinished = true }
  }

  /// Gives a part of this work to somebody else.
  ///
  /// A child that is let go of before it has finished counts as finished, so that a parent never waits for it.
  ///
  /// - Parameter units: The child's share, in this progress's units.
  /// - Returns: A progress with a scale of its own.
  public func child(units: Int64) -> ItemProgress {
    let id = state.withLock { $0.addChild(units: max(0, units)) }
    return ItemProgress(total: nil) { [self] fraction, isFinished in
      change { $0.updateChild(id, fraction: fraction, isFinished: isFinished) }
    }
  }

  /// The states from now on, ending with the finished one.
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
      if now.isFinished { continuation.finish() }
    }
    return stream
  }

  private func change(_ body: (inout ItemProgressState) -> Void) {
    let hasChanged = state.withLock { state in
      guard !state.isFinished else { return false }
      body(&state)
      return true
    }
    guard hasChanged else { return }
    let now = deliver()
    report?(now.fraction, now.isFinished)
  }

  /// Tells the observers where the work is by now.
  private func deliver() -> Snapshot {
    // The state is looked at inside: of two threads that deliver, the later one has the newer state.
    delivery.withLock { _ in
      let (now, observers) = state.withLock { state in
        (state.snapshot, state.isFinished ? state.takeObservers() : state.observers)
      }
      for observer in observers {
        observer.yield(now)
        if now.isFinished { observer.finish() }
      }
      return now
    }
  }
}
