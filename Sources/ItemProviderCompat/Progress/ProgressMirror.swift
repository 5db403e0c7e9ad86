// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
public import ItemTransfer
internal import Synchronization

extension Progress {
  /// Foundation's progress has no lock, and a change of a child is one of its parents.
  private static let isChanging = Lock(())
  /// Time for whoever has started something to add its progress to others: that, too, changes them.
  private static let patience = Duration.milliseconds(50)

  /// A progress of Foundation's that shows what one of this package does, and cancels it.
  ///
  /// Its total is -1 while nobody knows the whole, and it is short of the whole until the end. With the end it is
  /// finished, also after a failure: a parent does not wait for it. One that was cancelled stays where it is.
  ///
  /// It changes on threads of the system, all mirrors one after the other and none in the first 50 ms: add it to a
  /// parent at once, and do not change that parent otherwise while it is shown.
  ///
  /// - Parameter progress: What is shown; it is not kept alive.
  public convenience init(mirroring progress: ItemProgress) {
    self.init(totalUnitCount: -1)
    cancellationHandler = { [weak progress] in progress?.cancel() }
    // Of a parent that was cancelled before, the handler is not told.
    if isCancelled { progress.cancel() }
    let updates = progress.updates
    Task { [weak self] in
      try? await Task.sleep(for: Self.patience)
      for await now in updates { self?.show(now) }
    }
  }

  /// Shows a state.
  private func show(_ now: ItemProgress.Snapshot) {
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

  /// Counts here what a progress of Foundation's counts, in its units, until this one ends; cancelled, it cancels that.
  ///
  /// ```swift
  /// provider.register(.zip) { progress in
  ///   let packing = Progress(totalUnitCount: Int64(sagas.count))
  ///   progress.follow(packing)
  ///   return try await pack(sagas, packing)
  /// }
  /// ```
  ///
  /// Foundation's progress tells nobody on Linux that it has changed, so it is looked at twenty times a second.
  ///
  /// - Parameter progress: What a source gives to say how far it is.
  public func follow(_ progress: Progress) {
    _ = addCancellationHandler { progress.cancel() }
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
