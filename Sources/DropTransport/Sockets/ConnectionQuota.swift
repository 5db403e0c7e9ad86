// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A quota of connections and sessions for each peer of a listener.
///
/// A peer is a process. It gets at most three quarters, rounded up, of the connections and of the sessions. A process
/// that connects again and again therefore leaves connections to other processes.
final class ConnectionQuota: Sendable {
  /// The number of connections without a session, which may wait for their handshake or for a session to end.
  static let waitingCount = 64

  private struct Peer {
    var connectionCount = 0
    let sessions: AsyncSemaphore
  }

  private let sessionLimit: Int
  private let connectionLimit: Int
  private let sessions: AsyncSemaphore
  private let connections: AsyncSemaphore
  private let peers = Lock<[Int32: Peer]>([:])

  /// Creates a quota.
  ///
  /// - Parameter sessionCount: The maximum number of concurrent sessions.
  init(sessionCount: Int) {
    let connectionCount = sessionCount + Self.waitingCount
    sessionLimit = Self.limit(ofPeer: sessionCount)
    connectionLimit = Self.limit(ofPeer: connectionCount)
    sessions = AsyncSemaphore(permits: sessionCount)
    connections = AsyncSemaphore(permits: connectionCount)
  }

  /// Returns how many of `count` connections or sessions one peer may have.
  static func limit(ofPeer count: Int) -> Int { count - count / 4 }

  /// Waits until there is room for a further connection.
  ///
  /// - Returns: `false` if the task was cancelled.
  func waitForConnection() async -> Bool { await connections.wait() }

  /// Admits a connection, unless its peer has exhausted its quota.
  ///
  /// - Returns: Whether the connection is admitted. The caller calls ``release(_:)`` when it ends.
  func admit(_ peer: Int32) -> Bool {
    peers.withLock { peers in
      var known = peers[peer] ?? Peer(sessions: AsyncSemaphore(permits: sessionLimit))
      guard known.connectionCount < connectionLimit else { return false }
      known.connectionCount += 1
      peers[peer] = known
      return true
    }
  }

  /// Releases a connection that was admitted.
  func release(_ peer: Int32) {
    peers.withLock { peers in
      guard var known = peers.removeValue(forKey: peer) else { return }
      known.connectionCount -= 1
      if known.connectionCount > 0 { peers[peer] = known }
    }
    connections.signal()
  }

  /// Runs a session of an admitted connection.
  ///
  /// It waits while the listener, or this peer, has as many sessions as allowed.
  ///
  /// - Throws: `cancelled` if the task is cancelled before that; the errors of `body`.
  func withSession<Result>(
    of peer: Int32, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    guard let own = peers.withLock({ $0[peer]?.sessions }) else { preconditionFailure("the peer is not admitted") }
    guard await own.wait() else { throw DropStreamError.cancelled }
    defer { own.signal() }
    guard await sessions.wait() else { throw DropStreamError.cancelled }
    defer { sessions.signal() }
    return try await body()
  }
}
