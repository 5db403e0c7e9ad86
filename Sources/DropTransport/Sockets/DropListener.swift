// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Waits at a socket for processes of the same user that want to hold a session.
///
/// ```swift
/// try await DropStream.withListener(at: .unixSocket(named: "favourites")) { listener in
///   try await listener.serve { session in
///     for try await drop in session.drops { … }
///   } failed: { error in print(error) }
/// }
/// ```
///
/// ``DropStream/withListener(at:options:isolation:_:)`` makes one.
public final class DropListener: Sendable {
  /// How many sessions are held at once, by default.
  public static let defaultSessionCount = 64

  /// How long a peer that this side waits for may show no sign of life, unless ``DropStreamOptions/idleTimeout`` is set.
  public static let defaultSilenceTimeout = Duration.seconds(300)

  private let socket: ListeningSocket
  private let options: DropStreamOptions

  init(_ socket: ListeningSocket, options: DropStreamOptions) {
    self.socket = socket
    self.options = options
  }

  /// Holds a session with each process that connects, several at once, until the task is cancelled.
  ///
  /// A session that fails does not end the others. The listener disconnects a peer whose handshake is late. It also
  /// disconnects a peer that this side waits for and that shows no sign of life for ``defaultSilenceTimeout``, or sends nothing for as long
  /// as ``DropStreamOptions/idleTimeout`` allows. Sessions of this package show signs of life by themselves.
  ///
  /// - Parameters:
  ///   - count: How many sessions at once; more processes wait until one ends.
  ///   - body: Holds a session. What it throws ends that session.
  ///   - failed: Told what a session has failed with, in no order.
  /// - Throws: `cancelled` when the task is, after all sessions have ended; `systemCall` when nobody can connect any more.
  public func serve(
    atOnce count: Int = DropListener.defaultSessionCount,
    _ body: @escaping @Sendable (DropSession) async throws -> Void,
    failed: @escaping @Sendable (any Error) async -> Void = { _ in }
  ) async throws(DropStreamError) {
    try await serve(atOnce: count, body) { result in
      if case .failure(let error) = result { await failed(error) }
    }
  }

  /// Holds a session with each process that connects, and tells what has come of each.
  ///
  /// - Parameters:
  ///   - count: How many sessions at once; more processes wait until one ends.
  ///   - body: Holds a session.
  ///   - ended: Told what `body` has returned once the other side has heard the last word, or why the session has failed.
  /// - Throws: As ``serve(atOnce:_:failed:)``.
  package func serve<Value: Sendable>(
    atOnce count: Int = DropListener.defaultSessionCount,
    _ body: @escaping @Sendable (DropSession) async throws -> Value,
    ended: @escaping @Sendable (Result<Value, any Error>) async -> Void
  ) async throws(DropStreamError) {
    let free = AsyncSemaphore(permits: count)
    let result: Result<Void, DropStreamError> = await withDiscardingTaskGroup { group in
      do throws(DropStreamError) {
        while true {
          guard await free.wait() else { throw DropStreamError.cancelled }
          let opened = try await accept()
          group.addTask {
            do {
              let value = try await opened.run(endpoint: nil, body)
              await ended(.success(value))
            } catch {
              await ended(.failure(error))
            }
            free.signal()
          }
        }
      } catch {
        group.cancelAll()
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Holds a session with the next process that connects.
  ///
  /// - Parameters:
  ///   - isolation: The caller's; leave it out.
  ///   - body: Holds the session.
  /// - Returns: What `body` returns.
  /// - Throws: As ``DropStream/withSession(over:options:isolation:_:)``.
  public func withNextSession<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (DropSession) async throws -> Result
  ) async throws -> Result {
    try await accept().run(endpoint: nil, body)
  }

  private func accept() async throws(DropStreamError) -> OpenSession {
    let interrupt = try Interrupt.ofListener()
    return try await interrupt.raisedOnCancellation { [socket, options] () async throws(DropStreamError) in
      while true {
        do throws(DropStreamError) {
          return try await runBlockingWork { () throws(DropStreamError) in
            let (connection, peer) = try socket.accept(interrupt)
            do throws(SystemError) {
              return OpenSession(
                try SessionCarrier(socket: OwnedDescriptor(connection), peer: peer), options,
                silenceTimeout: Self.defaultSilenceTimeout)
            } catch {
              throw DropStreamError(.peerGone, "a connection could not be taken", error)
            }
          }
        } catch {
          // Out of descriptors, for one: that connection is lost, and the next may find some.
          if error.code != .peerGone { throw error }
        }
      }
    }
  }
}

extension Interrupt {
  fileprivate static func ofListener() throws(DropStreamError) -> Interrupt {
    do throws(SystemError) { return try Interrupt() } catch {
      throw DropStreamError(.systemCall, "cannot listen", error)
    }
  }
}

extension DropStream {
  /// Listens at a socket.
  ///
  /// The socket is this user's alone. One that was left behind is replaced; where somebody listens, or something else is,
  /// nothing is touched. The path is free again when `body` has ended or the task is cancelled.
  ///
  /// - Parameters:
  ///   - endpoint: A Unix socket.
  ///   - options: For all sessions.
  ///   - isolation: The caller's; leave it out.
  ///   - body: Takes who connects.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; `alreadyExists`, `limitExceeded` for a path that is too long, `destinationUnavailable`;
  ///   `cancelled`.
  /// - Precondition: The endpoint is a Unix socket.
  public static func withListener<Result>(
    at endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(),
    isolation: isolated (any Actor)? = #isolation, _ body: (DropListener) async throws -> Result
  ) async throws -> Result {
    guard case .unixSocket(let path) = endpoint.kind else { preconditionFailure("\(endpoint) is no Unix socket") }
    let interrupt = try Interrupt.ofListener()
    let socket = try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in
      try await runBlockingWork { () throws(DropStreamError) in try ListeningSocket(path, interrupt) }
    }
    // Others may hold on to it for a moment longer.
    defer { socket.removePath() }
    // At once: sessions may take their time to end, and a process may be killed before they have.
    return try await withTaskCancellationHandler {
      try await body(DropListener(socket, options: options))
    } onCancel: {
      socket.removePath()
    }
  }
}
