// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// An error while a drop stream is written or read.
public struct DropStreamError: Error, Sendable {
  /// The kinds of failure.
  @nonexhaustive public enum Code: Hashable, Sendable {
    /// The input is empty.
    case empty
    /// The bytes are of another format, or a transport has treated them as text.
    case notADropStream
    /// The stream ends before its end frame.
    case truncated
    /// The stream is corrupt: for example, a checksum, a count or the order of frames is wrong.
    case damaged
    /// The file has no index.
    case noIndex
    /// Bytes follow the end of the stream.
    case trailingBytes
    /// The stream has an unknown version, or an unknown frame that must not be skipped.
    case unsupported
    /// A stream, an item, an offer or a request exceeds a limit.
    case limitExceeded
    /// A name would leave the destination, or be misleading on a terminal.
    case unsafeName
    /// Two items of the stream have the same name.
    case duplicateName
    /// A file of that name exists in the destination.
    case alreadyExists
    /// The source, or the peer of a session, has failed; ``DropStreamError/senderFailure`` has its reason.
    case senderFailed
    /// The source was cancelled; ``DropStreamError/senderFailure`` has its reason.
    case senderCancelled
    /// The source has withdrawn the requested item.
    case withdrawn
    /// The destination has rejected the offer; ``DropStreamError/senderFailure`` has its reason.
    case refused
    /// The source does not allow that action.
    case notAllowed
    /// The process at the other end has closed the stream or ended.
    case peerGone
    /// The process at the other end belongs to another user.
    case wrongUser
    /// A wait for the peer has exceeded its time limit.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The stream, or the content to send, cannot be opened or read.
    case sourceUnavailable
    /// Content does not have the promised size, or was changed while it was read.
    case sourceChanged
    /// A representation could not be loaded; other representations may still be.
    ///
    /// ``DropStreamError/senderFailure`` has the peer's reason, or ``DropStreamError/underlyingError`` is the cause.
    case representationFailed
    /// The destination cannot be written to.
    case destinationUnavailable
    /// Reading or writing has failed; ``DropStreamError/errorNumber`` is the error of the system.
    case systemCall
    /// The stream, the session or the drop has ended before.
    case closed
  }

  /// Facts about an error on which programs can base advice to a user.
  @nonexhaustive public enum Detail: Hashable, Sendable {
    /// There are more items than ``DropStreamLimits/items``; the code is `limitExceeded`.
    case itemLimit
    /// There are more bytes than ``DropStreamLimits/bytes``; the code is `limitExceeded`.
    case byteLimit
    /// The name starts with a period, which ``DropFolder/allowsHiddenNames`` permits; the code is `unsafeName`.
    case hiddenName
    /// The sender has started a session, and the reader expects a one-way stream; the code is `unsupported`.
    case isSession
    /// The peer writes a one-way stream, and this side expects a session; the code is `unsupported`.
    case isOneWayStream
    /// Another drop follows the end of the stream; the code is `trailingBytes`.
    case anotherDrop
  }

  /// The kind of error.
  public let code: Code
  /// A fact about the error, if it has one of these.
  public let detail: Detail?
  /// The problem, with untrusted text escaped; a part of ``description``.
  public let reason: String
  /// The offset of the problem in the stream, in bytes, if known.
  public let byteOffset: UInt64?
  /// The error number of the system, if a system call failed.
  public let errorNumber: CInt?
  /// The failure that the peer has reported, if any.
  public let senderFailure: SenderFailure?
  /// The error that caused this error, such as the error of a provider or the destination, if any.
  public let underlyingError: (any Error)?

  package init(
    _ code: Code, _ reason: String, at byteOffset: UInt64? = nil, detail: Detail? = nil, errorNumber: CInt? = nil,
    senderFailure: SenderFailure? = nil, underlyingError: (any Error)? = nil
  ) {
    self.code = code
    self.detail = detail
    self.reason = reason
    self.byteOffset = byteOffset
    self.errorNumber = errorNumber
    self.senderFailure = senderFailure
    self.underlyingError = underlyingError
  }

  init(_ code: Code, _ reason: String, _ error: SystemError) {
    self.init(code, "\(reason): \(error)", errorNumber: error.errorNumber)
  }

  static let cancelled = DropStreamError(.cancelled, "cancelled")
  static let withdrawnOffer = DropStreamError(.withdrawn, "the offer was withdrawn")

  /// Returns the error of a representation that does not have the promised size.
  ///
  /// `isWhole` states whether `byteCount` is the final length. Otherwise, more bytes could follow.
  static func wrongLength(
    _ byteCount: UInt64, isWhole: Bool, promised: UInt64, at byteOffset: UInt64? = nil
  ) -> DropStreamError {
    let what =
      isWhole
      ? "a representation has \(byteCount) bytes instead of the promised \(promised)"
      : "a representation is longer than the promised \(promised) bytes"
    return DropStreamError(.damaged, "corrupt: \(what)", at: byteOffset)
  }

  /// Returns the error of more items than ``DropStreamLimits/items``.
  static func excess(ofItems limit: UInt64, at byteOffset: UInt64? = nil) -> DropStreamError {
    let items = limit == 1 ? "item" : "items"
    return DropStreamError(
      .limitExceeded, "the source has more than \(limit) \(items)", at: byteOffset, detail: .itemLimit)
  }

  /// Returns the error of more bytes than ``DropStreamLimits/bytes``.
  static func excess(ofBytes limit: UInt64, at byteOffset: UInt64? = nil) -> DropStreamError {
    DropStreamError(.limitExceeded, "the content has more than \(limit) bytes", at: byteOffset, detail: .byteLimit)
  }

  /// Returns the error of a session's handshake in place of a one-way stream.
  static func sessionFound(at byteOffset: UInt64) -> DropStreamError {
    let reason = "the sender expects responses: this is a session, not a one-way stream"
    return DropStreamError(.unsupported, reason, at: byteOffset, detail: .isSession)
  }

  /// Returns the error of a one-way stream in place of a handshake.
  static func oneWayStreamFound(at byteOffset: UInt64) -> DropStreamError {
    let reason = "the peer writes a one-way stream, not a session"
    return DropStreamError(.unsupported, reason, at: byteOffset, detail: .isOneWayStream)
  }
}

extension DropStreamError: CustomStringConvertible {
  /// One line: the problem, and its offset if known.
  public var description: String {
    byteOffset.map { "\(reason) at byte \($0)" } ?? reason
  }
}
