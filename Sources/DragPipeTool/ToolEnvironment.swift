// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemCoding
internal import ItemTransfer

/// The descriptors that a command uses, which tests can replace.
public struct ToolEnvironment: Sendable {
  /// The descriptor for input.
  public var input: CInt
  /// The descriptor for data.
  public var output: CInt
  /// The descriptor for messages.
  public var errors: CInt

  /// Creates an environment, by default with the standard descriptors of the process.
  public init(input: CInt = 0, output: CInt = 1, errors: CInt = 2) {
    self.input = input
    self.output = output
    self.errors = errors
  }

  /// Records the descriptors that this process inherited, for `fd:N`.
  ///
  /// Call this before anything else.
  public static func noteInheritedDescriptors() {
    InheritedDescriptors.note()
  }

  /// Opens each closed standard descriptor so that any use of it fails.
  ///
  /// Otherwise, a file could get the number of a standard descriptor, and output would overwrite that file. Call this
  /// before any file is opened.
  public static func reserveStandardDescriptors() {
    for descriptor in 0...2 as ClosedRange<CInt> where !SystemCalls.isOpen(descriptor) {
      _ = try? SystemCalls.openInheritable("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Ends the process with a message if `/proc` does not show this process.
  ///
  /// Swift reads the arguments from `/proc`. libdispatch reads the status of its threads there, and crashes if that
  /// fails. Call this before the first task and before the arguments are read.
  public static func requireProc() {
    guard !isShown(in: "/proc") else { return }
    ToolEnvironment().note("/proc does not show this process; mount /proc, which Swift's runtime needs")
    exit(ToolExitCode.inputOutput.rawValue)
  }

  /// Whether a directory such as `/proc` contains the files that Swift and libdispatch read.
  static func isShown(in folder: String) -> Bool {
    ["self/cmdline", "\(getpid())/stat"].allSatisfy { SystemCalls.canRead("\(folder)/\($0)") }
  }

  var inputIsTerminal: Bool { SystemCalls.isTerminal(input) }
  var outputIsTerminal: Bool { SystemCalls.isTerminal(output) }
  var errorsAreTerminal: Bool { SystemCalls.isTerminal(errors) }

  /// Whether output goes to a pipe.
  var outputIsPipe: Bool { (try? SystemCalls.status(output))?.kind == .pipe }

  /// Returns the URL of a descriptor of this process.
  static func url(of descriptor: CInt) -> URL { URL(fileURLWithPath: "/proc/self/fd/\(descriptor)") }

  /// Returns standard input and output as the endpoint of a session.
  func sessionEndpoint() throws(DropStreamError) -> DropEndpoint {
    if input == STDIN_FILENO, output == STDOUT_FILENO { return .standardIO }
    return .descriptors(input: try copy(input), output: try copy(output))
  }

  /// Returns standard input as the endpoint of a stream to read.
  func inputEndpoint() throws(DropStreamError) -> DropEndpoint { try endpoint(reading: input) }

  /// Returns a descriptor of this process as the endpoint of a stream to read.
  func endpoint(reading descriptor: CInt) throws(DropStreamError) -> DropEndpoint {
    descriptor == STDIN_FILENO ? .standardInput : .descriptor(try copy(descriptor))
  }

  /// Returns standard output as the endpoint of a stream to write.
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

  /// Writes text to the output.
  ///
  /// - Throws: `OutputClosed` if the reader has closed the output; `systemCall`; `cancelled`.
  func write(_ text: String) async throws {
    try await write(text.utf8)
  }

  /// Writes bytes to the output.
  ///
  /// - Throws: `OutputClosed` if the reader has closed the output; `systemCall`; `cancelled`.
  func write(_ bytes: some Collection<UInt8>) async throws {
    do throws(DropStreamError) {
      try await ChunkSink(.descriptor(try copy(output))).write(Array(bytes))
    } catch {
      if error.code == .peerGone { throw OutputClosed() }
      throw error
    }
  }

  /// Writes JSON to the output.
  ///
  /// Control characters are escaped if the output is a terminal.
  func write(json: some Collection<UInt8>) async throws {
    if outputIsTerminal {
      try await write(String(decoding: json, as: UTF8.self).escapedInJSON)
    } else {
      try await write(json)
    }
  }

  /// Writes a message to ``errors``; write errors are ignored.
  func note(_ line: String) {
    let bytes = Array("dragpipe: \(line)\n".utf8)
    bytes.withUnsafeBytes { bytes in
      // The call may block: messages are short, and usually are the last output of a command.
      try? SystemCalls.writeAll(errors, bytes)
    }
  }
}

/// The error that the reader has closed the output, as `head` does.
///
/// The command then ends without a message.
struct OutputClosed: Error, CustomStringConvertible {
  var description: String { "the reader of the output has closed it" }
  /// The exit code that a shell reports for a process that SIGPIPE has ended.
  static let exitCode: Int32 = 141
}

/// An encoder of JSON with sorted keys, unescaped slashes, and escaped control characters.
struct JSONOutput: Sendable {
  private let encoder: JSONEncoder

  /// - Parameter isPretty: Whether to write each value on its own line.
  init(isPretty: Bool = false) {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
  }

  /// Returns a value as JSON, without a newline at the end.
  ///
  /// - Throws: Errors of encoding the value, and `EncodingError` for numbers that JSON does not support.
  func text(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self).escapedInJSON
  }
}
