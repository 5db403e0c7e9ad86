// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import Glibc
internal import ItemCoding
internal import ItemTransfer

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

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
    let child = try start(input: input, output: output, environment: environment)
    try await waitForEnd(of: child)
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
    // What it starts in its turn would else go on, writing for nobody.
    let child = try start(input: null.raw, output: write.raw, leadsGroup: true)
    let source = try ChunkSource(.descriptor(read.release()), idleTimeout: idleTimeout)
    return Output(command: self, child: child, source: source)
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

  fileprivate func waitForEnd(of child: ChildProcess) async throws {
    let ending = await withTaskCancellationHandler {
      await child.waitForEnd()
    } onCancel: {
      Task { _ = await child.end(within: .milliseconds(500)) }
      child.terminate()
    }
    try Task.checkCancellation()
    guard ending.exitCode == 0 else {
      throw ToolFailure(.failure, "\(text.escapedForDisplay(limit: 100)) has ended with \(ending)")
    }
  }

  /// The bytes that a command writes.
  struct Output: AsyncSequence, Sendable {
    fileprivate let command: ShellCommand
    fileprivate let child: ChildProcess
    fileprivate let source: ChunkSource

    func makeAsyncIterator() -> Iterator { Iterator(output: self) }

    struct Iterator: AsyncIteratorProtocol {
      fileprivate let output: Output

      mutating func next() async throws -> Data? {
        do {
          if let chunk = try await output.source.next() { return chunk }
          try await output.command.waitForEnd(of: output.child)
          return nil
        } catch {
          // Nobody reads any more, and nobody waits for it.
          output.child.terminate()
          throw error
        }
      }
    }
  }
}
