// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// Hands out a lane's items one by one, taken from it a batch at a time: a change of threads a batch, not an item.
///
/// Shared by all iterators of a sequence, so that none of them takes items away with it when it is let go.
final class LaneItems<Sink: ItemSink>: Sendable {
  let lane: InputLane<Sink>
  /// The last one first: what was handed out is no longer ours to keep alive.
  private let batch = Lock<[Sink.Item]>([])

  init(_ lane: InputLane<Sink>) {
    self.lane = lane
  }

  func next(isolation: isolated (any Actor)?) async throws(DropStreamError) -> Sink.Item? {
    if let item = batch.withLock({ $0.popLast() }) { return item }
    let items = try await lane.interrupt.raisedOnCancellation { [lane] () async throws(DropStreamError) in
      try await lane.nextBatch()
    }
    return batch.withLock { batch in
      // Two iterators at once: what the other has brought meanwhile came later, or earlier, but is not lost.
      batch = items.reversed() + batch
      return batch.popLast()
    }
  }
}

extension Interrupt {
  /// Runs `body`, and interrupts its waiting when the task is cancelled.
  func raisedOnCancellation<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(DropStreamError) -> Value
  ) async throws(DropStreamError) -> Value {
    // The standard function erases the type of the error; a result carries it across.
    let result: Result<Value, DropStreamError> = await withTaskCancellationHandler {
      do throws(DropStreamError) { return .success(try await body()) } catch { return .failure(error) }
    } onCancel: {
      raise()
    }
    return try result.get()
  }
}
