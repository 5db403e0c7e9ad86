// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The program at the other end of a one-way stream, where the endpoint is one.
///
/// Its input or its output is the stream; the other of the two is nothing for a source, and ours for a destination.
struct StreamProgram: Sendable {
  private let child: ChildProcess?
  /// Where the stream itself goes or comes from.
  let endpoint: DropEndpoint

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - endpoint: What may be a program; of another endpoint, nothing happens here.
  ///   - access: `O_WRONLY` for a program that reads the stream, `O_RDONLY` for one that writes it.
  /// - Throws: `destinationUnavailable` or `sourceUnavailable` when it cannot be started.
  init(_ endpoint: DropEndpoint, access: CInt) throws(DropStreamError) {
    guard case .process(let command) = endpoint.kind else {
      (child, self.endpoint) = (nil, endpoint)
      return
    }
    do throws(SystemError) {
      let pipe = try SystemCalls.pipe()
      let read = OwnedDescriptor(pipe.read)
      let write = OwnedDescriptor(pipe.write)
      let arguments = Array(command.dropFirst())
      let leadsGroup = !ChildProcess.hasTerminal
      if access == O_WRONLY {
        child = try ChildProcess(command[0], arguments, input: read.raw, leadsGroup: leadsGroup)
        self.endpoint = .descriptor(write.release())
      } else {
        let nothing = try OwnedDescriptor.open("/dev/null", O_RDONLY)
        child = try ChildProcess(
          command[0], arguments, input: nothing.raw, output: write.raw, leadsGroup: leadsGroup)
        self.endpoint = .descriptor(read.release())
      }
    } catch {
      throw DropStreamError(
        access == O_WRONLY ? .destinationUnavailable : .sourceUnavailable, "cannot start \(endpoint)", error)
    }
  }

  /// Waits for the end of a program that has been given all, however long it takes; a cancelled task makes it short.
  ///
  /// - Throws: `peerGone` where the program does not end well: nothing else says that it has taken what it was given.
  func succeed(isolation: isolated (any Actor)? = #isolation) async throws(DropStreamError) {
    guard let child else { return }
    let ending = await child.waitForEnd(stoppedWithin: ChildProcess.defaultGrace)
    if Task.isCancelled { throw .cancelled }
    guard ending.exitCode == 0 else { throw ending.failure(nil) }
  }

  /// Sees to the end of a program after an error.
  ///
  /// - Returns: The error, with how the program has ended where that may be the reason.
  func fail(with error: any Error, isolation: isolated (any Actor)? = #isolation) async -> any Error {
    guard let known = error as? DropStreamError else {
      await end()
      return error
    }
    return await fail(with: known)
  }

  func fail(with error: DropStreamError, isolation: isolated (any Actor)? = #isolation) async -> DropStreamError {
    guard let child else { return error }
    let ending = await child.end()
    guard ending.exitCode != 0, [.peerGone, .truncated, .empty].contains(error.code) else { return error }
    return ending.failure(error)
  }

  /// Sees to the end of a program of which no more is wanted.
  func end(isolation: isolated (any Actor)? = #isolation) async {
    _ = await child?.end()
  }
}

extension ChildProcess.Ending {
  /// What it is to a stream or a session with the process.
  ///
  /// - Parameter cause: What was noticed of it first.
  /// - Returns: `peerGone`, with the cause beneath.
  func failure(_ cause: DropStreamError?) -> DropStreamError {
    DropStreamError(.peerGone, "the command has ended with \(self)", underlyingError: cause)
  }
}
