// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// Why a source gave up: what its last frame says.
public struct SenderFailure: Hashable, Sendable {
  /// The kinds of giving up.
  @nonexhaustive public enum Kind: UInt8, Hashable, Sendable {
    /// Something went wrong on the source's side.
    case failed = 1
    /// The source's user, or its program, called the transfer off.
    case cancelled = 2
    /// What was asked for is no longer offered; in sessions.
    case withdrawn = 3
  }

  private enum Field {
    static let kind: UInt8 = 0x01
    static let reason: UInt8 = 0x02
  }

  /// A longer reason is cut by the sender, and refused by the receiver.
  static let maximumReasonLength = 1024

  /// Which kind it is; one that this version does not know is a failure.
  public let kind: Kind
  /// The source's own words; escape them before they reach a terminal.
  public let reason: String

  init(kind: Kind, reason: String) {
    self.kind = kind
    self.reason = reason
  }

  /// Reads the payload of a failure frame.
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

  /// Cut between characters of UTF-8.
  private var shortenedReason: [UInt8] {
    var bytes: [UInt8] = []
    for scalar in reason.unicodeScalars {
      let next = String(scalar).utf8
      guard bytes.count + next.count <= Self.maximumReasonLength else { break }
      bytes.append(contentsOf: next)
    }
    return bytes
  }

  /// The error of whoever reads that the stream has failed.
  var error: DropStreamError { error(failed: "the sender failed", cancelled: "the sender cancelled") }

  /// The error of whoever hears that a session has failed, in which both sides send.
  var errorOfSession: DropStreamError { error(failed: "the other side failed", cancelled: "the other side cancelled") }

  /// The error of whoever wants a representation that could not be made.
  var errorOfRepresentation: DropStreamError {
    error(failed: "the sender could not make it", cancelled: "the sender gave it up")
  }

  /// The reason, as the end of a message.
  ///
  /// What it quotes, its author has mostly escaped.
  var words: String { reason.isEmpty ? "" : ": \(reason.escapedForDisplay(mayBeEscaped: true))" }

  private func error(failed: String, cancelled: String) -> DropStreamError {
    switch kind {
    case .failed: DropStreamError(.senderFailed, failed + words, senderFailure: self)
    case .cancelled: DropStreamError(.senderCancelled, cancelled + words, senderFailure: self)
    case .withdrawn: DropStreamError(.withdrawn, "it is no longer offered" + words, senderFailure: self)
    }
  }
}
