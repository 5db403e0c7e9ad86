// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc

/// The two processes of a demo, which both run this program.
///
/// Both send events as lines through one pipe to this process, which alone writes to the terminal.
struct DemoProcesses: Sendable {
  /// The connection between the two.
  enum Joint {
    /// From the source's standard output to the destination's standard input.
    case pipe
    /// Between their standard inputs, both ways.
    case socket
  }

  /// The time that a process has to end after a request.
  private static let grace = Duration.seconds(1)
  private static let ownPath = "/proc/self/exe"

  let events: DemoEvents
  private let source: ChildProcess
  private let destination: ChildProcess

  var numbers: DemoProcessNumbers {
    DemoProcessNumbers(source: source.processIdentifier, destination: destination.processIdentifier)
  }

  /// Runs both processes while `body` reads their events, and waits for their ends.
  ///
  /// - Parameters:
  ///   - joint: The connection between them.
  ///   - options: The arguments between `demo` and the role.
  ///   - variables: Additional environment variables.
  ///   - isolation: The caller's isolation; leave it out.
  ///   - body: Reads events; throws `DemoEvents.Silence` if some are missing.
  /// - Returns: The result of `body`, once both have ended successfully.
  /// - Throws: Errors of `body`, once both have ended; `failure` if a process failed; `CancellationError` if the same
  ///   signal ended both.
  static func with<Result>(
    joinedBy joint: Joint, options: [String] = [], variables: [String: String] = [:],
    isolation: isolated (any Actor)? = #isolation, _ body: (DemoProcesses) async throws -> Result
  ) async throws -> Result {
    let processes = try await start(joint, options, variables)
    var result: Result?
    do {
      result = try await body(processes)
      // Messages, until both have ended.
      while try await processes.events.next() != nil {}
    } catch is DemoEvents.Silence {
      // The processes ended too early; their messages give the reason.
    } catch {
      await processes.end()
      throw error
    }
    let endings = await (processes.source.waitForEnd(), processes.destination.waitForEnd())
    // A signal to the process group may reach both before this process.
    if let signal = endings.0.signal, signal == endings.1.signal, [SIGINT, SIGTERM, SIGHUP].contains(signal) {
      throw CancellationError()
    }
    guard let result, endings.0.exitCode == 0, endings.1.exitCode == 0 else {
      let remarks = await processes.events.remarks.map { ": \($0)" }.joined()
      throw ToolFailure(
        .failure, "source process: \(endings.0); destination process: \(endings.1)\(remarks)")
    }
    return result
  }

  /// Starts both, and closes this process's copies of their descriptors; an open copy would hide their end.
  private static func start(
    _ joint: Joint, _ options: [String], _ variables: [String: String]
  ) async throws -> DemoProcesses {
    let report = try SystemCalls.pipe()
    let reportEnd = OwnedDescriptor(report.write)
    let events = DemoEvents(try ChunkSource(.descriptor(report.read)))
    let ends: (destination: CInt, source: CInt) = joint == .pipe ? try SystemCalls.pipe() : try SystemCalls.socketPair()
    let destinationEnd = OwnedDescriptor(ends.destination)
    let sourceEnd = OwnedDescriptor(ends.source)
    func child(_ role: DemoCommand.Child, input: CInt?, output: CInt) throws(SystemError) -> ChildProcess {
      try ChildProcess(
        ownPath, ["demo"] + options + [role.rawValue], input: input, output: output, errors: reportEnd.raw,
        environment: variables)
    }
    let destination = try child(.destination, input: destinationEnd.raw, output: reportEnd.raw)
    do throws(SystemError) {
      let isPipe = joint == .pipe
      // The source reads nothing here, and neither process gets the terminal.
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
  /// Closing their event pipe lets them end cleanly. A signal follows only after a delay: an interrupt from the
  /// terminal may have reached them already, and a second signal would end them at once.
  private func end() async {
    await events.close()
    async let ending = source.end(within: Self.grace)
    _ = await (ending, destination.end(within: Self.grace))
  }
}
