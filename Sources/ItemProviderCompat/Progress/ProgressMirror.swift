// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
public import ItemTransfer
internal import Synchronization

extension Progress {
  /// The lock for changes of mirrors: Foundation's progress is not locked, and a change of a child changes its parents.
  private static let isChanging = Lock(())
  /// The time for a caller that adds the mirror to a parent with `addChild`, which changes both.
  private static let startDelay = Duration.milliseconds(50)

  /// Creates a Foundation progress that mirrors a progress of this package; cancelling the mirror cancels the original.
  ///
  /// The total is -1 while it is unknown, and the mirror stays below its total until the end. At the end it is
  /// finished, even after a failure, so that a parent does not wait for it. A cancelled mirror keeps its state.
  ///
  /// System threads update the mirror, one mirror after the other. To add the mirror to a parent, call
  /// `becomeCurrent(withPendingUnitCount:)` of the parent before this initializer, and `resignCurrent()` after it. The
  /// parent then has the mirror before any update. With `addChild`, a caller has 50 ms without an update, but no
  /// guarantee. Do not change the parent in another way while the mirror is active.
  ///
  /// - Parameter progress: The original, which the mirror does not retain.
  public convenience init(mirroring progress: ItemProgress) {
    self.init(totalUnitCount: -1)
    isCancellable = true
    cancellationHandler = { [weak progress] in progress?.cancel() }
    // The handler of a child is not called if its parent was cancelled before.
    if isCancelled { progress.cancel() }
    let updates = progress.updates
    Task { [weak self] in
      try? await Task.sleep(for: Self.startDelay)
      for await now in updates { self?.show(now) }
    }
  }

  /// Updates the mirror at once.
  func show(_ now: ItemProgress.Snapshot) {
    Self.isChanging.withLock { _ in
      switch now.ending {
      case .finished, .failed:
        totalUnitCount = max(1, now.total ?? now.completed)
        completedUnitCount = totalUnitCount
      case .cancelled: break
      case nil:
        if let total = now.total, total > 0 {
          totalUnitCount = total
          completedUnitCount = min(now.completed, total - 1)
        } else if now.completed > 0 {
          completedUnitCount = now.completed
        }
      }
    }
  }
}

extension ItemProgress {
  private static let pace = Duration.milliseconds(50)

  /// Adopts the total and the completed units of a Foundation progress, until either of the two ends.
  ///
  /// Cancelling this progress cancels the Foundation progress.
  ///
  /// ```swift
  /// provider.register(.zip) { progress in
  ///   let packing = Progress(totalUnitCount: Int64(sagas.count))
  ///   progress.follow(packing)
  ///   return try await pack(sagas, packing)
  /// }
  /// ```
  ///
  /// Foundation's progress sends no notifications on Linux, so it is polled twenty times a second.
  ///
  /// - Parameter progress: The progress of the work that creates the item.
  public func follow(_ progress: Progress) {
    addCancellationHandler { progress.cancel() }
    Task { [weak self] in
      var counted: Int64 = 0
      while let self, snapshot.ending == nil {
        let (total, completed) = (progress.totalUnitCount, progress.completedUnitCount)
        if total > 0 {
          setTotal(total)
          if completed > counted { advance(by: completed - max(0, counted)) }
          counted = max(counted, completed)
        }
        if progress.isFinished { return }
        try? await Task.sleep(for: Self.pace)
      }
    }
  }
}
