// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import Glibc
internal import HeroCards
internal import ItemTransfer
internal import UniformTypes

/// The failure of a command: its message and its exit code.
struct ToolFailure: Error, CustomStringConvertible {
  let exitCode: ToolExitCode
  /// The message in one line.
  ///
  /// Text from files and peers is escaped in it.
  let message: String

  /// The message.
  ///
  /// It is also sent to a peer.
  var description: String { message }

  init(_ exitCode: ToolExitCode, _ message: String) {
    self.exitCode = exitCode
    self.message = message
  }

  /// Converts any error.
  ///
  /// This initializer and the initializers that it calls choose the exit code for every type of error.
  init(_ error: any Error) {
    switch error {
    case let error as ToolFailure: self = error
    case let error as DropStreamError: self.init(error)
    case let error as ItemProviderError: self.init(error)
    case let error as HeroCardError: self.init(.malformed, error.description)
    case let error as DesktopError: self.init(error)
    case let error as SystemError: self.init(.inputOutput, error.description)
    case is CancellationError: self.init(.failure, "cancelled")
    default: self.init(.internalFault, "\(error)".escapedForDisplay())
    }
  }

  /// Converts an error of a stream.
  ///
  /// If the error has an offset but its message does not name the file, adds the name.
  init(_ error: DropStreamError, in file: String) {
    let failure = ToolFailure(error)
    let isUnnamed = error.byteOffset != nil && !failure.message.contains(file.escapedForDisplay())
    self.init(failure.exitCode, isUnnamed ? "\(file.shownAsOperand): \(failure.message)" : failure.message)
  }

  private init(_ error: DropStreamError) {
    // The error of the loader is more specific.
    if error.code == .representationFailed, let cause = error.underlyingError {
      self.init(cause)
      return
    }
    let exitCode: ToolExitCode =
      switch error.code {
      case .representationFailed where (error.senderFailure?.kind ?? .failed) != .failed: .cancelledByPeer
      case .empty, .notADropStream, .truncated, .damaged, .trailingBytes, .noIndex: .malformed
      case .unsupported: .unsupported
      case .limitExceeded, .unsafeName, .duplicateName, .wrongUser, .notAllowed: .refused
      case .alreadyExists, .destinationUnavailable: .cannotCreate
      case .senderCancelled, .withdrawn, .refused: .cancelledByPeer
      case .peerGone: .peerGone
      case .timedOut: .timedOut
      case .sourceUnavailable: error.isShortage ? .inputOutput : .noInput
      case .systemCall: .inputOutput
      case .senderFailed, .cancelled, .sourceChanged, .representationFailed: .failure
      case .closed: .internalFault
      }
    let advice =
      switch error.detail {
      case .hiddenName: " (see --hidden)"
      case .itemLimit: " (see --max-items)"
      case .byteLimit: " (see --max-bytes)"
      case .anotherDrop: "; dragpipe receive DIR takes several drops"
      case .isSession, .isOneWayStream, nil: ""
      }
    self.init(exitCode, error.description + advice)
  }

  private init(_ error: ItemProviderError) {
    // The user named the file, but may not know which representation it provides.
    if error.code == .representationFailed, let cause = error.underlyingError as? DropStreamError,
      cause.code == .sourceUnavailable
    {
      self.init(cause)
      return
    }
    let exitCode: ToolExitCode =
      switch (error.code, error.underlyingError) {
      case (.noRepresentation, _): .noAcceptableType
      case (.undecodable, _): .malformed
      case (.fileUnavailable, let cause as FileError) where cause.operation == "open": .noInput
      case (.fileUnavailable, let cause as FileError) where cause.operation == FileError.makingTemporaryFiles:
        .cannotCreate
      case (.fileUnavailable, _): .inputOutput
      // The error of the loader is more specific.
      case (.representationFailed, let cause as ToolFailure): cause.exitCode
      case (.representationFailed, let cause?) where cause is DropStreamError || cause is DesktopError:
        ToolFailure(cause).exitCode
      case (.timedOut, _): .timedOut
      case (.representationFailed, _), (.wrongSize, _), (.cancelled, _), (.progressEnded, _): .failure
      }
    guard let cause = error.underlyingError as? DecodingError else {
      var words = error.description
      if let type = error.contentType, type.isDynamic { words = words.replacing(type.identifier, with: type.shown) }
      // The description often quotes text that is already escaped.
      self.init(exitCode, words.escapedForDisplay(limit: 400, mayBeEscaped: true))
      return
    }
    self.init(
      exitCode, "\(error.contentType.map { "\($0.shown): " } ?? "")\(cause.sentence)".escapedForDisplay(limit: 400))
  }
}

