// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// The thread of a session that waits for what the other side says.
final class SessionReader: Sendable {
  private let queue = DispatchQueue(label: "org.dragpipe.session.input")
  private let end = Latch()

  /// Reads until the session ends, by itself or by an interrupt.
  func start(_ input: consuming SessionInput, for session: DropSession) {
    let input = Cell(input)
    queue.async { [self] in
      Self.read(input, for: session)
      input.value = nil
      end.open()
    }
  }

  /// Waits until nothing is read any more, and the descriptor is closed.
  func waitForEnd() async {
    await end.wait()
  }

  private static func read(_ input: Cell, for session: DropSession) {
    var lastLook = ContinuousClock.now
    do throws(DropStreamError) {
      while true {
        let limit = session.tickInterval
        switch try input.next(atMost: limit) {
        case .message(let message): try session.take(message) { input.takeDescriptor() }
        case .nothing: break
        case .end: return
        }
        if limit != nil, ContinuousClock.now - lastLook >= DropSession.tick {
          lastLook = .now
          session.passTime()
        }
      }
    } catch {
      let isOurs =
        switch error.code {
        case .damaged, .unsupported, .limitExceeded, .notADropStream, .unsafeName: true
        default: false
        }
      session.fail(error, lastWords: isOurs ? SenderFailure(kind: .failed, reason: error.description) : nil)
    }
  }

  /// Used by one thread after the other, never by two.
  private final class Cell: @unchecked Sendable {
    var value: SessionInput?

    init(_ value: consuming SessionInput) {
      self.value = consume value
    }

    func next(atMost limit: Duration?) throws(DropStreamError) -> SessionInput.Event {
      try value?.next(atMost: limit) ?? .end
    }

    func takeDescriptor() -> SharedDescriptor? {
      value?.takeDescriptor()
    }
  }
}
