// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import Synchronization

/// A window that is to be shown, and what it is opened for.
struct SceneLaunch: Sendable {
  var session: SceneSession
  var activities: [UserActivity]
  var connection: SceneConnection
}

/// A window's process, from its start to its end.
///
/// Nobody waits for what a window is told: it is said in its order, and a window that does not listen is told the newest.
final class SceneConnection: Sendable {
  private struct State {
    var session: DropSession?
    var ending: (any Error)?
    var hasEnded = false
    /// Whether the session ends with it.
    var isClosing = false
    /// The numbers of the window's last words on its session, and on what it shows.
    var lastNumbers: (state: UInt64, content: UInt64) = (0, 0)
    var waiters: [UInt64: (isForEnd: Bool, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var waiterCount: UInt64 = 0
  }

  private let state = Lock(State())
  let notices: AsyncStream<SceneMessage>
  private let newNotices: AsyncStream<SceneMessage>.Continuation
  /// Says once that the process is to end.
  let endings: AsyncStream<Void>
  private let newEndings: AsyncStream<Void>.Continuation

  init() {
    (notices, newNotices) = AsyncStream.makeStream(of: SceneMessage.self, bufferingPolicy: .bufferingNewest(32))
    (endings, newEndings) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// The session with the process, while there is one.
  var session: DropSession? { state.withLock { $0.hasEnded ? nil : $0.session } }

  var isClosing: Bool { state.withLock { $0.isClosing } }

  /// Says something to the window that nobody waits for.
  func tell(_ message: SceneMessage) {
    newNotices.yield(message)
  }

  /// Asks the process to end, also one that has not said a word yet.
  func disconnect() {
    newNotices.yield(.disconnect)
    newEndings.yield()
  }

  /// The session ends with the process.
  func close() {
    state.withLock { $0.isClosing = true }
  }

  /// Whether what a window says of its session is newer than what it has said before.
  func isNewState(_ number: UInt64) -> Bool {
    state.withLock { Self.isNew(number, after: &$0.lastNumbers.state) }
  }

  /// Whether what a window shows is newer than what it has shown before.
  func isNewContent(_ number: UInt64) -> Bool {
    state.withLock { Self.isNew(number, after: &$0.lastNumbers.content) }
  }

  private static func isNew(_ number: UInt64, after last: inout UInt64) -> Bool {
    guard number > last else { return false }
    last = number
    return true
  }

  func connected(_ session: DropSession) {
    resume { state in
      state.session = session
      return { !$0 }
    }
  }

  /// - Parameter error: What it has ended with; `nil` where it should have.
  func ended(_ error: any Error) {
    resume { state in
      state.hasEnded = true
      state.ending = error
      return { _ in true }
    }
  }

  /// Wakes those whom a change concerns.
  private func resume(_ change: (inout State) -> (_ isForEnd: Bool) -> Bool) {
    let (waiting, hasEnded, error) = state.withLock { state in
      let isMeant = change(&state)
      let waiting = state.waiters.filter { isMeant($0.value.isForEnd) }
      for number in waiting.keys { state.waiters[number] = nil }
      return (waiting.values.map { ($0.isForEnd, $0.continuation) }, state.hasEnded, state.ending)
    }
    for (isForEnd, continuation) in waiting {
      if hasEnded, !isForEnd, let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
  }

  /// Waits until the process has taken what it was opened for.
  ///
  /// - Throws: What the process has ended with before; `CancellationError`.
  func waitForOpening() async throws {
    try await wait(isForEnd: false) { state in
      if state.hasEnded { return .failure(state.ending ?? CancellationError()) }
      return state.session == nil ? nil : .success(())
    }
  }

  /// Waits until the process is gone, however long that takes: it is bounded where the process is run.
  func waitForEnd() async {
    try? await wait(isForEnd: true) { $0.hasEnded ? .success(()) : nil }
  }

  private func wait(isForEnd: Bool, _ isOver: @Sendable (State) -> Result<Void, any Error>?) async throws {
    let number = state.withLock { state in
      state.waiterCount += 1
      return state.waiterCount
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if let result = isOver(state) { return result }
          // The end comes soon, also for who is cancelled.
          if Task.isCancelled, !isForEnd { return .failure(CancellationError()) }
          state.waiters[number] = (isForEnd, continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state in isForEnd ? nil : state.waiters.removeValue(forKey: number) }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }
}
