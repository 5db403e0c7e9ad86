// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The failure of a system call: its name and its error number.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  package let errorNumber: CInt
  package let call: String

  package init(_ errorNumber: CInt, in call: String) {
    self.errorNumber = errorNumber
    self.call = call
  }

  /// The system's text for the error number (strerror(3)).
  package var description: String { String(cString: strerror(errorNumber)) }
}
