// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// A failure that one side reports to the other, with its kind and its reason.
public struct SenderFailure: Hashable, Sendable {
  /// The kinds of failure.
  @nonexhaustive public enum Kind: UInt8, Hashable, Sendable {
    /// The sender of the report has failed, or rejects an offer.
    case failed = 1
    /// The user or the program at the sender of the report has cancelled the transfer.
    case cancelled = 2
    /// The source has withdrawn the requested item; only in sessions.
    case withdrawn = 3
  }

  private enum Field {
    static let kind: UInt8 = 0x01
    static let reason: UInt8 = 0x02
  }

  /// The maximum length of a reason in bytes.
  ///
  /// The sender truncates a longer reason, and the receiver rejects it.
  static let maximumReasonLength = 1024

  /// The kind of the failure.
  ///
  /// A kind that this version does not know is read as ``Kind/failed``.
  public let kind: Kind
  /// The reason, as the sender of the report wrote it; empty if it gave none.
  ///
  /// Escape it before you print it to a terminal.
  public let reason: String

  init(kind: Kind, reason: String) {
    self.kind = kind
    self.reason = reason
  }

  /// Decodes the payload of a failure frame.
  ///
  /// - Throws: `damaged`, `limitExceeded`, `unsupported`.
  init(_ payload: [UInt8], frameOffset: UInt64) throws(DropStreamError) {
    let fields = FieldReader(owner: "a failure", frameOffset: frameOffset)
    var kind: Kind?
    var reason: String?
    try fields.forEachField(in: payload[...]) { (tag, value) throws(DropStreamError) in
      switch tag {
      case Field.kind:
        guard kind == nil, value.count == 1, let raw = value.first else { throw fields.malformed("no readable kind") }
        kind = Kind(rawValue: raw) ?? .failed
      case Field.reason:
        guard reason == nil else { throw fields.malformed("two reasons") }
        reason = try fields.text(value, limit: Self.maximumReasonLength, what: "reason", refusal: .damaged)
      default: return false
      }
      return true
    }
    guard let kind else { throw fields.malformed("no kind") }
    self.init(kind: kind, reason: reason ?? "")
  }

  func append(to payload: inout [UInt8]) {
    payload.appendField(Field.kind) { $0.append(kind.rawValue) }
    let reason = shortenedReason
    if !reason.isEmpty { payload.appendField(Field.reason) { $0.append(contentsOf: reason) } }
  }

  /// The reason in UTF-8, truncated between two scalars to at most ``maximumReasonLength`` bytes.
  private var shortenedReason: [UInt8] {
    var bytes: [UInt8] = []
    for scalar in reason.unicodeScalars {
      let next = String(scalar).utf8
      guard bytes.count + next.count <= Self.maximumReasonLength else { break }
      bytes.append(contentsOf: next)
    }
    return bytes
  }

  /// The error of a reader whose stream has failed.
  var error: DropStreamError { error(failed: "the sender failed", cancelled: "the sender cancelled") }

  /// The error of a session whose peer has failed.
  var errorOfSession: DropStreamError { error(failed: "the peer failed", cancelled: "the peer cancelled") }

  /// The error of a representation that the source could not load.
  ///
  /// Its code differs from that of a failed session, because only this representation is missing.
  var errorOfRepresentation: DropStreamError {
    let words =
      switch kind {
      case .failed: "the sender could not load the representation"
      case .cancelled: "the sender cancelled the load"
      case .withdrawn: "the sender withdrew the representation"
      }
    return DropStreamError(.representationFailed, words + self.words, senderFailure: self)
  }

  /// The end of an error message: a colon and the escaped reason, or nothing.
  ///
  /// Backslashes are not doubled, because the sender has usually escaped the strings that it quotes.
  var words: String { reason.isEmpty ? "" : ": \(reason.escapedForDisplay(mayBeEscaped: true))" }

  private func error(failed: String, cancelled: String) -> DropStreamError {
    switch kind {
    case .failed: DropStreamError(.senderFailed, failed + words, senderFailure: self)
    case .cancelled: DropStreamError(.senderCancelled, cancelled + words, senderFailure: self)
    case .withdrawn: DropStreamError(.withdrawn, "the offer was withdrawn" + words, senderFailure: self)
    }
  }
}

extension SenderFailure {
  /// Creates the failure that reports `cause`.
  ///
  /// If the failure of another sender has led to `cause`, the new failure equals it.
  init(_ cause: any Error) {
    if let failure = Self.original(cause) {
      self = failure
      return
    }
    let isCancelled = cause.isCancellation || (cause as? DropStreamError)?.code == .cancelled
    self.init(kind: isCancelled ? .cancelled : .failed, reason: isCancelled ? "" : "\(cause)")
  }

  /// Returns the failure of another sender that has led to `cause`, if there is one.
  package static func original(_ cause: (any Error)?) -> SenderFailure? {
    switch cause {
    case let cause as DropStreamError: cause.senderFailure ?? original(cause.underlyingError)
    case let cause as ItemProviderError: original(cause.underlyingError)
    default: nil
    }
  }
}

extension DropStreamError {
  /// Whether only the load of one representation has failed, so that the stream can continue.
  var isOfSource: Bool {
    switch code {
    case .representationFailed, .sourceUnavailable, .sourceChanged: true
    case .cancelled: true
    default: false
    }
  }

  /// Converts the error of a representation that cannot be loaded.
  init(_ error: ItemProviderError) {
    switch error.code {
    case .cancelled: self = .cancelled
    case .wrongSize: self.init(.sourceChanged, "\(error)", underlyingError: error)
    default: self.init(.representationFailed, "\(error)", underlyingError: error)
    }
  }
}
