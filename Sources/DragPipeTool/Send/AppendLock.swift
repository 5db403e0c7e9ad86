// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc

/// The lock on a drop file to which `send --append` adds items.
///
/// It is released with this object.
final class AppendLock: Sendable {
  private let file: OwnedDescriptor
  /// The status of the locked file.
  let status: FileStatus

  private init(_ file: consuming OwnedDescriptor, _ status: FileStatus) {
    self.file = file
    self.status = status
  }

  /// Locks a file, and waits while another process appends to it.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - idleTimeout: The longest wait; `nil` for no limit.
  ///   - environment: The tool's environment, for a note about the wait.
  /// - Returns: The lock; `nil` if there is no such file.
  /// - Throws: `usage` if it is not a regular file; `noInput`, `inputOutput`, `timedOut`, `CancellationError`.
  static func acquire(
    _ path: String, idleTimeout: Duration?, _ environment: ToolEnvironment
  ) async throws -> AppendLock? {
    let start = ContinuousClock.now
    var isNoted = false
    while true {
      // Tries the lock repeatedly, because a wait in the kernel cannot be cancelled.
      switch try await runBlocking({ try attempt(path) }) {
      case .missing: return nil
      case .acquired(let lock): return lock
      case .busy:
        if let idleTimeout, .now - start > idleTimeout {
          throw ToolFailure(.timedOut, "another process still appends to \(path.escapedForDisplay())")
        }
        if !isNoted, .now - start > .seconds(1) {
          environment.note("waiting for another process that appends to \(path.escapedForDisplay())")
          isNoted = true
        }
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  private enum Outcome: Sendable {
    case missing
    case busy
    case acquired(AppendLock)
  }

  private static func attempt(_ path: String) throws -> Outcome {
    let status = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
    guard status.map({ $0.kind == .regular }) ?? true else {
      throw ToolFailure(.usage, "--append needs a regular file, which \(path.escapedForDisplay()) is not")
    }
    let file: OwnedDescriptor
    do throws(SystemError) { file = try .open(path, O_RDONLY | O_NONBLOCK) } catch {
      if error.errorNumber == ENOENT { return .missing }
      throw ToolFailure(.noInput, "cannot open \(path.escapedForDisplay()): \(error)")
    }
    do throws(SystemError) {
      guard let status = try SystemCalls.lockedStatus(file.raw, named: path) else { return .busy }
      return .acquired(AppendLock(file, status))
    } catch {
      throw ToolFailure(.inputOutput, "cannot lock \(path.escapedForDisplay()): \(error)")
    }
  }
}