extension DropStreamError {
  /// Whether this process lacks descriptors or memory, which is not an error of the input or the peer.
  var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errorNumber ?? 0) }
}

extension ToolFailure {
  fileprivate init(_ error: DesktopError) {
    let exitCode: ToolExitCode =
      switch error.code {
      case .noDisplay, .displayGone, .notOwned, .targetFailed: .peerGone
      case .nothingOffered: .noInput
      case .timedOut: .timedOut
      case .limitExceeded, .notAllowed: .refused
      case .malformed: .malformed
      case .sourceFailed, .cancelled: .failure
      }
    self.init(exitCode, error.byteLimitReason.map { $0 + " (see --max-bytes)" } ?? error.description)
  }
}

extension DecodingError {
  /// The coding path and the problem in one line.
  ///
  /// The standard description has several lines.
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

/// The exit codes of the tool.
///
/// The codes from 64 on follow `sysexits.h`.
enum ToolExitCode: Int32, Sendable, CaseIterable {
  /// The command succeeded. A stream that it received is complete and verified.
  case success = 0
  /// Another error occurred at either side, or `types conforms` has a negative result.
  case failure = 1
  /// The stream is complete and verified, but some content failed to load at the sender, or was left out.
  case partial = 2
  /// No item has an accepted type, or the requested item does not exist.
  case noAcceptableType = 3
  /// The peer cancelled the transfer, or the user closed the window too early.
  case cancelledByPeer = 4
  /// The command line is invalid.
  case usage = 64
  /// The input is malformed, corrupt or truncated.
  case malformed = 65
  /// An input cannot be opened.
  case noInput = 66
  /// The peer is gone.
  case peerGone = 69
  /// An internal error.
  case internalFault = 70
  /// The output cannot be created.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// No data moved for too long.
  case timedOut = 75
  /// An unsupported version or feature.
  case unsupported = 76
  /// Refused because of a limit, an unsafe name, or an action that is not allowed.
  case refused = 77

  /// The explanation of the exit code, for the help and the man page.
  ///
  /// The article `ShellManual.md` must have the same text, which a test compares.
  var meaning: String {
    switch self {
    case .success: "success; a received stream is complete and verified"
    case .failure: "another error at either side, or a negative result of 'types conforms'"
    case .partial: "complete and verified, but some content failed to load or was left out"
    case .noAcceptableType: "no item has an accepted type, or the requested item does not exist"
    case .cancelledByPeer: "the peer cancelled, or the user closed the window too early"
    case .usage: "the command line is invalid"
    case .malformed: "the input is malformed, corrupt or truncated"
    case .noInput: "an input cannot be opened"
    case .peerGone: "the peer is gone"
    case .internalFault: "an internal error"
    case .cannotCreate: "the output cannot be created"
    case .inputOutput: "a read or a write failed"
    case .timedOut: "no data was transferred before the timeout"
    case .unsupported: "an unsupported version or feature"
    case .refused: "refused: a limit, an unsafe name, or an action that is not allowed"
    }
  }

  /// The exit codes that a shell reports for processes ended by signals.
  private static let signals: [(code: Int32, meaning: String)] = [
    (129, "ended by SIGHUP: the terminal is gone"), (130, "ended by SIGINT"), (131, "ended by SIGQUIT"),
    (OutputClosed.exitCode, OutputClosed().description), (143, "ended by SIGTERM"),
  ]

  /// All exit codes of the tool, including the exit codes for signals, in ascending order.
  static var meanings: [(code: Int32, meaning: String)] { allCases.map { ($0.rawValue, $0.meaning) } + signals }
}
