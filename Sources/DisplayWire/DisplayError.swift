// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// An error of the connection to a display, or to the session bus.
package struct DisplayError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  package enum Code: Hashable, Sendable {
    /// The address of the display is missing or malformed, or names a screen that does not exist.
    case badAddress
    /// The address requires TCP, which the caller has not allowed.
    case notAllowed
    /// The file with the cookies cannot be used.
    case badAuthority
    /// No server accepts connections at the address.
    case unreachable
    /// The server has refused the connection, usually because of the cookie.
    case refused
    /// The server has not responded within the timeout.
    case timedOut
    /// The server has closed the connection.
    case serverGone
    /// The server has sent bytes that the protocol does not allow.
    case protocolViolation
    /// A limit of this module or of the server is exceeded.
    case limitExceeded
    /// The server has rejected a request; a display adds ``DisplayError/serverError``.
    case requestFailed
    /// The task was cancelled.
    case cancelled
    /// This program has closed the connection.
    case closed
    /// A system call has failed; ``DisplayError/errorNumber`` is its error.
    case systemCall
  }

  /// The kind of error.
  package let code: Code
  /// The problem in one line, with untrusted text escaped.
  package let description: String
  /// The error number of a failed system call, if there is one.
  package let errorNumber: CInt?
  /// The error that the server has sent, for ``Code/requestFailed``.
  package let serverError: X11Error?

  package init(_ code: Code, _ description: String, errorNumber: CInt? = nil, serverError: X11Error? = nil) {
    self.code = code
    self.description = description
    self.errorNumber = errorNumber
    self.serverError = serverError
  }

  init(_ code: Code, _ reason: String, _ error: SystemError) {
    self.init(code, "\(reason): \(error)", errorNumber: error.errorNumber)
  }

  init(_ error: X11Error) {
    self.init(.requestFailed, error.description, serverError: error)
  }

  static let cancelled = DisplayError(.cancelled, "cancelled")
  static let closed = DisplayError(.closed, "the connection to the display is closed")

  static func violation(_ reason: String) -> DisplayError {
    DisplayError(.protocolViolation, "protocol violation at \(reason)")
  }
}
