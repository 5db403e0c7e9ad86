// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// Sessions at rest: what they know of types and keys is worth more than the memory they take.
///
/// Most programs code on one thread at a time, so one session is kept where it can be taken without a lock.
struct CBORSessionPool<Session: AnyObject>: ~Copyable, Sendable {
  /// Nobody else uses a session in the pool: those that the program still holds are not put here, and who puts one here
  /// does no more with it than let go.
  private struct Idle: @unchecked Sendable {
    let session: Session
  }

  /// The address of a retained session, or 0.
  private let spare = Atomic<UInt>(0)
  private let others = Lock<[Idle]>([])
  /// As many as may run at a time on a large machine.
  private static var capacity: Int { 16 }

  @inline(__always)
  func take() -> Session? {
    if let address = UnsafeRawPointer(bitPattern: spare.exchange(0, ordering: .acquiring)) {
      return Unmanaged<Session>.fromOpaque(address).takeRetainedValue()
    }
    return others.withLock { $0.popLast() }?.session
  }

  /// Keeps `session`, unless there are enough.
  ///
  /// - Returns: Whether it was kept.
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
