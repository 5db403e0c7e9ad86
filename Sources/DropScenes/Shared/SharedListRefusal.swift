// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport

/// A store's reason as words that its copy in another process makes the same error of.
enum SharedListRefusal {
  private static let codes: [(SharedListError.Code, String)] = [
    (.ended, "ended"), (.duplicateIdentifier, "duplicateIdentifier"), (.notFound, "notFound"),
    (.limitExceeded, "limitExceeded"), (.invalidMessage, "invalidMessage"),
  ]

  static func words(of error: any Error) -> String {
    guard let error = error as? SharedListError, let (_, name) = codes.first(where: { $0.0 == error.code }) else {
      return "invalidMessage: \("\(error)".escapedForDisplay())"
    }
    return "\(name): \(error.reason)"
  }

  /// What a session's error is to who edits a list.
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
