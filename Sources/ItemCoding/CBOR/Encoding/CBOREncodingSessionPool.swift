// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Sessions at rest: what they know of types and keys is worth more than the memory they take.
enum CBOREncodingSessionPool {
  /// A session in the pool is referred to by nobody else: `give` refuses what the program still holds.
  private struct Idle: @unchecked Sendable {
    let session: CBOREncodingSession
  }

  private static let sessions = Lock<[Idle]>([])
  /// As many as may run at a time on a large machine.
  private static let capacity = 16
  /// What a resting session may keep of its bytes.
  private static let retainedCapacity = 1 << 16

  static func take() -> CBOREncodingSession {
    sessions.withLock { $0.popLast() }?.session ?? CBOREncodingSession()
  }

  static func give(_ session: CBOREncodingSession) {
    if session.isShared { return session.dissolve() }
    if session.writer.pointee.capacity > retainedCapacity {
      session.writer.pointee.deallocate()
      session.writer.pointee = CBORWriter()
    }
    let idle = Idle(session: session)
    let isKept = sessions.withLock { sessions in
      guard sessions.count < capacity else { return false }
      sessions.append(idle)
      return true
    }
    if !isKept { session.dissolve() }
  }
}
