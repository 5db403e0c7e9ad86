// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer
internal import Synchronization

extension DropStream {
  /// Runs a session with another process.
  ///
  /// When `body` returns, the session notifies the peer and closes. When `body` throws, as after a cancellation, the
  /// session reports the failure to the peer instead. In both cases, offers and loads in progress end, so `body` must
  /// wait for all work that has to be completed. The session returns when all loaders of its offers have returned: a
  /// loader that ignores its cancellation delays that.
  ///
  /// - Parameters:
  ///   - endpoint: The location of the peer, such as a socket, a process, or a pair of pipes. Not a file.
  ///   - options: Limits, chunk length and idle timeout; the audience, if the carrier does not determine it.
  ///   - isolation: The isolation of the caller. Omit this argument.
  ///   - body: Makes and takes offers. Loaders of the offers run on threads of their own, which they may block.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`. `DropStreamError` if the endpoint cannot be opened; `wrongUser` if the peer runs as
  ///   another user. `unsupported`, `peerGone` or `timedOut` if the handshake fails; `timedOut` if the listener's queue
  ///   stays full. `cancelled`. The wait for the queue and the handshake are limited to 30 seconds each, or to the idle
  ///   timeout.
  public static func withSession<Result>(
    over endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(),
    isolation: isolated (any Actor)? = #isolation, _ body: (DropSession) async throws -> Result
  ) async throws -> Result {
    try await OpenSession.open(endpoint, options).run(endpoint: endpoint, body)
  }
}

/// A session with an open carrier.
///
/// It runs once.
final class OpenSession: Sendable {
  /// The longest time for writing the final frames.
  private static let grace = Duration.seconds(2)
  /// The longest wait for the peer's handshake, unless ``DropStreamOptions/idleTimeout`` is set.
  static let handshakeTimeout = Duration.seconds(30)

  let session: DropSession
  /// The input, which only the reading thread uses; `nil` after the end.
  private let input: Lock<SessionInput?>
  /// Opens when the reading thread has ended and the descriptor is closed.
  private let readerEnd = Latch()
  private let child: ChildProcess?

  /// Opens an endpoint.
  ///
  /// Waits while the listener's queue is full.
  ///
  /// - Throws: `timedOut` if the queue stays full for the idle timeout, or 30 seconds; `cancelled`; the errors of the
  ///   carrier.
  static func open(
    _ endpoint: DropEndpoint, _ options: DropStreamOptions
  ) async throws(DropStreamError) -> OpenSession {
    try await LocalSocket.waitForRoom(of: endpoint, atMost: options.idleTimeout ?? handshakeTimeout) {
      () throws(DropStreamError) -> OpenSession? in
      guard let carrier = try SessionCarrier.open(endpoint) else { return nil }
      return OpenSession(carrier, options)
    }
  }

  /// Starts reading and sends the handshake.
  ///
  /// - Parameters:
  ///   - carrier: Both directions of the session.
  ///   - options: The options of the program.
  ///   - handshakeTimeout: The longest wait for the peer's handshake, unless ``DropStreamOptions/idleTimeout`` is set.
  ///   - silenceTimeout: The longest silence of the peer, unless ``DropStreamOptions/idleTimeout`` is set.
  init(
    _ carrier: consuming SessionCarrier, _ options: DropStreamOptions,
    handshakeTimeout: Duration = OpenSession.handshakeTimeout, silenceTimeout: Duration? = nil
  ) {
    let handsDescriptors = carrier.handsDescriptors
    let (peer, child) = (carrier.peer, carrier.child)
    let onFailure = Lock<@Sendable (DropStreamError) -> Void>({ _ in })
    let output = SessionOutput(carrier.output, idleTimeout: options.idleTimeout ?? silenceTimeout) { error in
      onFailure.withLock { $0 }(error)
    }
    // Processes of one user that share a local socket trust each other like programs of one team. The options may
    // state a higher level of trust.
    let audience = peer == nil || ItemVisibility.team.includes(options.audience) ? options.audience : .team
    session = DropSession(
      output: output, options: options, handsDescriptors: handsDescriptors,
      handshakeTimeout: options.idleTimeout ?? handshakeTimeout, silenceTimeout: silenceTimeout, peer: peer,
      audience: audience,
      childProcessIdentifier: child?.processIdentifier)
    self.child = child
    input = Lock(SessionInput(carrier.input, limits: options.limits))
    onFailure.withLock { $0 = { [weak session] error in session?.outputHasFailed(error) } }
    BlockingExecutor.startThread { [self] in
      input.withLock { input in
        session.read(&input)
        input = nil
      }
      readerEnd.open()
    }
    var features: SessionHello.Features = [.zeros, .starts]
    if handsDescriptors { features.insert(.descriptors) }
    if options.onlyTakesDrops { features.insert(.onlyTakes) }
    output.send(.hello(SessionHello(features: features)))
  }

  /// Completes the handshake, runs `body`, and closes the session.
  func run<Result>(
    endpoint: DropEndpoint?, isolation: isolated (any Actor)? = #isolation,
    _ body: (DropSession) async throws -> Result
  ) async throws -> Result {
    let outcome: Swift.Result<Result, any Error>
    do {
      try await session.waitForGreeting()
      outcome = .success(try await body(session))
      await close(nil)
    } catch {
      outcome = .failure(error)
      await close(error)
    }
    endpoint?.closeForPeer()
    let ending = await child?.end()
    if case .failure(let error) = outcome, let ending, ending.exitCode != 0,
      let known = error as? DropStreamError, known.code == .peerGone
    {
      throw ending.failure(known)
    }
    return try outcome.get()
  }

