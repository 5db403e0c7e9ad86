// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import ItemTransfer

/// An error of the display, or of another program on the desktop.
public struct DesktopError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  @nonexhaustive public enum Code: Hashable, Sendable {
    /// The name of the display is missing or invalid, or its server is not reachable or refuses this program.
    case noDisplay
    /// The connection to the display has ended.
    case displayGone
    /// No program offers content, or the content has none of the requested types.
    case nothingOffered
    /// The program that offers the content has refused to send it, has failed, or was closed.
    case sourceFailed
    /// The program that received a drop was closed before it reported the end.
    case targetFailed
    /// The source of a drop does not allow the action, or the drop has already ended.
    case notAllowed
    /// The other program has not responded in time.
    case timedOut
    /// A limit is exceeded.
    case limitExceeded
    /// The offered content is malformed.
    case malformed
    /// Another program has taken the selection, or has grabbed the pointer.
    case notOwned
    /// The task was cancelled.
    case cancelled
  }

  /// The kind of error.
  public let code: Code
  /// The problem in one line, with untrusted text escaped.
  public let description: String

  /// The problem without the name of the exceeded limit; `nil` unless the limit is ``DesktopOptions/maximumBytes``.
  package let byteLimitReason: String?

  init(_ code: Code, _ reason: String, isByteLimit: Bool = false) {
    self.code = code
    description = reason + (isByteLimit ? " (see DesktopOptions.maximumBytes)" : "")
    byteLimitReason = isByteLimit ? reason : nil
  }

  init(_ error: DisplayError) {
    let code: Code =
      switch error.code {
      case .badAddress, .notAllowed, .badAuthority, .unreachable, .refused: .noDisplay
      case .timedOut: .timedOut
      case .limitExceeded: .limitExceeded
      case .cancelled: .cancelled
      case .serverGone, .protocolViolation, .closed, .systemCall: .displayGone
      case .requestFailed: .sourceFailed
      }
    self.init(code, error.description)
  }

  /// Converts any error.
  ///
  /// An error of an unknown type becomes `sourceFailed`.
  init(caught error: any Error) {
    switch error {
    case let error as DesktopError: self = error
    case let error as DisplayError: self.init(error)
    case _ where error.isCancellation: self.init(.cancelled, "cancelled")
    default: self.init(.sourceFailed, "\(error)".escapedForDisplay(limit: 400, mayBeEscaped: true))
    }
  }
}

extension DesktopError {
  /// The error that the other program has ended.
  static var sourceClosed: DesktopError {
    DesktopError(.sourceFailed, "the program that offers the content was closed")
  }
}
