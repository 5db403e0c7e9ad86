// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The sessions of all drops on a window.
///
/// The unfinished sessions are refused when the window accepts no more drags.
final class OpenSessions: Sendable {
  private struct WeakSession: Sendable {
    weak let session: DesktopDrop.Session?
  }

  private let sessions = Lock<[WeakSession]>([])

  func add(_ session: DesktopDrop.Session) {
    sessions.withLock { sessions in
      sessions.removeAll { $0.session == nil }
      sessions.append(WeakSession(session: session))
    }
  }

  func refuseAll() {
    let open = sessions.withLock { sessions in
      defer { sessions = [] }
      return sessions.compactMap(\.session)
    }
    for session in open { session.end(accepting: nil) }
  }
}
