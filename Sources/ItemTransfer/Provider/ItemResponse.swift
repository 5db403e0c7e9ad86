// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The response of a loader that responds from a callback.
///
/// Only the first response has an effect. Releasing the object without a response fails the load with
/// ``ItemResponse/Missing``. Cancelling the load ends it at once, and cancels the progress that the loader was given.
///
/// ```swift
/// provider.registerCallback(.png) { progress, response in
///   camera.takePicture { data, error in
///     if let data { response.succeed(data) } else { response.fail(error ?? CameraError()) }
///   }
/// }
/// ```
public final class ItemResponse<Value: Sendable>: Sendable {
  /// The error of a loader that released its response without using it.
  public struct Missing: Error, CustomStringConvertible {
    /// The error in one sentence.
    public var description: String { "the loader released its response without using it" }
  }

  fileprivate enum State {
    case open
    case awaited(CheckedContinuation<Value, any Error>)
    case resumed(Result<Value, any Error>)
    case taken
  }

  private let box: Box

  /// The state, which outlives the response object so that its release can be reported.
  fileprivate final class Box: Sendable {
    fileprivate let state = Lock(State.open)
  }

  fileprivate init(box: Box) {
    self.box = box
  }

  deinit {
    box.resume(.failure(Missing()))
  }

  /// Responds with the value.
  public func succeed(_ value: Value) {
    box.resume(.success(value))
  }

  /// Responds with an error.
  public func fail(_ error: any Error) {
    box.resume(.failure(error))
  }

  /// Passes a response object to a loader, and waits for the response or for the cancellation of the task.
  package static func awaiting(_ start: (ItemResponse<Value>) -> Void) async throws -> Value {
    let box = Box()
    start(ItemResponse(box: box))
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { box.await($0) }
    } onCancel: {
      box.resume(.failure(CancellationError()))
    }
  }
}

extension ItemResponse.Box {
  fileprivate func resume(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      switch state {
      case .open:
        state = .resumed(result)
        return nil
      case .awaited(let continuation):
        state = .taken
        return continuation
      case .resumed, .taken: return nil
      }
    }
    waiting?.resume(with: result)
  }

  fileprivate func await(_ continuation: CheckedContinuation<Value, any Error>) {
    let result = state.withLock { state -> Result<Value, any Error>? in
      if case .resumed(let result) = state {
        state = .taken
        return result
      }
      state = .awaited(continuation)
      return nil
    }
    if let result { continuation.resume(with: result) }
  }
}
