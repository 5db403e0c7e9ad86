// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import Synchronization

/// A window to open, with the activities for it.
struct SceneLaunch: Sendable {
  var session: SceneSession
  var activities: [UserActivity]
  var style: ScenePresentationStyle
  var connection: SceneConnection
}

/// The connection to a window's process, from its start to its end.
///
/// A notice is a message for whose response the app does not wait. Notices are sent in order. If a window does not read
/// its messages, only the newest 32 notices are kept.
final class SceneConnection: Sendable {
  private struct State {
    var session: DropSession?
    var ending: (any Error)?
    var hasEnded = false
    /// Whether the scene session ends with the process.
    var isClosing = false
    /// The numbers of the window's latest messages about its scene session and its content.
    var lastNumbers: (state: UInt64, content: UInt64) = (0, 0)
    var waiters: [UInt64: (isForEnd: Bool, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var waiterCount: UInt64 = 0
  }

  private let state = Lock(State())
  let notices: AsyncStream<SceneMessage>
  private let newNotices: AsyncStream<SceneMessage>.Continuation
  /// Yields when the process should end.
  let endings: AsyncStream<Void>
  private let newEndings: AsyncStream<Void>.Continuation

  init() {
    (notices, newNotices) = AsyncStream.makeStream(of: SceneMessage.self, bufferingPolicy: .bufferingNewest(32))
    (endings, newEndings) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// The transport session with the process; `nil` until the process has received its activities, and after its end.
  var session: DropSession? { state.withLock { $0.hasEnded ? nil : $0.session } }

  var isClosing: Bool { state.withLock { $0.isClosing } }

  /// Enqueues a notice to the window without waiting.
  func post(_ message: SceneMessage) {
    newNotices.yield(message)
  }

  /// Requests that the process ends, even if it has not connected yet.
  func disconnect() {
    newNotices.yield(.disconnect)
    newEndings.yield()
  }

  /// Records that the scene session ends with the process.
  func close() {
    state.withLock { $0.isClosing = true }
  }

  /// Returns whether a message about the scene session is newer than all previous messages, and records its number if
  /// so.
  func isNewState(_ number: UInt64) -> Bool {
    state.withLock { Self.isNew(number, after: &$0.lastNumbers.state) }
  }

  /// Returns whether a message about the content is newer than all previous messages, and records its number if so.
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

  /// Marks the connection as ended.
  ///
  /// - Parameter error: The reason for the end.
  func ended(_ error: any Error) {
    resume { state in
      state.hasEnded = true
      state.ending = error
      return { _ in true }
    }
  }

  /// Resumes the waiters that a change affects.
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

  /// Waits until the process has received its activities.
  ///
  /// - Throws: The error that the process ended with; `CancellationError`.
  func waitForOpening() async throws {
    try await wait(isForEnd: false) { state in
      if state.hasEnded { return .failure(state.ending ?? CancellationError()) }
      return state.session == nil ? nil : .success(())
    }
  }

  /// Waits until the process has ended.
  ///
  /// The timeouts of the task that runs the process limit the duration.
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
          // The end follows soon, so waiting for it cannot be cancelled.
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
