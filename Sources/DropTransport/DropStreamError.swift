// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Why a drop stream could not be written or read.
public struct DropStreamError: Error, Sendable {
  /// The kinds of failure.
  @nonexhaustive public enum Code: Hashable, Sendable {
    /// There was not a single byte.
    case empty
    /// The bytes are of some other format, or went through something that takes bytes for text.
    case notADropStream
    /// The stream ends before its end frame.
    case truncated
    /// A check, a count or the order of frames is wrong.
    case damaged
    /// The file has no index to find its items by.
    case noIndex
    /// Bytes follow the end of the stream.
    case trailingBytes
    /// The stream is of a version, or has a frame, that this reader does not know and must not skip.
    case unsupported
    /// The stream asks for more than the reader allows.
    case limitExceeded
    /// A name would reach outside the destination, or lie about itself on a terminal.
    case unsafeName
    /// Two items of the stream have the same name.
    case duplicateName
    /// Something with that name is in the destination already.
    case alreadyExists
    /// The source says that it failed; ``DropStreamError/senderFailure`` has its words.
    case senderFailed
    /// The source says that it was cancelled; ``DropStreamError/senderFailure`` has its words.
    case senderCancelled
    /// The source no longer offers what was asked for.
    case withdrawn
    /// The destination did not take what was offered; ``DropStreamError/senderFailure`` has its words.
    case refused
    /// The source does not let a destination do that with what it offers.
    case notAllowed
    /// The process at the other end is gone.
    case peerGone
    /// The process at the other end is another user's.
    case wrongUser
    /// Nothing moved for as long as was allowed.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// What is to be sent cannot be opened or read.
    case sourceUnavailable
    /// What is being sent is not as long as was promised, or was written to meanwhile.
    case sourceChanged
    /// A representation could not be made; ``DropStreamError/underlyingError`` says why.
    case representationFailed
    /// The destination cannot be written to.
    case destinationUnavailable
    /// Reading or writing failed; ``DropStreamError/errorNumber`` says how.
    case systemCall
    /// The writer had failed or finished before.
    case closed
  }

  /// Which kind of failure it is.
  public let code: Code
  /// What exactly is wrong, with untrusted text escaped; a part of ``description``.
  public let reason: String
  /// How many bytes into the stream.
  public let byteOffset: UInt64?
  /// The system's error number.
  public let errorNumber: CInt?
  /// The source's own words, where it had some.
  public let senderFailure: SenderFailure?
  /// What a provider or the destination threw.
  public let underlyingError: (any Error)?

  package init(
    _ code: Code, _ reason: String, at byteOffset: UInt64? = nil, errorNumber: CInt? = nil,
    senderFailure: SenderFailure? = nil, underlyingError: (any Error)? = nil
  ) {
    self.code = code
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

  /// A representation that is not as long as its offer says; `isWhole` where no more bytes follow.
  static func wrongLength(
    _ byteCount: UInt64, isWhole: Bool, promised: UInt64, at byteOffset: UInt64? = nil
  ) -> DropStreamError {
    let what =
      isWhole
      ? "a representation of \(byteCount) bytes where \(promised) were promised"
      : "a representation is longer than the \(promised) bytes that were promised"
    return DropStreamError(.damaged, "damaged: \(what)", at: byteOffset)
  }

  /// The reason where a one-way stream is expected and a session's handshake comes; the code is `unsupported`.
  package static let sessionFound = "the sender expects responses: this is a session, not a one-way stream"
  /// The reason where a handshake is expected and a one-way stream comes; the code is `unsupported`.
  package static let oneWayStreamFound = "the other side writes a one-way stream, not a session"
}

extension DropStreamError: CustomStringConvertible {
  /// One line: what is wrong, and at which byte.
  public var description: String {
    byteOffset.map { "\(reason) at byte \($0)" } ?? reason
  }
}
