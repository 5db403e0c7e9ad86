// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

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

  var inputIsTerminal: Bool { isatty(input) == 1 }
  var outputIsTerminal: Bool { isatty(output) == 1 }
  var errorsAreTerminal: Bool { isatty(errors) == 1 }

  /// Standard input, as something a stream can be read from.
  func inputEndpoint() throws(ToolFailure) -> DropEndpoint {
    input == STDIN_FILENO ? .standardInput : .descriptor(try copy(input))
  }

  /// Standard output, as something a stream can be written to.
  func outputEndpoint() throws(ToolFailure) -> DropEndpoint {
    output == STDOUT_FILENO ? .standardOutput : .descriptor(try copy(output))
  }

  private func copy(_ descriptor: CInt) throws(ToolFailure) -> CInt {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else {
      throw ToolFailure(.inputOutput, "descriptor \(descriptor): \(SystemError(errno, in: "fcntl"))")
    }
    return copy
  }

  /// Writes data for the next program.
  ///
  /// - Throws: `OutputClosed` when nobody reads, `inputOutput` otherwise.
  func write(_ text: String) throws {
    try write(text.utf8)
  }

  /// Writes data for the next program.
  func write(_ bytes: some Collection<UInt8>) throws {
    do throws(SystemError) {
      try write(Array(bytes), to: output)
    } catch {
      if error.errno == EPIPE { throw OutputClosed() }
      throw ToolFailure(.inputOutput, "cannot write: \(error)")
    }
  }

  /// Writes a line for people; what stops it, stops nobody else.
  func note(_ line: String) {
    try? write(Array("dragpipe: \(line)\n".utf8), to: errors)
  }

  private func write(_ bytes: [UInt8], to descriptor: CInt) throws(SystemError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try SystemCalls.writeAll(descriptor, bytes) }
    }
    try result.get()
  }
}

/// Whoever read our output has seen enough: no fault of anybody's, and nothing to talk about.
struct OutputClosed: Error {
  /// What a shell reports of a process that SIGPIPE has ended.
  static let exitCode: Int32 = 141
}
