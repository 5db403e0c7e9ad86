// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc

/// The source and the destination of a demo: two child processes that run this program.
///
/// Both send their events as lines through one pipe to this process. Only this process writes to the terminal.
struct DemoProcesses: Sendable {
  /// The connection between the source and the destination.
  enum Joint {
    /// A pipe from the source's standard output to the destination's standard input.
    case pipe
    /// A socket, which is the standard input of both processes and carries data in both directions.
    case socket
  }

  /// The time that a process has to end by itself, before it gets a signal.
  private static let grace = Duration.seconds(1)
  private static let ownPath = "/proc/self/exe"

  let events: DemoEvents
  private let source: ChildProcess
  private let destination: ChildProcess

  var numbers: DemoProcessNumbers {
    DemoProcessNumbers(source: source.processIdentifier, destination: destination.processIdentifier)
  }

  /// Runs both processes while `body` reads their events, then waits until both have ended.
  ///
  /// - Parameters:
  ///   - joint: The connection between the processes.
  ///   - options: The arguments between `demo` and the role.
  ///   - variables: Additional environment variables for both processes.
  ///   - isolation: The caller's isolation; leave it out.
  ///   - body: A closure that reads the events. It throws `DemoEvents.Silence` if expected events are missing.
  /// - Returns: The result of `body`, after both processes have ended successfully.
  /// - Throws: Errors of starting the processes; errors of `body`, after both processes have ended; `failure` if a
  ///   process failed, or if `body` threw `DemoEvents.Silence`.
  static func with<Result>(
    joinedBy joint: Joint, options: [String] = [], variables: [String: String] = [:],
    isolation: isolated (any Actor)? = #isolation, _ body: (DemoProcesses) async throws -> Result
  ) async throws -> Result {
    let processes = try await start(joint, options, variables)
    var result: Result?
    do {
      result = try await body(processes)
      // Reads the remaining messages, until both processes have ended.
      while try await processes.events.next() != nil {}
    } catch is DemoEvents.Silence {
      // The processes ended too early; their messages give the reason.
    } catch {
      await processes.end()
      throw error
    }
    let endings = await (processes.source.waitForEnd(), processes.destination.waitForEnd())
    guard let result, endings.0.exitCode == 0, endings.1.exitCode == 0 else {
      let remarks = await processes.events.remarks.map { ": \($0)" }.joined()
      throw ToolFailure(
        .failure, "source process: \(endings.0); destination process: \(endings.1)\(remarks)")
    }
    return result
  }

  /// Starts both processes, then closes this process's copies of their descriptors.
  ///
  /// A process does not get the end of its input as long as another process has the writing end open.
  private static func start(
    _ joint: Joint, _ options: [String], _ variables: [String: String]
  ) async throws -> DemoProcesses {
    let report = try SystemCalls.pipe()
    let reportEnd = OwnedDescriptor(report.write)
    let events = DemoEvents(try ChunkSource(.descriptor(report.read)))
    let ends: (destination: CInt, source: CInt) = joint == .pipe ? try SystemCalls.pipe() : try SystemCalls.socketPair()
    let destinationEnd = OwnedDescriptor(ends.destination)
    let sourceEnd = OwnedDescriptor(ends.source)
    // An interrupt from the terminal must reach only this process, which then ends both. If it also reached them, their
    // end could look like a failure, because it may be noticed before the interrupt.
    func child(_ role: DemoCommand.Child, input: CInt?, output: CInt) throws(SystemError) -> ChildProcess {
      try ChildProcess(
        ownPath, ["demo"] + options + [role.rawValue], input: input, output: output, errors: reportEnd.raw,
        environment: variables, leadsGroup: true)
    }
    let destination = try child(.destination, input: destinationEnd.raw, output: reportEnd.raw)
    do throws(SystemError) {
      let isPipe = joint == .pipe
      // In a pipe demo the source reads nothing. Neither process may read from the terminal.
      let nothing = try OwnedDescriptor.open("/dev/null", O_RDONLY)
      let source = try child(
        .source, input: isPipe ? nothing.raw : sourceEnd.raw, output: isPipe ? sourceEnd.raw : reportEnd.raw)
      return DemoProcesses(events: events, source: source, destination: destination)
    } catch {
      destination.terminate()
      _ = await destination.waitForEnd()
      throw error
    }
  }

  /// Ends both processes early.
  ///
  /// A process ends cleanly when it finds its event pipe closed. It gets a signal only if it runs for another second.
  private func end() async {
    await events.close()
    async let ending = source.end(within: Self.grace)
    _ = await (ending, destination.end(within: Self.grace))
  }
}
