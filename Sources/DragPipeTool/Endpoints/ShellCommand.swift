// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// A command line for `/bin/sh`.
struct ShellCommand: Sendable {
  let text: String

  /// Runs the command and waits for its end.
  ///
  /// Cancelling the task terminates the command. If the command does not end within a second, it is killed.
  ///
  /// - Parameters:
  ///   - input: The descriptor of the command's standard input.
  ///   - output: The descriptor of its standard output, or `nil` for the standard output of this process.
  ///   - environment: Additional environment variables.
  /// - Throws: `failure` if the command cannot start, or ends with another exit code than 0; `CancellationError`.
  func run(input: CInt, output: CInt? = nil, environment: [String: String]) async throws {
    let child = try start(input: input, output: output, environment: environment, leadsGroup: !ChildProcess.hasTerminal)
    try await waitForEnd(of: child, atMost: nil)
  }

  /// Starts the command and returns its output as a sequence.
  ///
  /// If the command fails, the sequence throws an error at its end.
  ///
  /// - Parameter idleTimeout: The maximum time to wait for a chunk, and for the end of the command after its output;
  ///   `nil` for no limit.
  /// - Returns: The output of the command.
  /// - Throws: Errors of starting the command.
  func output(idleTimeout: Duration?) throws -> Output {
    let null = try OwnedDescriptor.open("/dev/null", O_RDONLY)
    let pipe = try SystemCalls.pipe()
    let read = OwnedDescriptor(pipe.read)
    let write = OwnedDescriptor(pipe.write)
    let child = try start(input: null.raw, output: write.raw, leadsGroup: !ChildProcess.hasTerminal)
    let source = try ChunkSource(.descriptor(read.release()), idleTimeout: idleTimeout)
    return Output(command: self, running: Running(child), source: source, idleTimeout: idleTimeout)
  }

  private func start(
    input: CInt, output: CInt? = nil, environment: [String: String] = [:], leadsGroup: Bool = false
  ) throws(ToolFailure) -> ChildProcess {
    do throws(SystemError) {
      return try ChildProcess(
        "/bin/sh", ["-c", text], input: input, output: output, environment: environment, leadsGroup: leadsGroup)
    } catch {
      throw ToolFailure(.failure, "cannot run the command \(text.escapedForDisplay(limit: 100)): \(error)")
    }
  }

  fileprivate func waitForEnd(of child: ChildProcess, atMost limit: Duration?) async throws {
    let timeout = limit.map { limit in
      Task {
        do { try await Task.sleep(for: limit) } catch { return false }
        await child.stop(within: Self.grace)
        return true
      }
    }
    let ending = await child.waitForEnd(stoppedWithin: Self.grace)
    timeout?.cancel()
    let isLate = await timeout?.value ?? false
    try Task.checkCancellation()
    if let limit, isLate { throw DropStreamError(.timedOut, "no data within \(limit)") }
    guard ending.exitCode == 0 else {
      throw ToolFailure(.failure, "the command \(text.escapedForDisplay(limit: 100)) failed: \(ending)")
    }
  }

  /// The time that a command has to end after each signal, before it gets the next signal.
  private static let grace = Duration.milliseconds(500)

  /// A running command, which is terminated when its output is no longer used.
  fileprivate final class Running: Sendable {
    let child: ChildProcess

    init(_ child: ChildProcess) {
      self.child = child
    }

    deinit {
      child.terminate()
    }
  }

  /// The output of a command.
  struct Output: AsyncSequence, Sendable {
    fileprivate let command: ShellCommand
    fileprivate let running: Running
    fileprivate let source: ChunkSource
    fileprivate let idleTimeout: Duration?

    func makeAsyncIterator() -> Iterator { Iterator(output: self) }

    struct Iterator: AsyncIteratorProtocol {
      fileprivate let output: Output

      mutating func next() async throws -> Data? {
        do {
          if let chunk = try await output.source.next() { return chunk }
          try await output.command.waitForEnd(of: output.running.child, atMost: output.idleTimeout)
          return nil
        } catch {
          // Nothing reads the output after an error, so the command must end too.
          await output.running.child.stop(within: ShellCommand.grace)
          throw error
        }
      }
    }
  }
}
