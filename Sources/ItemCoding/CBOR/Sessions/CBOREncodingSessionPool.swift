// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Encoding sessions at rest.
enum CBOREncodingSessionPool {
  private static let pool = CBORSessionPool<CBOREncodingSession>()
  /// What a resting session may keep of its bytes.
  private static let retainedCapacity = 1 << 16

  static func take() -> CBOREncodingSession {
    pool.take() ?? CBOREncodingSession()
  }

  static func give(_ session: CBOREncodingSession) {
    if session.isShared { return session.dissolve() }
    session.end()
    if session.writer.pointee.capacity > retainedCapacity {
      session.writer.pointee.deallocate()
      session.writer.pointee = CBORWriter()
    }
    if !pool.put(session) { session.dissolve() }
  }
}
