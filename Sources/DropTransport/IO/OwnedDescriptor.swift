// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
}
