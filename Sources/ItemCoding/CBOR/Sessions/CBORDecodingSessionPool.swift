// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Decoding sessions at rest.
enum CBORDecodingSessionPool {
  private static let pool = CBORSessionPool<CBORDecodingSession>()

  static func take() -> CBORDecodingSession {
    pool.take() ?? CBORDecodingSession()
  }

  /// Takes back a session whose input is no longer there.
  static func give(_ session: CBORDecodingSession) {
    session.end()
    if session.isShared || session.isOversized || !pool.put(session) { session.dissolve() }
  }
}
