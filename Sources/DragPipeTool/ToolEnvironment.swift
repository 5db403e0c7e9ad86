// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// What a command sees of the world, so that a test can show it another one.
public struct ToolEnvironment: Sendable {
  /// The descriptor input comes from.
  public var input: CInt
  /// The descriptor data goes to.
  public var output: CInt
  /// The descriptor everything meant for people goes to.
  public var errors: CInt

  /// The process's own standard descriptors.
  public init(input: CInt = 0, output: CInt = 1, errors: CInt = 2) {
    self.input = input
    self.output = output
    self.errors = errors
  }

  /// Notes which descriptors this process was given: `fd:N` is none that it opens itself.
  ///
  /// To be called first of all.
  public static func noteInheritedDescriptors() {
    InheritedDescriptors.note()
  }

  /// Fills the numbers of standard descriptors that were closed with such as fail at every use.
  ///
  /// To be called before anything is opened: else the next descriptor that is opened for something else gets the number, and the
  /// stream is written into it.
  public static func reserveStandardDescriptors() {
    for descriptor in 0...2 as ClosedRange<CInt> where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Ends the process with one line where `/proc` does not show it.
  ///
  /// To be called before the first task and before the arguments are read: Swift reads them there, and libdispatch stops
  /// a process by an illegal instruction where it cannot read the status of its threads there.
  public static func requireProc() {
    guard !isShown(in: "/proc") else { return }
    ToolEnvironment().note("/proc does not show this process; it must be mounted, because Swift's tasks need it")
    exit(ToolExitCode.inputOutput.rawValue)
  }

  /// Whether a directory like `/proc` has what Swift and libdispatch read of a process.
  static func isShown(in folder: String) -> Bool {
    ["self/cmdline", "\(getpid())/stat"].allSatisfy { access("\(folder)/\($0)", R_OK) == 0 }
  }

  var inputIsTerminal: Bool { isatty(input) == 1 }
  var outputIsTerminal: Bool { isatty(output) == 1 }
  var errorsAreTerminal: Bool { isatty(errors) == 1 }

  /// Whether another program reads our output as it comes.
  var outputIsPipe: Bool { (try? SystemCalls.status(output))?.kind == .pipe }

  /// A descriptor of this process as a file.
  static func url(of descriptor: CInt) -> URL { URL(fileURLWithPath: "/proc/self/fd/\(descriptor)") }

  /// Standard input and output, for a session with whoever has started this process.
  func sessionEndpoint() throws(DropStreamError) -> DropEndpoint {
    if input == STDIN_FILENO, output == STDOUT_FILENO { return .standardIO }
    return .descriptors(input: try copy(input), output: try copy(output))
  }

  /// Standard input, as something a stream can be read from.
  func inputEndpoint() throws(DropStreamError) -> DropEndpoint { try endpoint(reading: input) }

  /// A descriptor of this process, as something a stream can be read from.
  func endpoint(reading descriptor: CInt) throws(DropStreamError) -> DropEndpoint {
    descriptor == STDIN_FILENO ? .standardInput : .descriptor(try copy(descriptor))
  }

  /// Standard output, as something a stream can be written to.
  func outputEndpoint() throws(DropStreamError) -> DropEndpoint {
    output == STDOUT_FILENO ? .standardOutput : .descriptor(try copy(output))
  }

  private func copy(_ descriptor: CInt) throws(DropStreamError) -> CInt {
    do throws(SystemError) {
      return try SystemCalls.duplicate(descriptor)
    } catch {
      throw DropStreamError(
        .systemCall, "cannot use descriptor \(descriptor): \(error)", errorNumber: error.errorNumber)
    }
  }

  /// Writes data for the next program.
  ///
  /// - Throws: `OutputClosed` when nobody reads, `systemCall` otherwise; `cancelled` however long a slow reader takes.
  func write(_ text: String) async throws {
    try await write(text.utf8)
  }

  /// Writes data for the next program.
  func write(_ bytes: some Collection<UInt8>) async throws {
    do throws(DropStreamError) {
      try await ChunkSink(.descriptor(try copy(output))).write(Array(bytes))
    } catch {
      if error.code == .peerGone { throw OutputClosed() }
      throw error
    }
  }

  /// Writes JSON, with what could act on a terminal escaped where it is one.
  func write(json: some Collection<UInt8>) async throws {
    if outputIsTerminal {
      try await write(String(decoding: json, as: UTF8.self).escapedInJSON)
    } else {
      try await write(json)
    }
  }

  /// Writes a line for people; what stops it, stops nobody else.
  func note(_ line: String) {
    let bytes = Array("dragpipe: \(line)\n".utf8)
    bytes.withUnsafeBytes { bytes in
      // The last thing a command does, and short: a terminal that is held up holds up nothing else.
      try? SystemCalls.writeAll(errors, bytes)
    }
  }
}

/// Whoever read our output has seen enough: no fault of anybody's, and nothing to talk about.
struct OutputClosed: Error, CustomStringConvertible {
  var description: String { "whoever read the output has seen enough" }
  /// What a shell reports of a process that SIGPIPE has ended.
  static let exitCode: Int32 = 141
}
