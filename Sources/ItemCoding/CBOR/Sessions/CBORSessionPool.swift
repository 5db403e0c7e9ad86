// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A pool of idle sessions, whose plans and key names later calls reuse.
///
/// Most programs encode or decode on one thread at a time, so one session can be taken without a lock.
struct CBORSessionPool<Session: AnyObject>: ~Copyable, Sendable {
  /// An idle session, to which only the pool refers.
  ///
  /// Sessions that the program retains are not put into the pool, and the caller of `put` releases its session.
  private struct Idle: @unchecked Sendable {
    let session: Session
  }

  /// The address of one idle session, which the pool retains, or 0.
  private let spare = Atomic<UInt>(0)
  private let others = Lock<[Idle]>([])
  /// The maximum number of other idle sessions, enough for the threads of a large machine.
  private static var capacity: Int { 16 }

  @inline(__always)
  func take() -> Session? {
    if let address = UnsafeRawPointer(bitPattern: spare.exchange(0, ordering: .acquiring)) {
      return Unmanaged<Session>.fromOpaque(address).takeRetainedValue()
    }
    return others.withLock { $0.popLast() }?.session
  }

  /// Stores `session`, unless the pool is full.
  ///
  /// - Returns: Whether the session was stored.
  @inline(__always)
  func put(_ session: Session) -> Bool {
    let retained = Unmanaged.passRetained(session)
    let address = UInt(bitPattern: retained.toOpaque())
    if spare.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return true }
    retained.release()
    let idle = Idle(session: session)
    return others.withLock { others in
      guard others.count < Self.capacity else { return false }
      others.append(idle)
      return true
    }
  }
}

/// The pool of idle encoding sessions.
enum CBOREncodingSessionPool {
  private static let pool = CBORSessionPool<CBOREncodingSession>()
  /// The maximum capacity of an idle session's buffer, in bytes.
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

/// The pool of idle decoding sessions.
enum CBORDecodingSessionPool {
  private static let pool = CBORSessionPool<CBORDecodingSession>()

  static func take() -> CBORDecodingSession {
    pool.take() ?? CBORDecodingSession()
  }

  /// Ends the call of a session, and returns the session to the pool if later calls can use it.
  static func give(_ session: CBORDecodingSession) {
    session.end()
    if session.isShared || session.isOversized || !pool.put(session) { session.dissolve() }
  }
}
