// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import Synchronization

/// What could not be made for receivers that asked for it.
final class LoadFailures: Sendable {
  private let all = Lock<[DropStreamError]>([])

  func add(_ failure: DropStreamError) {
    all.withLock { $0.append(failure) }
  }

  /// What becomes of the command.
  ///
  /// - Parameter hasSentSome: Whether a receiver has kept anything; else the first failure is the command's.
  /// - Returns: `nil` where everything could be made.
  func failure(hasSentSome: Bool) -> ToolFailure? {
    Self.failure(all.withLock { $0 }, hasSentSome: hasSentSome)
  }

  static func failure(_ failures: [DropStreamError], hasSentSome: Bool) -> ToolFailure? {
    guard let first = failures.first.map({ ToolFailure($0) }) else { return nil }
    let others = failures.count > 1 ? ", and \(failures.count - 1) more" : ""
    return ToolFailure(
      hasSentSome ? .partial : first.exitCode, "could not make all of it: \(first.message)\(others)")
  }
}
