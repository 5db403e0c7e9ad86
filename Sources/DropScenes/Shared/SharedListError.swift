// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport

/// An error of editing or observing a shared list.
public struct SharedListError: Error, Sendable {
  /// The kinds of errors.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// The process that owns the list is gone.
    case storeGone
    /// The owner has ended the list.
    case ended
    /// The list has an element with the same identifier.
    case duplicateIdentifier
    /// The list does not have the element.
    case notFound
    /// The list would exceed the store's limit, or a message exceeds a limit of the session.
    case limitExceeded
    /// A message from the peer is invalid.
    case invalidMessage
    /// The task was cancelled.
    case cancelled
  }

  /// The kind of error.
  public let code: Code
  /// The reason as a phrase, safe to show on a terminal.
  public let reason: String
  /// The underlying error, if any.
  public let underlyingError: (any Error)?

  init(_ code: Code, _ reason: String, underlyingError: (any Error)? = nil) {
    self.code = code
    self.reason = reason
    self.underlyingError = underlyingError
  }

  static let ended = SharedListError(.ended, "the list was ended")
}

extension SharedListError: CustomStringConvertible {
  /// The reason as a line.
  public var description: String { reason }
}

/// The encoding of a store's error as the reason of a refusal, from which a copy decodes the same error.
enum SharedListRefusal {
  private static let codes: [(SharedListError.Code, String)] = [
    (.ended, "ended"), (.duplicateIdentifier, "duplicateIdentifier"), (.notFound, "notFound"),
    (.limitExceeded, "limitExceeded"), (.invalidMessage, "invalidMessage"),
  ]

  static func reason(for error: any Error) -> String {
    guard let error = error as? SharedListError, let (_, name) = codes.first(where: { $0.0 == error.code }) else {
      return "invalidMessage: \("\(error)".escapedForDisplay())"
    }
    return "\(name): \(error.reason)"
  }

  /// Returns the list error for a session's error.
  static func error(_ error: any Error) -> SharedListError {
    guard let error = error.dropStreamError else {
      return error as? SharedListError ?? SharedListError(.invalidMessage, "\(error)", underlyingError: error)
    }
    switch error.code {
    case .cancelled: return SharedListError(.cancelled, "the task was cancelled", underlyingError: error)
    case .refused:
      let words = (error.senderFailure?.reason ?? "").split(separator: ":", maxSplits: 1)
      let code = codes.first { $0.1 == words.first ?? "" }?.0 ?? .invalidMessage
      let reason = words.last.map { $0.trimmingPrefix(" ") } ?? ""
      return SharedListError(code, String(reason).escapedForDisplay(mayBeEscaped: true), underlyingError: error)
    case .limitExceeded: return SharedListError(.limitExceeded, error.reason, underlyingError: error)
    default: return SharedListError(.storeGone, "the list's store is gone: \(error)", underlyingError: error)
    }
  }
}
