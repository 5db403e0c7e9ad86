// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc
internal import Synchronization

/// A descriptor with one owner, closed at the end of the owner's lifetime unless it is released.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// The descriptor number, valid while the owner exists.
  package let raw: CInt

  /// Takes ownership of a descriptor.
  package init(_ raw: CInt) {
    self.raw = raw
  }

  deinit {
    // This ignores a deferred write error. A caller that needs the error calls `close()`.
    try? SystemCalls.close(raw)
  }

  /// Closes the descriptor, and reports an error that the system had deferred.
  package consuming func close() throws(SystemError) {
    let descriptor = release()
    try SystemCalls.close(descriptor)
  }

  /// Passes ownership of the descriptor to the caller.
  package consuming func release() -> CInt {
    let descriptor = raw
    discard self
    return descriptor
  }

  /// Opens a path.
  package static func open(_ path: String, _ flags: CInt, _ mode: UInt32 = 0) throws(SystemError) -> OwnedDescriptor {
    OwnedDescriptor(try SystemCalls.open(path, flags, mode))
  }

  /// Opens a path relative to a directory.
  package static func openAt(
    _ directory: CInt, _ path: String, _ flags: CInt, _ mode: UInt32 = 0
  ) throws(SystemError) -> OwnedDescriptor {
    OwnedDescriptor(try SystemCalls.openAt(directory, path, flags, mode))
  }

  /// Opens a file or directory without access to its content, and follows symbolic links.
  package static func reference(_ path: String) throws(SystemError) -> OwnedDescriptor {
    try open(path, CInt(dragpipe_open_path))
  }

  /// Opens a directory as a starting point of paths, even if it cannot be listed.
  ///
  /// Fails if the last component of the path is a symbolic link.
  package static func place(_ path: String, in directory: CInt) throws(SystemError) -> OwnedDescriptor {
    try openAt(directory, path, CInt(dragpipe_open_path) | O_DIRECTORY | O_NOFOLLOW)
  }

  /// Opens a directory as a starting point of paths, even if it cannot be listed.
  package static func place(_ path: String) throws(SystemError) -> OwnedDescriptor {
    try open(path, CInt(dragpipe_open_path) | O_DIRECTORY)
  }
}

/// Descriptor numbers that this process leaves to its runtime libraries.
///
/// libdispatch crashes the process if it cannot open a descriptor for its event queue, for its timers, or for the
/// status of its threads, which it reads every second.
package enum DescriptorReserve {
  private static let boundary = Atomic(CInt.max)

  /// Leaves `number` and all higher descriptor numbers to the libraries.
  package static func begin(at number: CInt) {
    boundary.store(number, ordering: .relaxed)
  }

  /// Closes a new descriptor if it is in the reserve.
  ///
  /// - Parameter descriptor: The result of a system call; -1 is returned unchanged.
  /// - Returns: The descriptor, or -1 with `errno` set to `EMFILE`.
  static func admit(_ descriptor: CInt) -> CInt {
    guard descriptor >= boundary.load(ordering: .relaxed) else { return descriptor }
    close(descriptor)
    errno = EMFILE
    return -1
  }
}
