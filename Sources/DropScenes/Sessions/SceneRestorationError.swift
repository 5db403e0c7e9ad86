// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer

/// Why sessions could not be kept, or had again.
public struct SceneRestorationError: Error, Sendable {
  /// The kinds of reason.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// The file is cut, was changed, or is of another kind.
    case damaged
    /// A newer version of this package has written the file.
    case newerVersion
    /// There are more sessions than are kept.
    case limitExceeded
    /// The file cannot be opened or read.
    case unreadable
    /// The file cannot be written.
    case unwritable
    /// The task was cancelled.
    case cancelled
  }

  /// Which kind of reason.
  public let code: Code
  /// The file.
  public let path: String
  /// The reason in words, safe to show on a terminal.
  public let reason: String
  /// What went wrong beneath, where something did.
  public let underlyingError: (any Error)?

  init(_ code: Code, _ path: String, _ reason: String, underlyingError: (any Error)? = nil) {
    self.code = code
    self.path = path
    self.reason = reason
    self.underlyingError = underlyingError
  }

  /// What an error is to whom it happened.
  init(writing path: String, _ error: any Error) {
    self.init(path, error, otherwise: .unwritable)
  }

  init(reading path: String, _ error: any Error) {
    let isSystems = [.sourceUnavailable, .systemCall].contains((error as? DropStreamError)?.code)
    self.init(path, error, otherwise: isSystems ? .unreadable : .damaged)
  }

  private init(_ path: String, _ error: any Error, otherwise code: Code) {
    if let known = error as? SceneRestorationError {
      self = known
      return
    }
    let isCancelled =
      error is CancellationError || (error as? DropStreamError)?.code == .cancelled
      || (error as? ItemProviderError)?.code == .cancelled
    self.init(isCancelled ? .cancelled : code, path, "\(error)", underlyingError: error)
  }
}

extension SceneRestorationError: CustomStringConvertible {
  /// One line: the file and what is wrong with it.
  public var description: String { "\(path.escapedForDisplay()): \(reason)" }
}
