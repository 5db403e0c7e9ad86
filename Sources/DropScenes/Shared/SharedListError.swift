// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Why a shared list was not changed, or can no longer be heard of.
public struct SharedListError: Error, Sendable {
  /// The kinds of reason.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// The process that has the list is gone.
    case storeGone
    /// The list was ended by whoever has it.
    case ended
    /// An element of the same identifier is in the list.
    case duplicateIdentifier
    /// The element is not in the list.
    case notFound
    /// There are more elements than the store takes.
    case limitExceeded
    /// What the other side says makes no sense.
    case invalidMessage
    /// The task was cancelled.
    case cancelled
  }

  /// Which kind of reason.
  public let code: Code
  /// The reason in words, safe to show on a terminal.
  public let reason: String
  /// What went wrong beneath, where something did.
  public let underlyingError: (any Error)?

  init(_ code: Code, _ reason: String, underlyingError: (any Error)? = nil) {
    self.code = code
    self.reason = reason
    self.underlyingError = underlyingError
  }

  static let ended = SharedListError(.ended, "the list was ended")
}

extension SharedListError: CustomStringConvertible {
  /// One line.
  public var description: String { reason }
}
