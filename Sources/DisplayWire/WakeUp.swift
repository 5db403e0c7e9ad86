// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A descriptor that wakes a connection's thread from poll(2).
final class WakeUp: Sendable {
  private let owned: OwnedDescriptor
  /// Whether the thread has been woken and has not reset the wake-up since.
  private let isPending = Atomic(false)

  init() throws(DisplayError) {
    do throws(SystemError) {
      owned = OwnedDescriptor(try SystemCalls.eventDescriptor())
    } catch {
      throw DisplayError(.systemCall, "no descriptor for the connection to the display", error)
    }
  }

  /// The descriptor that becomes readable when the thread must process the state again.
  var descriptor: CInt { owned.raw }

  /// Wakes the thread, unless an earlier wake-up is still pending.
  func signal() {
    guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var one: UInt64 = 1
    // The thread resets the counter, so the counter cannot overflow.
    withUnsafeBytes(of: &one) { _ = try? SystemCalls.write(owned.raw, $0) }
  }

  /// Resets the wake-up.
  ///
  /// The thread must process the state afterwards.
  func reset() {
    var count: UInt64 = 0
    withUnsafeMutableBytes(of: &count) { _ = try? SystemCalls.read(owned.raw, $0) }
    isPending.store(false, ordering: .sequentiallyConsistent)
  }
}
