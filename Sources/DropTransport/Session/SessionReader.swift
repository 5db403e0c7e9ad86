// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The thread of a session that reads the peer's messages.
///
/// It never runs the program's code, which may take any time: loaders, tasks and cancellation handlers run on other
/// threads.
final class SessionReader: Sendable {
  /// The input, which only the thread uses; `nil` after the end.
  private let input: Lock<SessionInput?>
  private let end = Latch()

  init(_ input: consuming sending SessionInput) {
    self.input = Lock(input)
  }

  /// Reads until the session ends or is interrupted.
  func start(for session: DropSession) {
    BlockingExecutor.startThread { [self] in
      input.withLock { input in
        Self.read(&input, for: session)
        input = nil
      }
      end.open()
    }
  }

  /// Waits until the thread has ended and the descriptor is closed.
  func waitForEnd() async {
    await end.wait()
  }

  private static func read(_ input: inout SessionInput?, for session: DropSession) {
    var lastTick = ContinuousClock.now
    do throws(DropStreamError) {
      while true {
        let limit = session.tickInterval
        var now = input?.signs.byte ?? .now
        switch try input?.next(atMost: limit) ?? .end {
        case .message(let message):
          try session.take(message) { () throws(DropStreamError) in try input?.takeDescriptor() }
        case .nothing: now = .now
        case .end: return
        }
        guard now - lastTick >= limit else { continue }
        lastTick = now
        session.passTime(to: now, signs: input?.signs ?? SessionSigns())
      }
    } catch {
      session.fail(error, finalFailure: error.isOfPeer ? SenderFailure(kind: .failed, reason: error.description) : nil)
    }
  }
}

extension DropStreamError {
  /// Whether the peer has violated the protocol or a limit.
  ///
  /// The session then reports the error to the peer.
  fileprivate var isOfPeer: Bool {
    switch code {
    case .damaged, .unsupported, .limitExceeded, .notADropStream, .unsafeName: true
    default: false
    }
  }
}
