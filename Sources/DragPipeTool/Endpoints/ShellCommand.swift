// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// A command of the user's, run by the shell.
struct ShellCommand: Sendable {
  let text: String

  /// Runs the command to its end.
  ///
  /// Cancelling the task asks it to end, and then makes it.
  ///
  /// - Parameters:
  ///   - input: Its standard input.
  ///   - output: Its standard output; `nil` stands for ours.
  ///   - environment: What its environment has beside ours.
  /// - Throws: `failure` where it does not end with 0; `CancellationError`.
  func run(input: CInt, output: CInt? = nil, environment: [String: String]) async throws {
    let child = try start(input: input, output: output, environment: environment, leadsGroup: !ChildProcess.hasTerminal)
    try await waitForEnd(of: child, atMost: nil)
  }

  /// What the command writes, as it writes it; it has ended well when that ends without an error.
  ///
  /// - Parameter idleTimeout: The longest wait for more of it.
  /// - Returns: What is read as it comes.
  /// - Throws: Why it cannot be started.
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
      throw ToolFailure(.failure, "cannot run \(text.escapedForDisplay(limit: 100)): \(error)")
    }
  }

  fileprivate func waitForEnd(of child: ChildProcess, atMost limit: Duration?) async throws {
    let impatience = limit.map { limit in
      Task {
        do { try await Task.sleep(for: limit) } catch { return false }
        await child.stop(within: Self.grace)
        return true
      }
    }
    let ending = await child.waitForEnd(stoppedWithin: Self.grace)
    impatience?.cancel()
    let isLate = await impatience?.value ?? false
    try Task.checkCancellation()
    if let limit, isLate { throw DropStreamError(.timedOut, "nothing moved for \(limit)") }
    guard ending.exitCode == 0 else {
      throw ToolFailure(.failure, "\(text.escapedForDisplay(limit: 100)) has ended with \(ending)")
    }
  }

  /// How long a command that was asked to end may take.
  private static let grace = Duration.milliseconds(500)

  /// A command that ends when nobody wants its output any more.
  fileprivate final class Running: Sendable {
    let child: ChildProcess

    init(_ child: ChildProcess) {
      self.child = child
    }

    deinit {
      child.terminate()
    }
  }

  /// The bytes that a command writes.
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
          // Nobody reads any more, and it is not left behind.
          await output.running.child.stop(within: ShellCommand.grace)
          throw error
        }
      }
    }
  }
}