  private func close(_ error: (any Error)?) async {
    if let error {
      let cause = error as? DropStreamError ?? DropStreamError(.closed, "\(error)", underlyingError: error)
      session.fail(cause, finalFailure: SenderFailure(error))
    } else {
      session.stop(DropStreamError(.closed, "the session has ended"))
    }
    await session.waitForServings()
    session.output.send(.bye)
    await session.output.close(within: Self.grace)
    await readerEnd.wait()
    // Offers that the program has not taken are released.
    session.mailbox.close(discarding: true)
  }
}

extension DropSession {
  /// Waits for the peer's handshake.
  ///
  /// - Throws: The failure of the session; `cancelled`.
  fileprivate func waitForGreeting() async throws(DropStreamError) {
    await withTaskCancellationHandler {
      await greeting.wait()
    } onCancel: {
      greeting.open()
    }
    if Task.isCancelled { throw .cancelled }
    // A peer that has already left may have made offers that the program can still take.
    if let failure = state.withLock(\.visibleFailure) { throw failure }
  }

  fileprivate func waitForServings() async {
    while let serving = state.withLock(\.source.anyRunning) {
      serving.cancel()
      await serving.waitForEnd()
    }
  }

  /// Fails the session after a write error.
  fileprivate func outputHasFailed(_ error: DropStreamError) {
    guard error.code == .peerGone else { return fail(error) }
    // The peer may have sent its reason before it left. The delay lets this side read that reason.
    Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(500))
      self?.fail(error)
    }
  }
}

/// The two open directions of a session: a socket or a pair of pipes.
struct SessionCarrier: ~Copyable {
  let input: StreamDescriptor
  let output: StreamDescriptor
  /// Whether the carrier can pass file descriptors.
  let handsDescriptors: Bool
  /// The verified credentials of the peer, if they are known.
  let peer: PeerCredentials?
  let child: ChildProcess?

  init(
    input: consuming OwnedDescriptor, output: consuming OwnedDescriptor, peer: PeerCredentials? = nil,
    child: ChildProcess? = nil
  ) throws(SystemError) {
    let interrupt = try Interrupt()
    let reader = try StreamDescriptor(input, access: O_RDONLY, interrupt: interrupt, idleTimeout: nil)
    let writer = try StreamDescriptor(output, access: O_WRONLY, interrupt: interrupt, idleTimeout: nil)
    let isSame = try SystemCalls.isSameFile(reader.raw, writer.raw)
    handsDescriptors = reader.mode == .socket && isSame && SystemCalls.isLocalSocket(reader.raw)
    self.input = reader
    self.output = writer
    self.peer = peer
    self.child = child
  }

  /// Creates a carrier with one socket for both directions.
  init(socket: consuming OwnedDescriptor, peer: PeerCredentials? = nil) throws(SystemError) {
    let other = OwnedDescriptor(try SystemCalls.duplicate(socket.raw))
    try self.init(input: socket, output: other, peer: peer)
  }

  /// Opens an endpoint.
  ///
  /// Blocks, but never waits for the peer.
  ///
  /// - Returns: The carrier; `nil` if the listener's queue is full.
  /// - Throws: `wrongUser` if the peer runs as another user; `systemCall` if this process cannot create a socket or
  ///   a pipe; `sourceUnavailable` if the endpoint cannot be opened for another reason.
  static func open(_ endpoint: DropEndpoint) throws(DropStreamError) -> SessionCarrier? {
    do throws(SystemError) {
      switch endpoint.kind {
      case .unixSocket(let path):
        let (socket, peer) = try LocalSocket.connect(path)
        return try SessionCarrier(socket: OwnedDescriptor(socket), peer: peer)
      case .descriptor(let descriptor):
        let socket = OwnedDescriptor(descriptor)
        // Two descriptors, such as standard input and output, get no credentials: they may lead to another machine.
        let peer = LocalSocket.ownPeer(of: socket.raw)
        return try SessionCarrier(socket: socket, peer: peer)
      case .pair(let input, let output):
        return try SessionCarrier(input: OwnedDescriptor(input), output: OwnedDescriptor(output))
      case .process(let command):
        let (child, input, output) = try ChildProcess.conversing(command)
        do throws(SystemError) {
          return try SessionCarrier(input: OwnedDescriptor(input), output: OwnedDescriptor(output), child: child)
        } catch {
          child.terminate()
          throw error
        }
      case .standardIO:
        let input = OwnedDescriptor(try SystemCalls.duplicate(STDIN_FILENO))
        let output = OwnedDescriptor(try SystemCalls.duplicate(STDOUT_FILENO))
        return try SessionCarrier(input: input, output: output)
      case .file, .standardInput, .standardOutput: throw SystemError(ENOTSOCK, in: "open")
      }
    } catch {
      if error == LocalSocket.noRoom { return nil }
      let isLocal = ["pipe2", "socket"].contains(error.call)
      let code: DropStreamError.Code =
        error == LocalSocket.wrongUser ? .wrongUser : isLocal ? .systemCall : .sourceUnavailable
      throw DropStreamError(code, "cannot open \(endpoint)", error)
    }
  }
}
