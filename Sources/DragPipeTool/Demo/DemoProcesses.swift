// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemCoding

/// The source and the destination of the demo: two child processes that run this program, joined by a pipe.
///
/// Both send their events as lines through one pipe to this process. Only this process writes to the terminal.
struct DemoProcesses: Sendable {
  /// The process identifiers of the source and the destination.
  struct Numbers: Encodable, Sendable {
    let source: Int32
    let destination: Int32
  }

  /// The time that a process has to end by itself, before it gets a signal.
  private static let grace = Duration.seconds(1)
  private static let ownPath = "/proc/self/exe"

  let events: DemoEvents
  private let source: ChildProcess
  private let destination: ChildProcess

  var numbers: Numbers {
    Numbers(source: source.processIdentifier, destination: destination.processIdentifier)
  }

  /// Runs both processes while `body` reads their events, then waits until both have ended.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation; leave it out.
  ///   - body: A closure that reads the events. It throws `DemoEvents.Silence` if expected events are missing.
  /// - Returns: The result of `body`, after both processes have ended successfully.
  /// - Throws: Errors of starting the processes; errors of `body`, after both processes have ended; `failure` if a
  ///   process failed, or if `body` threw `DemoEvents.Silence`.
  static func with<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (DemoProcesses) async throws -> Result
  ) async throws -> Result {
    let processes = try await start()
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
  private static func start() async throws -> DemoProcesses {
    let report = try SystemCalls.pipe()
    let reportEnd = OwnedDescriptor(report.write)
    let events = DemoEvents(try ChunkSource(.descriptor(report.read)))
    let pipe = try SystemCalls.pipe()
    let destinationEnd = OwnedDescriptor(pipe.read)
    let sourceEnd = OwnedDescriptor(pipe.write)
    // An interrupt from the terminal must reach only this process, which then ends both. If it also reached them, their
    // end could look like a failure, because it may be noticed before the interrupt.
    func child(_ role: DemoCommand.Child, input: CInt, output: CInt) throws(SystemError) -> ChildProcess {
      try ChildProcess(
        ownPath, ["demo", role.rawValue], input: input, output: output, errors: reportEnd.raw, leadsGroup: true)
    }
    let destination = try child(.destination, input: destinationEnd.raw, output: reportEnd.raw)
    do throws(SystemError) {
      // The source reads nothing, and must not read from the terminal.
      let nothing = try OwnedDescriptor.open("/dev/null", O_RDONLY)
      let source = try child(.source, input: nothing.raw, output: sourceEnd.raw)
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

/// The events that the demo's two processes send, in the order of arrival.
actor DemoEvents {
  /// The error that both processes ended before all expected events arrived.
  struct Silence: Error {}

  /// The maximum number of messages to keep.
  private static let remarkLimit = 3

  private var lines: ChunkSource?
  private var pending = Data()
  /// The first lines that are not events, escaped for display.
  ///
  /// They are error messages of the processes.
  private(set) var remarks: [String] = []

  init(_ lines: ChunkSource) {
    self.lines = lines
  }

  /// Returns the next event, or `nil` once both processes have closed the pipe, or after ``close()``.
  ///
  /// - Throws: `systemCall`; `cancelled` when the task is cancelled.
  func next() async throws -> DemoEvent? {
    while true {
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = pending[..<end]
        pending = pending[(end + 1)...]
        if let event = try? JSONDecoder().decode(DemoEvent.self, from: Data(line)) { return event }
        addRemark(String(decoding: line, as: UTF8.self))
      }
      guard let chunk = try await lines?.next() else { return nil }
      pending = Data(pending) + chunk
    }
  }

  /// Returns the next event, which must exist.
  ///
  /// - Throws: `Silence` at the end of the events; otherwise the errors of ``next()``.
  func expected() async throws -> DemoEvent {
    guard let event = try await next() else { throw Silence() }
    return event
  }

  /// Closes the pipe.
  ///
  /// A process that writes to it afterwards gets an error.
  func close() {
    lines = nil
  }

  private func addRemark(_ line: String) {
    guard !line.isEmpty, remarks.count < Self.remarkLimit else { return }
    remarks.append(line.trimmingPrefix("dragpipe: ").escapedForDisplay())
  }
}

/// An event that one of the two processes sends as a line of JSON.
enum DemoEvent: Codable, Sendable {
  /// The destination has received a hero or a card.
  case item(DemoReport.Item)
  /// The destination has verified the end of the stream.
  case verified(favourites: [String], columns: [DemoReport.Column])

  /// Sends the event to the process that the user started.
  func send(to environment: ToolEnvironment) async throws {
    // The kernel does not interleave a write of at most PIPE_BUF bytes with other writes.
    try await environment.write(try JSONOutput().text(self) + "\n")
  }
}
