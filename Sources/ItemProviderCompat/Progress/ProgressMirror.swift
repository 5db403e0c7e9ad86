// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
public import ItemTransfer

extension Progress {
  /// A progress of Foundation's that shows what one of this package does, and cancels it.
  ///
  /// Its total is -1 while nobody knows the whole. When the work is done it is finished, however much was counted.
  ///
  /// - Parameter progress: What is shown; it is not kept alive.
  public convenience init(mirroring progress: ItemProgress) {
    self.init(totalUnitCount: -1)
    cancellationHandler = { [weak progress] in progress?.cancel() }
    let updates = progress.updates
    Task { [weak self] in
      for await now in updates { self?.show(now) }
    }
  }

  /// Shows a state.
  private func show(_ now: ItemProgress.Snapshot) {
    if now.isFinished {
      totalUnitCount = max(1, now.total ?? now.completed)
      completedUnitCount = totalUnitCount
    } else {
      if let total = now.total, total > 0 { totalUnitCount = total }
      if totalUnitCount >= 0 || now.completed > 0 { completedUnitCount = now.completed }
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
    let updates = updates
    let watcher = Task { [weak self] in
      var counted: Int64 = 0
      while !Task.isCancelled, !progress.isFinished {
        if let self, progress.totalUnitCount > 0 {
          setTotal(progress.totalUnitCount)
          advance(by: max(0, progress.completedUnitCount - counted))
          counted = max(counted, progress.completedUnitCount)
        }
        try? await Task.sleep(for: Self.pace)
      }
    }
    Task {
      for await _ in updates {}
      watcher.cancel()
    }
  }
}
