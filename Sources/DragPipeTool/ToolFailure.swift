// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import HeroCards
internal import ItemTransfer

/// Why a command ends without success: what the user reads, and what the shell gets.
struct ToolFailure: Error, CustomStringConvertible {
  let exitCode: ToolExitCode
  /// One line, with everything from outside escaped.
  let message: String

  /// The message: it is what a peer hears of it.
  var description: String { message }

  init(_ exitCode: ToolExitCode, _ message: String) {
    self.exitCode = exitCode
    self.message = message
  }

  /// The one place where errors become exit codes.
  init(_ error: any Error) {
    switch error {
    case let error as ToolFailure: self = error
    case let error as DropStreamError: self.init(error)
    case let error as ItemProviderError: self.init(error)
    case let error as HeroCardError: self.init(.malformed, error.description)
    case let error as SystemError: self.init(.inputOutput, error.description)
    case is CancellationError: self.init(.failure, "cancelled")
    default: self.init(.internalFault, "\(error)".escapedForDisplay())
    }
  }

  /// Names the file that a stream was read from, where the error is about a place in it and does not name it itself.
  init(_ error: DropStreamError, in file: String) {
    let failure = ToolFailure(error)
    let isUnnamed = error.byteOffset != nil && !failure.message.contains(file.escapedForDisplay())
    self.init(failure.exitCode, isUnnamed ? "\(file.shownAsOperand): \(failure.message)" : failure.message)
  }

  private init(_ error: DropStreamError) {
    // A loader's own failure says more than that there was one.
    if error.code == .representationFailed, let cause = error.underlyingError {
      self.init(cause)
      return
    }
    let exitCode: ToolExitCode =
      switch error.code {
      case .empty, .notADropStream, .truncated, .damaged, .trailingBytes, .noIndex: .malformed
      case .unsupported: .unsupported
      case .limitExceeded, .unsafeName, .duplicateName, .wrongUser, .notAllowed: .refused
      case .alreadyExists, .destinationUnavailable: .cannotCreate
      case .senderCancelled, .withdrawn, .refused: .cancelledByPeer
      case .peerGone: .peerGone
      case .timedOut: .timedOut
      case .sourceUnavailable: .noInput
      case .systemCall: .inputOutput
      case .senderFailed, .cancelled, .sourceChanged, .representationFailed: .failure
      case .closed: .internalFault
      }
    let advice = error.code == .unsafeName && error.reason.hasSuffix(DropFileName.hidden) ? " (see --hidden)" : ""
    self.init(exitCode, error.description + advice)
  }

  private init(_ error: ItemProviderError) {
    let exitCode: ToolExitCode =
      switch (error.code, error.underlyingError) {
      case (.noRepresentation, _): .noAcceptableType
      case (.undecodable, _): .malformed
      case (.fileUnavailable, let cause as FileError) where cause.operation == "open": .noInput
      case (.fileUnavailable, let cause as FileError) where cause.operation == FileError.makingTemporaryFiles:
        .cannotCreate
      case (.fileUnavailable, _): .inputOutput
      // A loader's own failure says more than that there was one.
      case (.representationFailed, let cause as ToolFailure): cause.exitCode
      case (.representationFailed, let cause as DropStreamError): ToolFailure(cause).exitCode
      case (.representationFailed, _), (.wrongSize, _), (.cancelled, _): .failure
      }
    guard let cause = error.underlyingError as? DecodingError else {
      // What is beneath is often told by a part of this package, with what it quotes escaped.
      self.init(exitCode, error.description.escapedForDisplay(limit: 400, mayBeEscaped: true))
      return
    }
    self.init(exitCode, "\(error.contentType.map { "\($0): " } ?? "")\(cause.sentence)".escapedForDisplay(limit: 400))
  }
}

extension DecodingError {
  /// Where, and what; the standard description is a page of code.
  var sentence: String {
    let context: Context? =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    guard let context else { return "\(self)" }
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    return (path.isEmpty ? "" : "\(path): ") + context.debugDescription
  }
}
