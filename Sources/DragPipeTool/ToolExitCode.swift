// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What the process ends with; the numbers are those of `sysexits.h` where it has one.
enum ToolExitCode: Int32, Sendable {
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
}
