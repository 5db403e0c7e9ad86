// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Sessions at rest, as in ``CBOREncodingSessionPool``.
enum CBORDecodingSessionPool {
  /// A session in the pool is referred to by nobody else: `give` refuses what the program still holds.
  private struct Idle: @unchecked Sendable {
    let session: CBORDecodingSession
  }

  private static let sessions = Lock<[Idle]>([])
  private static let capacity = 16

  static func take() -> CBORDecodingSession {
    sessions.withLock { $0.popLast() }?.session ?? CBORDecodingSession()
  }

  /// Takes back a session whose input is no longer there.
  static func give(_ session: CBORDecodingSession) {
    session.end()
    if session.isShared { return session.dissolve() }
    let idle = Idle(session: session)
    let isKept = sessions.withLock { sessions in
      guard sessions.count < capacity else { return false }
      sessions.append(idle)
      return true
    }
    if !isKept { session.dissolve() }
  }
}
