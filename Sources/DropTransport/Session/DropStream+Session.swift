// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer
internal import Synchronization

extension DropStream {
  /// Holds a session with another process.
  ///
  /// When `body` returns, the other side is told that there is no more, and everything is closed. When it throws, or its
  /// task is cancelled, the other side is told that instead. What is under way then ends, offers and loads alike: wait
  /// for what is to be whole.
  ///
  /// - Parameters:
  ///   - endpoint: Where the other side is: a socket, a process, a pair of pipes.
  ///   - options: Limits, chunk length, idle timeout; and the audience, where the carrier does not say it.
  ///   - isolation: The caller's; leave it out.
  ///   - body: Offers, and takes what is offered. Unless the task has a preferred executor already, it may go on in the
  ///     thread that has read the answer, and so may the child tasks and the actors that it waits for, but for those
  ///     with executors of their own. Work that takes longer is no harm: another thread reads on after a moment.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; `DropStreamError` when the endpoint cannot be opened, `wrongUser` when another user's
  ///   process is there, `unsupported`, `peerGone` or `timedOut` when the other side does not greet as it should, or has
  ///   no room for one more who waits to be let in; `cancelled`. The limit for both is 30 seconds, or the idle timeout.
  public static func withSession<Result>(
    over endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(),
    isolation: isolated (any Actor)? = #isolation, _ body: (DropSession) async throws -> Result
  ) async throws -> Result {
    try await OpenSession.open(endpoint, options).run(endpoint: endpoint, body)
  }
}

/// A session whose carrier is open; it is run once, to its end.
final class OpenSession: Sendable {
  /// How long the last frames may take.
  private static let grace = Duration.seconds(2)
  /// How long the other side may take for its handshake, unless ``DropStreamOptions/idleTimeout`` says otherwise.
  static let handshakeTimeout = Duration.seconds(30)

  /// How often a listener that has no room is asked again.
  private static let knock = Duration.milliseconds(20)

  let session: DropSession
  private let reader = SessionReader()
  private let child: ChildProcess?

  /// Opens an endpoint, waiting until there is room to be let in.
  static func open(
    _ endpoint: DropEndpoint, _ options: DropStreamOptions
  ) async throws(DropStreamError) -> OpenSession {
    let limit = options.idleTimeout ?? handshakeTimeout
    let end = ContinuousClock.now + limit
    while true {
      let opened = try await runBlockingWork { () throws(DropStreamError) -> OpenSession? in
        guard let carrier = try SessionCarrier.open(endpoint) else { return nil }
        return OpenSession(carrier, options)
      }
      if let opened { return opened }
      guard ContinuousClock.now < end else {
        throw DropStreamError(.timedOut, "\(endpoint) has had no room for \(limit)")
      }
      do { try await Task.sleep(for: knock) } catch { throw .cancelled }
    }
  }

  /// Starts to read and to greet.
  ///
  /// - Parameters:
  ///   - carrier: Both directions.
  ///   - options: The program's.
  ///   - silenceTimeout: How long a peer may show no sign of life, unless ``DropStreamOptions/idleTimeout`` says otherwise.
  init(_ carrier: consuming SessionCarrier, _ options: DropStreamOptions, silenceTimeout: Duration? = nil) {
    let (handsDescriptors, isOneSocket) = (carrier.handsDescriptors, carrier.isOneSocket)
    let (peer, child) = (carrier.peer, carrier.child)
    let onFailure = Lock<@Sendable (DropStreamError) -> Void>({ _ in })
    let output = SessionOutput(carrier.output, idleTimeout: options.idleTimeout ?? silenceTimeout) { error in
      onFailure.withLock { $0 }(error)
    }
    // Across a socket of the same user programs trust each other as those of one maker do, or more, where they say so.
    let audience = peer == nil || ItemVisibility.team.includes(options.audience) ? options.audience : .team
    session = DropSession(
      output: output, options: options, handsDescriptors: handsDescriptors,
      handshakeTimeout: options.idleTimeout ?? Self.handshakeTimeout, silenceTimeout: silenceTimeout, peer: peer,
      audience: audience,
      childProcessIdentifier: child?.processIdentifier)
    self.child = child
    onFailure.withLock { $0 = { [weak session] error in session?.outputHasFailed(error) } }
    reader.start(SessionInput(carrier.input, limits: options.limits, mayWait: isOneSocket), for: session)
    output.send(.hello(SessionHello(features: handsDescriptors ? [.zeros, .descriptors] : .zeros)))
  }

  /// Greets, runs `body`, and closes.
  func run<Result>(
    endpoint: DropEndpoint?, isolation: isolated (any Actor)? = #isolation,
    _ body: (DropSession) async throws -> Result
  ) async throws -> Result {
    let outcome: Swift.Result<Result, any Error>
    do {
      try await session.waitForGreeting()
      // Whoever has chosen where the task runs has reasons.
      let isChosen = withUnsafeCurrentTask { $0?.unownedTaskExecutor } != nil
      outcome = .success(
        try await withTaskExecutorPreference(isChosen ? nil : reader.executor, isolation: isolation) {
          try await body(session)
        })
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
      session.fail(cause, lastWords: SenderFailure(error))
    } else {
      session.stop(DropStreamError(.closed, "the session has ended"))
    }
    await session.waitForServings()
    session.output.send(.bye)
    await session.output.close(within: Self.grace)
    await reader.waitForEnd()
    // What nobody has looked at is not to be had any more.
    session.mailbox.empty()
  }
}

extension DropSession {
  /// Waits until the other side has said what it knows.
  fileprivate func waitForGreeting() async throws(DropStreamError) {
    await withTaskCancellationHandler {
      await greeting.wait()
    } onCancel: {
      greeting.open()
    }
    if Task.isCancelled { throw .cancelled }
    // Of a peer that has left already, there may be offers to look at.
    if let failure = state.withLock({ $0.isEndedByPeer ? nil : $0.failure }) { throw failure }
  }

  fileprivate func waitForServings() async {
    while let serving = state.withLock({ $0.running.values.first }) {
      serving.cancel()
      await serving.waitForEnd()
    }
  }

  /// Nothing can be written any more.
  fileprivate func outputHasFailed(_ error: DropStreamError) {
    guard error.code == .peerGone else { return fail(error) }
    // Before it left the peer may have said why, which is still to be read.
    Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(500))
      self?.fail(error)
    }
  }
}
