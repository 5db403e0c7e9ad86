// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc

/// The two processes of a demonstration, each of which is this program again.
///
/// Nothing of theirs goes to the terminal but through this process: what they tell comes in lines of one pipe.
struct DemoProcesses: Sendable {
  /// What joins the two.
  enum Joint {
    /// From the source's standard output to the destination's standard input.
    case pipe
    /// Between their standard inputs, both ways.
    case socket
  }

  /// How long one that was told to end may take.
  private static let grace = Duration.seconds(1)
  private static let ownPath = "/proc/self/exe"

  let events: DemoEvents
  private let source: ChildProcess
  private let destination: ChildProcess

  var numbers: DemoProcessNumbers {
    DemoProcessNumbers(source: source.processIdentifier, destination: destination.processIdentifier)
  }

  /// Runs both while `body` listens to them, and waits for their ends.
  ///
  /// - Parameters:
  ///   - joint: What joins them.
  ///   - options: What stands between `demo` and the role on their command lines.
  ///   - variables: For their environment.
  ///   - isolation: The caller's; leave it out.
  ///   - body: Listens; throws `DemoEvents.Silence` where they have not told all.
  /// - Returns: What `body` returns, once both have ended well.
  /// - Throws: What `body` throws, once both have ended; `failure` where one of them has not ended well;
  ///   `CancellationError` where the same signal asked both to end.
  static func with<Result>(
    joinedBy joint: Joint, options: [String] = [], variables: [String: String] = [:],
    isolation: isolated (any Actor)? = #isolation, _ body: (DemoProcesses) async throws -> Result
  ) async throws -> Result {
    let processes = try await start(joint, options, variables)
    var result: Result?
    do {
      result = try await body(processes)
      // Their last words, and the ends of both.
      while try await processes.events.next() != nil {}
    } catch is DemoEvents.Silence {
      // They have ended too early, and say why.
    } catch {
      await processes.end()
      throw error
    }
    let endings = await (processes.source.waitForEnd(), processes.destination.waitForEnd())
    // A signal to the process group may reach both of them before this process.
    if let signal = endings.0.signal, signal == endings.1.signal, [SIGINT, SIGTERM, SIGHUP].contains(signal) {
      throw CancellationError()
    }
    guard let result, endings.0.exitCode == 0, endings.1.exitCode == 0 else {
      let remarks = await processes.events.remarks.map { ": \($0)" }.joined()
      throw ToolFailure(
        .failure, "the source ended with \(endings.0), the destination with \(endings.1)\(remarks)")
    }
    return result
  }

  /// Starts both, and closes our copies of the ends they use: else nobody would ever see an end.
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
      // It reads nothing then; our own standard input may be a terminal, which none of the two gets.
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

  /// Has both end before they are done.
  ///
  /// That nobody listens to them any more ends them in order. They are not sent a signal at once: an interrupt from the
  /// terminal has reached them already, and a second one would leave them no time.
  private func end() async {
    await events.close()
    async let ending = source.end(within: Self.grace)
    _ = await (ending, destination.end(within: Self.grace))
  }
}
