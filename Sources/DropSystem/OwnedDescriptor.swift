// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc
internal import Synchronization

/// A descriptor with one owner, closed when the owner is done with it.
package struct OwnedDescriptor: ~Copyable, Sendable {
  package let raw: CInt

  package init(_ raw: CInt) {
    self.raw = raw
  }

  deinit {
    // What a late write error would say, `close()` says; whoever needs to know calls that.
    try? SystemCalls.close(raw)
  }

  /// Closes now, so that an error which the system had kept for later is heard.
  package consuming func close() throws(SystemError) {
    let descriptor = release()
    try SystemCalls.close(descriptor)
  }

  /// Hands the descriptor to somebody else.
  package consuming func release() -> CInt {
    let descriptor = raw
    discard self
    return descriptor
  }

  package static func open(_ path: String, _ flags: CInt, _ mode: UInt32 = 0) throws(SystemError) -> OwnedDescriptor {
    OwnedDescriptor(try SystemCalls.open(path, flags, mode))
  }

  package static func openAt(
    _ directory: CInt, _ path: String, _ flags: CInt, _ mode: UInt32 = 0
  ) throws(SystemError) -> OwnedDescriptor {
    OwnedDescriptor(try SystemCalls.openAt(directory, path, flags, mode))
  }

  /// Opens a directory as a place where names are, listed or not; never through a link at the end of the path.
  package static func place(_ path: String, in directory: CInt) throws(SystemError) -> OwnedDescriptor {
    try openAt(directory, path, CInt(dragpipe_open_path) | O_DIRECTORY | O_NOFOLLOW)
  }

  /// Opens a directory as a place where names are, listed or not.
  package static func place(_ path: String) throws(SystemError) -> OwnedDescriptor {
    try open(path, CInt(dragpipe_open_path) | O_DIRECTORY)
  }
}

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
