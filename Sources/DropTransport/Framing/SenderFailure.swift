// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Why a source gave up: what its last frame says.
public struct SenderFailure: Hashable, Sendable {
  /// The kinds of giving up.
  public enum Kind: UInt8, Hashable, Sendable {
    /// Something went wrong on the source's side.
    case failed = 1
    /// The source's user, or its program, called the transfer off.
    case cancelled = 2
  }

  /// A longer reason is cut.
  static let maximumReasonLength = 1024

  /// Which kind it is.
  public let kind: Kind
  /// The source's own words; escape them before they reach a terminal.
  public let reason: String

  func append(to payload: inout [UInt8]) {
    payload.append(kind.rawValue)
    var length = 0
    for scalar in reason.unicodeScalars {
      length += String(scalar).utf8.count
      guard length <= Self.maximumReasonLength else { break }
      payload.append(contentsOf: String(scalar).utf8)
    }
  }
}
