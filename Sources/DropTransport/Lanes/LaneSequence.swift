// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Takes items off a lane one by one, a batch at a time: a change of threads a batch, not an item.
struct LaneIterator<Sink: ItemSink> {
  private let lane: InputLane<Sink>
  /// The last one first: what was handed out is no longer ours to keep alive.
  private var batch: [Sink.Item] = []

  init(_ lane: InputLane<Sink>) {
    self.lane = lane
  }

  mutating func next(isolation: isolated (any Actor)?) async throws(DropStreamError) -> Sink.Item? {
    if let item = batch.popLast() { return item }
    let items = try await lane.interrupt.raisedOnCancellation { [lane] () async throws(DropStreamError) in
      try await lane.nextBatch()
    }
    batch = items.reversed()
    return batch.popLast()
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
