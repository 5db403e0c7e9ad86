// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The answer of a loader that does not answer in the task that asks, such as one that is told by a callback.
///
/// The first answer counts, others are ignored. A reply that is let go of without an answer is an answer too:
/// ``ItemResponse/Missing``. When the load is cancelled, nobody waits for the answer any more, and the progress that
/// the loader was given is cancelled.
///
/// ```swift
/// provider.register(.png) { progress, reply in
///   camera.takePicture { data, error in
///     if let data { reply.succeed(data) } else { reply.fail(error ?? CameraError()) }
///   }
/// }
/// ```
public final class ItemResponse<Value: Sendable>: Sendable {
  /// What the destination gets when a loader forgets to answer.
  public struct Missing: Error, CustomStringConvertible {
    /// A sentence.
    public var description: String { "the loader let go of its reply without an answer" }
  }

  fileprivate enum State {
    case open
    case awaited(CheckedContinuation<Value, any Error>)
    case answered(Result<Value, any Error>)
    case taken
  }

  private let box: Box

  /// Outlives the reply, so that letting go of that can be noticed.
  fileprivate final class Box: Sendable {
    fileprivate let state = Lock(State.open)
  }

  fileprivate init(box: Box) {
    self.box = box
  }

  deinit {
    box.answer(.failure(Missing()))
  }

  /// Answers with the value.
  public func succeed(_ value: Value) {
    box.answer(.success(value))
  }

  /// Answers with the reason why there is none.
  public func fail(_ error: any Error) {
    box.answer(.failure(error))
  }

  /// Hands a reply to a loader and waits for its answer, or for the cancellation of the task.
  package static func awaiting(_ ask: (ItemResponse<Value>) -> Void) async throws -> Value {
    let box = Box()
    ask(ItemResponse(box: box))
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { box.await($0) }
    } onCancel: {
      box.answer(.failure(CancellationError()))
    }
  }
}

extension ItemResponse.Box {
  fileprivate func answer(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      switch state {
      case .open:
        state = .answered(result)
        return nil
      case .awaited(let continuation):
        state = .taken
        return continuation
      case .answered, .taken: return nil
      }
    }
    waiting?.resume(with: result)
  }

  fileprivate func await(_ continuation: CheckedContinuation<Value, any Error>) {
    let result = state.withLock { state -> Result<Value, any Error>? in
      if case .answered(let result) = state {
        state = .taken
        return result
      }
      state = .awaited(continuation)
      return nil
    }
    if let result { continuation.resume(with: result) }
  }
}
