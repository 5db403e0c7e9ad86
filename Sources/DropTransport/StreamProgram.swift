// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The program at the other end of a one-way stream, if the endpoint is a program.
///
/// The stream is the standard input or output of the program. A program that writes the stream has an empty input. A
/// program that reads the stream inherits this process's output.
struct StreamProgram: Sendable {
  private let child: ChildProcess?
  /// The endpoint of the stream: the pipe to or from the program, the connection, or the original endpoint.
  let endpoint: DropEndpoint

  /// Starts the program, or connects to the socket.
  ///
  /// - Parameters:
  ///   - endpoint: An endpoint, which need not be a program.
  ///   - access: `O_WRONLY` for a program that reads the stream, `O_RDONLY` for a program that writes it.
  ///   - limit: The longest wait for a socket's listener; `nil` waits without limit.
  /// - Throws: `destinationUnavailable` or `sourceUnavailable` if the program cannot be started; the errors of
  ///   ``DropEndpoint/connected(access:within:)``.
  init(_ endpoint: DropEndpoint, access: CInt, within limit: Duration?) async throws(DropStreamError) {
    guard case .process(let command) = endpoint.kind else {
      (child, self.endpoint) = (nil, try await endpoint.connected(access: access, within: limit))
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

  /// Waits without limit for the program to end, after the complete stream was written to it.
  ///
  /// - Throws: `peerGone` if the exit status is not 0, since nothing else acknowledges the stream; `cancelled` if the
  ///   task is cancelled, which stops the program.
  func succeed(isolation: isolated (any Actor)? = #isolation) async throws(DropStreamError) {
    guard let child else { return }
    let ending = await child.waitForEnd(stoppedWithin: ChildProcess.defaultGrace)
    if Task.isCancelled { throw .cancelled }
    guard ending.exitCode == 0 else { throw ending.failure(nil) }
  }

  /// Waits for the program to end after an error, and stops it if it does not end soon.
  ///
  /// - Returns: The error, or the failure of the program if that may be its cause.
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

  /// Waits for a program that is no longer needed, and stops it if it does not end soon.
  func end(isolation: isolated (any Actor)? = #isolation) async {
    _ = await child?.end()
  }
}

extension ChildProcess.Ending {
  /// Returns the ending as the error of a stream or session.
  ///
  /// - Parameter cause: The error that was noticed first, if any.
  /// - Returns: The code is `peerGone`; the underlying error is the cause.
  func failure(_ cause: DropStreamError?) -> DropStreamError {
    DropStreamError(.peerGone, "the command has ended with \(self)", underlyingError: cause)
  }
}
