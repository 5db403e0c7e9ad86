// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What the process ends with; the numbers are those of `sysexits.h` where it has one.
enum ToolExitCode: Int32, Sendable, CaseIterable {
  /// Complete and verified.
  case success = 0
  /// Something else went wrong, here or at the sender.
  case failure = 1
  /// The stream is whole and verified, and its sender could not make some of it.
  case partial = 2
  /// Nothing that was offered is of an acceptable type.
  case noAcceptableType = 3
  /// The peer called the transfer off.
  case cancelledByPeer = 4
  /// The command line makes no sense.
  case usage = 64
  /// What came is malformed, damaged or cut.
  case malformed = 65
  /// An input cannot be opened.
  case noInput = 66
  /// The peer is gone.
  case peerGone = 69
  /// A fault of this program.
  case internalFault = 70
  /// The output cannot be made.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Nothing moved for too long.
  case timedOut = 75
  /// A version or a feature that is not known here.
  case unsupported = 76
  /// Against the rules: a limit, an unsafe name.
  case refused = 77

  /// A line for the help and the man page.
  var meaning: String {
    switch self {
    case .success: "complete and verified"
    case .failure: "something else went wrong, here or at the sender"
    case .partial: "whole and verified, but the sender could not make some of it"
    case .noAcceptableType: "nothing that was offered is of an acceptable type"
    case .cancelledByPeer: "the peer called the transfer off"
    case .usage: "the command line makes no sense"
    case .malformed: "what came is malformed, damaged or cut"
    case .noInput: "an input cannot be opened"
    case .peerGone: "the peer is gone"
    case .internalFault: "a fault of this program"
    case .cannotCreate: "the output cannot be made"
    case .inputOutput: "reading or writing failed"
    case .timedOut: "nothing moved for too long"
    case .unsupported: "a version or a feature that is not known here"
    case .refused: "against the rules: a limit, an unsafe name"
    }
  }

  /// What a shell makes of the signals that end the tool.
  private static let signals: [(code: Int32, meaning: String)] = [
    (129, "hung up: its terminal is gone"), (130, "interrupted"), (131, "asked to quit"),
    (OutputClosed.exitCode, OutputClosed().description), (143, "terminated"),
  ]

  /// Everything a shell can get, in order.
  static var meanings: [(code: Int32, meaning: String)] { allCases.map { ($0.rawValue, $0.meaning) } + signals }
}
