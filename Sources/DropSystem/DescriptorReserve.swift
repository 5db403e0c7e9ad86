// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Descriptor numbers that this process leaves to the libraries that run its tasks.
///
/// libdispatch stops a process by an illegal instruction where it cannot open a file: its event queue, its timers, and
/// every second the status of its threads.
package enum DescriptorReserve {
  private static let boundary = Atomic(CInt.max)

  /// Leaves `number` and all higher descriptor numbers to libraries.
  package static func begin(at number: CInt) {
    boundary.store(number, ordering: .relaxed)
  }

  /// Closes a new descriptor that is in the reserve.
  ///
  /// - Parameter descriptor: As a call returned it; -1 passes.
  /// - Returns: The descriptor, or -1 with `errno` set to `EMFILE`.
  package static func admit(_ descriptor: CInt) -> CInt {
    guard descriptor >= boundary.load(ordering: .relaxed) else { return descriptor }
    close(descriptor)
    errno = EMFILE
    return -1
  }
}
