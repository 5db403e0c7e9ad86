// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A listener at a socket for sessions with processes of the same user.
///
/// ```swift
/// try await DropStream.withListener(at: .unixSocket(named: "favourites")) { listener in
///   try await listener.serve { session in
///     for try await drop in session.drops { … }
///   } onFailure: { error in print(error) }
/// }
/// ```
///
/// ``DropStream/withListener(at:options:isolation:_:)`` creates a listener.
public final class DropListener: Sendable {
  /// The default maximum number of concurrent sessions.
  public static let defaultSessionCount = 64

  /// The longest silence of a peer for which this side waits, unless ``DropStreamOptions/idleTimeout`` is set.
  public static let defaultSilenceTimeout = Duration.seconds(300)

  /// The longest wait for the handshake of a process that has connected, unless ``DropStreamOptions/idleTimeout`` is
  /// set.
  public static let defaultHandshakeTimeout = Duration.seconds(10)

  private let socket: ListeningSocket
  private let options: DropStreamOptions

  init(_ socket: ListeningSocket, options: DropStreamOptions) {
    self.socket = socket
    self.options = options
  }

  /// Runs a session with each process that connects, several at once, until the task is cancelled.
  ///
  /// A session that fails does not end other sessions. The listener disconnects a peer in these cases:
  ///
  /// - Its handshake is later than ``defaultHandshakeTimeout``, or the idle timeout.
  /// - Its process already has three quarters of the connections. The listener accepts 64 connections more than
  ///   `count`, which wait until other sessions end. A process also gets at most three quarters of the sessions. Both
  ///   numbers are rounded up.
  /// - This side waits for it without an idle timeout, and no byte arrives for ``defaultSilenceTimeout``.
  /// - This side waits for it, and no frame except idle keep-alive frames arrives for
  ///   ``DropStreamOptions/idleTimeout``.
  ///
  /// Sessions of this package send keep-alive frames automatically.
  ///
  /// - Parameters:
  ///   - count: The maximum number of concurrent sessions. Further processes wait until a session ends.
  ///   - body: Runs a session. An error that it throws ends that session.
  ///   - onFailure: Called with the error of each failed session, in no particular order.
  /// - Throws: `cancelled` if the task is cancelled, after all sessions have ended; `systemCall` if no process can
  ///   connect any more.
  public func serve(
    maximumSessionCount count: Int = DropListener.defaultSessionCount,
    _ body: @escaping @Sendable (DropSession) async throws -> Void,
    onFailure: @escaping @Sendable (any Error) async -> Void = { _ in }
  ) async throws(DropStreamError) {
    try await serve(maximumSessionCount: count, body) { result in
      if case .failure(let error) = result { await onFailure(error) }
    }
  }

  /// Runs a session with each process that connects, and reports the result of each session.
  ///
  /// - Parameters:
  ///   - count: The maximum number of concurrent sessions. Further processes wait until a session ends.
  ///   - body: Runs a session.
  ///   - onEnd: Called with the result of `body` after the session has closed, or with the error of the session.
  /// - Throws: The errors of ``serve(maximumSessionCount:_:onFailure:)``.
  package func serve<Value: Sendable>(
    maximumSessionCount count: Int = DropListener.defaultSessionCount,
    _ body: @escaping @Sendable (DropSession) async throws -> Value,
    onEnd: @escaping @Sendable (Result<Value, any Error>) async -> Void
  ) async throws(DropStreamError) {
    let quota = ConnectionQuota(sessionCount: count)
    let result: Result<Void, DropStreamError> = await withDiscardingTaskGroup { group in
      do throws(DropStreamError) {
        while true {
          guard await quota.waitForConnection() else { throw DropStreamError.cancelled }
          let (opened, peer) = try await accept { quota.admit($0) }
          group.addTask {
            do {
              let value = try await opened.run(endpoint: nil) { session in
                try await quota.withSession(of: peer) { try await body(session) }
              }
              await onEnd(.success(value))
            } catch {
              await onEnd(.failure(error))
            }
            quota.release(peer)
          }
        }
      } catch {
        group.cancelAll()
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Runs a session with the next process that connects.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the caller. Omit this argument.
  ///   - body: Runs the session.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of ``DropStream/withSession(over:options:isolation:_:)``.
  public func withNextSession<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (DropSession) async throws -> Result
  ) async throws -> Result {
    try await accept { _ in true }.session.run(endpoint: nil, body)
  }

  /// Accepts the next connection whose process is admitted, and closes the connections before it.
  private func accept(
    _ admits: @escaping @Sendable (Int32) -> Bool
  ) async throws(DropStreamError) -> (session: OpenSession, peer: Int32) {
    let interrupt = try Interrupt.ofListener()
    return try await interrupt.raisedOnCancellation { [socket, options] () async throws(DropStreamError) in
      while true {
        do throws(DropStreamError) {
          return try await runBlocking { () throws(DropStreamError) in
            let (connection, peer) = try socket.accept(interrupt)
            let carrier = try mapError(SessionCarrier(socket: OwnedDescriptor(connection), peer: peer)) {
              DropStreamError(.peerGone, "cannot accept a connection", $0)
            }
            guard admits(peer.processIdentifier) else {
              throw DropStreamError(.peerGone, "process \(peer.processIdentifier) has too many connections")
            }
            let session = OpenSession(
              carrier, options, handshakeTimeout: Self.defaultHandshakeTimeout,
              silenceTimeout: Self.defaultSilenceTimeout)
            return (session, peer.processIdentifier)
          }
        } catch {
          // This process may be out of descriptors, for example. This connection is lost, but the next may succeed.
          if error.code != .peerGone { throw error }
        }
      }
    }
  }
}

extension Interrupt {
  fileprivate static func ofListener() throws(DropStreamError) -> Interrupt {
    try mapError(Interrupt()) { DropStreamError(.systemCall, "cannot listen", $0) }
  }
}

extension DropStream {
  /// Listens at a socket, or at a listening socket that this process has inherited, for example from systemd.
  ///
  /// Only processes of this user can connect. A stale socket at the path is replaced. A socket at which a process
  /// listens, and any other file, is not changed. The path is removed when `body` has ended or the task is cancelled.
  ///
  /// - Parameters:
  ///   - endpoint: A Unix socket, or the descriptor of a Unix socket that listens.
  ///   - options: The options of all sessions.
  ///   - isolation: The isolation of the caller. Omit this argument.
  ///   - body: Accepts connections.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`. `alreadyExists` if the path is in use; `limitExceeded` if the path is too long;
  ///   `unsupported` for another descriptor; `destinationUnavailable`; `cancelled`.
  /// - Precondition: The endpoint is a Unix socket or a descriptor.
  public static func withListener<Result>(
    at endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(),
    isolation: isolated (any Actor)? = #isolation, _ body: (DropListener) async throws -> Result
  ) async throws -> Result {
    let socket: ListeningSocket
    switch endpoint.kind {
    case .descriptor(let descriptor): socket = try ListeningSocket(inherited: descriptor)
    case .unixSocket(let path):
      let interrupt = try Interrupt.ofListener()
      socket = try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in
        try await runBlocking { () throws(DropStreamError) in try ListeningSocket(path, interrupt) }
      }
    default: preconditionFailure("\(endpoint) is not a Unix socket")
    }
    // Other references may retain the socket for longer.
    defer { socket.removePath() }
    // Cancellation removes the path at once: sessions may end late, and the process may be killed before they end.
    return try await withTaskCancellationHandler {
      try await body(DropListener(socket, options: options))
    } onCancel: {
      socket.removePath()
    }
  }
}
