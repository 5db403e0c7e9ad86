// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A pool of idle sessions, whose plans and key names later calls reuse.
struct CBORSessionPool<Session: AnyObject>: ~Copyable, Sendable {
  /// An idle session, to which only the pool refers.
  ///
  /// Sessions that the program retains are not put into the pool, and the caller of `put` releases its session.
  private struct Idle: @unchecked Sendable {
    let session: Session
  }

  private let idle = Lock<[Idle]>([])
  /// The maximum number of idle sessions, enough for the threads of a large machine.
  private static var capacity: Int { 16 }

  func take() -> Session? {
    idle.withLock { $0.popLast() }?.session
  }

  /// Stores `session`, unless the pool is full, and returns whether the session was stored.
  func put(_ session: Session) -> Bool {
    let session = Idle(session: session)
    return idle.withLock { idle in
      guard idle.count < Self.capacity else { return false }
      idle.append(session)
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

/// A cache of the plans or key names of types, by the address of the type.
///
/// The values live as long as the cache. A dictionary would take a quarter of the time of an encoder.
final class CBORTypeCache<Value: AnyObject> {
  private struct Slot {
    var type: UInt
    var value: Value?
  }

  private let slots: UnsafeMutablePointer<Slot>
  private var count = 0
  private static var capacity: Int { 256 }

  init() {
    slots = .allocate(capacity: Self.capacity)
    slots.initialize(repeating: Slot(type: 0, value: nil), count: Self.capacity)
  }

  deinit {
    slots.deinitialize(count: Self.capacity)
    slots.deallocate()
  }

  /// Whether the cache stores no more types; enough for the types of a program.
  var isFull: Bool { count >= Self.capacity / 2 }

  /// Returns the value for `type`, which `create` returns for the first call, or for every call if the cache is full.
  @inline(__always)
  func value<Key>(for type: Key.Type, _ create: () -> Value?) -> Value? {
    let type = UInt(bitPattern: ObjectIdentifier(type))
    // The multiplication with the golden ratio hashes the address to eight bits.
    var place = Int(truncatingIfNeeded: (UInt64(type >> 3) &* 0x9E37_79B9_7F4A_7C15) >> 56)
    while _slowPath(slots[place].type != type) {
      if slots[place].type == 0 {
        if isFull { return create() }
        slots[place] = Slot(type: type, value: create())
        count += 1
        break
      }
      place = (place + 1) % Self.capacity
    }
    return slots[place].value
  }
}
