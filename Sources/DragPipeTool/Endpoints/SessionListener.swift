// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport

/// A listener that serves processes concurrently, until it is interrupted or enough sessions have succeeded.
struct SessionListener: Sendable {
  /// A Unix socket, or a descriptor that listens.
  let endpoint: DropEndpoint
  let options: DropStreamOptions
  /// The number of successful sessions after which the listener ends; `nil` for no limit.
  let endCount: Int?

  /// Runs a session with each process that connects.
  ///
  /// A session that fails does not affect other sessions.
  ///
  /// - Parameters:
  ///   - onListen: Called once when processes can connect.
  ///   - body: Runs a session.
  ///   - onEnd: Called with the result of each session. Returns whether it succeeded.
  /// - Returns: The number of successful sessions.
  /// - Throws: Errors of the listener; `CancellationError`.
  func run<Value: Sendable>(
    onListen: () -> Void, _ body: @escaping @Sendable (DropSession) async throws -> Value,
    onEnd: @escaping @Sendable (Result<Value, any Error>) -> Bool
  ) async throws -> Int {
    let count = try await DropStream.withListener(at: endpoint, options: options) { listener in
      onListen()
      let (endings, newEndings) = AsyncStream.makeStream(of: Bool.self)
      return try await withThrowingTaskGroup(of: Void.self, returning: Int.self) { group in
        group.addTask {
          defer { newEndings.finish() }
          // Sessions are concurrent, so that an idle peer delays no other.
          try await listener.serve(body) { result in
            // Another listener looks in this way whether a process listens.
            if case .failure(let error as DropStreamError) = result, error.code == .peerGone, error.byteOffset == 0 {
              return
            }
            newEndings.yield(onEnd(result))
          }
        }
        var count = 0
        for await hasSucceeded in endings {
          if hasSucceeded { count += 1 }
          guard let endCount, count >= endCount else { continue }
          group.cancelAll()
          // The cancellation is the regular end, so errors of the cancelled tasks are ignored.
          while await group.nextResult() != nil {}
          return count
        }
        try await group.waitForAll()
        return count
      }
    }
    try Task.checkCancellation()
    return count
  }
}
