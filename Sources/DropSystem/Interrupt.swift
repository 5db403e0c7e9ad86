// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Wakes a thread that waits for a descriptor, once and for good: how a task's cancellation reaches a blocked read.
package final class Interrupt: Sendable {
  private let event: OwnedDescriptor
  private let isRaised = Atomic(false)

  package init() throws(SystemError) {
    event = OwnedDescriptor(try SystemCalls.eventDescriptor())
  }

  /// Becomes readable when the interrupt is raised; to be polled beside the descriptor waited for.
  package var descriptor: CInt { event.raw }

  package var hasBeenRaised: Bool { isRaised.load(ordering: .acquiring) }

  /// Waits for it, no longer than that; blocks.
  package func isRaised(within milliseconds: CInt) -> Bool {
    var descriptors = [pollfd(fd: event.raw, events: Int16(POLLIN), revents: 0)]
    let ready = try? SystemCalls.poll(&descriptors, milliseconds)
    return ready ?? 0 > 0
  }

  package func raise() {
    guard !isRaised.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var one: UInt64 = 1
    // An eventfd that was never read takes its first write.
    withUnsafeBytes(of: &one) { _ = try? SystemCalls.write(event.raw, $0) }
  }
}
