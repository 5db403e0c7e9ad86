// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Synchronization

/// What could not be made for receivers that asked for it.
final class LoadFailures: Sendable {
  /// The first, which is told, and how many there are: whoever asks again and again fills no memory.
  private let known = Lock<(first: DropStreamError?, count: Int)>((nil, 0))

  func add(_ failure: DropStreamError) {
    add(failure, count: 1)
  }

  /// Adds a failure that is not the last one the user should read about.
  func add(_ failure: DropStreamError, notedIn environment: ToolEnvironment) {
    environment.note("left out: \(failure.reason)")
    add(failure)
  }

  func add(_ others: LoadFailures) {
    let (first, count) = others.known.withLock { $0 }
    if let first { add(first, count: count) }
  }

  private func add(_ failure: DropStreamError, count: Int) {
    known.withLock { known in
      known.first = known.first ?? failure
      known.count += count
    }
  }

  /// What becomes of the command.
  ///
  /// - Parameter hasSentSome: Whether a receiver has kept anything; else the first failure is the command's.
  /// - Returns: `nil` where everything could be made.
  func failure(hasSentSome: Bool) -> ToolFailure? {
    let (first, count) = known.withLock { $0 }
    guard let first = first.map({ ToolFailure($0) }) else { return nil }
    let others = count > 1 ? ", and \(count - 1) more" : ""
    return ToolFailure(
      hasSentSome ? .partial : first.exitCode, "could not make all of it: \(first.message)\(others)")
  }
}
