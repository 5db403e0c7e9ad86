// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import ItemTransfer

/// Where a drop goes to or comes from, as it is written on the command line.
enum EndpointArgument: Sendable, Hashable {
  /// `-`: standard output of a sender, standard input of a receiver; one way.
  case standard
  /// A path that ends in `.drop`.
  case file(String)
  /// `unix:PATH`: a sender listens there, a receiver connects.
  case socket(String)
  /// `fd:N`: a session where that is a socket, else one way.
  case descriptor(CInt)
  /// `exec:COMMAND`: a session with a command of the shell, through its standard input and output.
  case command(String)
  /// `stdio:`: the other end of that.
  case standardIO

  static let summary = "-, FILE.drop, unix:PATH, fd:N, exec:COMMAND or stdio:"

  /// - Parameters:
  ///   - text: What was typed; `nil` stands for `-`.
  ///   - option: Which option it stood behind.
  /// - Throws: `usage`.
  init(_ text: String?, of option: String) throws(ToolFailure) {
    guard let text, text != "-" else {
      self = .standard
      return
    }
    if text == "unix:" { throw ToolFailure(.usage, "--\(option) unix: has no path; is a variable behind it empty?") }
    // By bytes: a path may begin with a mark that would be one character with the colon before it.
    func rest(_ prefix: String) -> String? {
      text.utf8.starts(with: prefix.utf8) ? String(Substring(text.utf8.dropFirst(prefix.utf8.count))) : nil
    }
    if let path = rest("unix:") {
      self = .socket(path)
    } else if let number = rest("fd:").flatMap({ CInt($0) }), number >= 0 {
      self = .descriptor(number)
    } else if let command = rest("exec:"), command.contains(where: { !$0.isWhitespace }) {
      self = .command(command)
    } else if text == "stdio:" {
      self = .standardIO
    } else if text.hasSuffix(".drop"), text != ".drop" {
      self = .file(text)
    } else {
      throw ToolFailure(.usage, "--\(option) takes \(Self.summary), not \(text.shownAsOperand)")
    }
  }

  /// Whether the other side can be asked, and can answer.
  var isTwoWay: Bool {
    switch self {
    case .standard, .file: false
    case .socket, .command, .standardIO: true
    case .descriptor(let number): (try? SystemCalls.status(number))?.kind == .socket
    }
  }

  /// Whether it is a file by its path.
  var isPath: Bool {
    if case .file = self { true } else { false }
  }

  /// Whether a stream would end, or begin, at a person's terminal, where `-` stands for the descriptor `standard`.
  func isTerminal(standard: CInt) -> Bool {
    switch self {
    case .standard: isatty(standard) == 1
    case .descriptor(let number): isatty(number) == 1
    case .file, .socket, .command, .standardIO: false
    }
  }

  /// The regular file that a stream is read from or written to, where `-` stands for the descriptor `standard`.
  func file(standard: CInt) -> FileStatus? {
    let status: FileStatus? =
      switch self {
      case .standard: try? SystemCalls.status(standard)
      case .file(let path): try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
      case .descriptor(let number): try? SystemCalls.status(number)
      case .socket, .command, .standardIO: nil
      }
    return status?.kind == .regular ? status : nil
  }

  /// Whether the other side of a session is at one of our standard descriptors, which then is of no other use.
  func occupies(_ descriptor: CInt) -> Bool {
    switch self {
    case .standard, .file, .socket, .command: false
    case .standardIO: true
    case .descriptor(descriptor): true
    case .descriptor(let number):
      if let status = try? SystemCalls.status(number), status.kind == .socket,
        let other = try? SystemCalls.status(descriptor)
      {
        // One socket for both directions, as a server's parent hands it down.
        status.isSameFile(as: other)
      } else {
        false
      }
    }
  }

  /// Holds a session with the other side.
  ///
  /// - Parameters:
  ///   - environment: Where standard input and output are.
  ///   - options: For the session.
  ///   - body: Holds it.
  /// - Returns: What `body` returns.
  /// - Throws: As `DropStream.withSession`, but `peerGone` where nobody is there.
  func withSession<Result>(
    _ environment: ToolEnvironment, options: DropStreamOptions, _ body: (DropSession) async throws -> Result
  ) async throws -> Result {
    // What fails within the session is of files, not of the other side.
    var hasBegun = false
    do {
      return try await DropStream.withSession(over: session(environment), options: options) { session in
        hasBegun = true
        return try await body(session)
      }
    } catch let error as DropStreamError where !hasBegun {
      switch error.code {
      case .sourceUnavailable, .destinationUnavailable: throw ToolFailure(.peerGone, error.description)
      case .timedOut: throw ToolFailure(.timedOut, "\(error); --timeout allows more")
      case .unsupported where error.reason == DropStreamError.oneWayStreamFound:
        throw ToolFailure(.unsupported, "\(error.reason): it needs --to stdio: or --from stdio:")
      default: throw error
      }
    }
  }

  /// Reads a one-way stream, and names the file or the option that an error of the stream is about.
  ///
  /// - Parameters:
  ///   - environment: Where standard input is.
  ///   - read: Reads the stream.
  /// - Returns: What `read` returns.
  /// - Throws: What `read` throws.
  func reading<Result>(
    _ environment: ToolEnvironment, _ read: (DropEndpoint) async throws -> Result
  ) async throws -> Result {
    do {
      return try await read(input(environment))
    } catch let error as DropStreamError where error.byteOffset != nil {
      if case .file(let path) = self { throw ToolFailure(error, in: path) }
      guard error.reason == DropStreamError.sessionFound else { throw error }
      throw ToolFailure(.unsupported, "the sender expects responses: use --from stdio:")
    }
  }

  /// For a session.
  ///
  /// - Throws: `usage` where standard input and output would be a terminal.
  private func session(_ environment: ToolEnvironment) throws -> DropEndpoint {
    switch self {
    case .socket(let path): return .unixSocket(path)
    case .command(let command): return .process(["/bin/sh", "-c", command])
    case .descriptor(let number): return .descriptor(try owned(number))
    case .standardIO, .standard, .file:
      guard !environment.inputIsTerminal, !environment.outputIsTerminal else {
        throw ToolFailure(.usage, "stdio: is for a program that another one has started, not for a terminal")
      }
      return try environment.sessionEndpoint()
    }
  }

  /// For a stream that is read.
  private func input(_ environment: ToolEnvironment) throws -> DropEndpoint {
    switch self {
    case .file(let path): .file(path)
    case .descriptor(let number): .descriptor(try owned(number))
    default: try environment.inputEndpoint()
    }
  }

  /// For a stream that is written.
  ///
  /// - Parameters:
  ///   - environment: Where output goes.
  ///   - replacing: Whether a file may take the place of another one.
  ///   - durable: Whether a file is flushed to the disk.
  /// - Returns: The endpoint; only descriptors are open.
  /// - Throws: `cannotCreate` for a descriptor that is not.
  func output(_ environment: ToolEnvironment, replacing: Bool, durable: Bool) throws -> DropEndpoint {
    switch self {
    case .file(let path): .file(path, replacing: replacing, durable: durable)
    case .descriptor(let number): .descriptor(try owned(number, otherwise: .cannotCreate))
    default: try environment.outputEndpoint()
    }
  }

  /// The descriptor, which whoever gives it to us has opened for us alone.
  private func owned(_ number: CInt, otherwise exitCode: ToolExitCode = .noInput) throws(ToolFailure) -> CInt {
    do throws(SystemError) {
      _ = try SystemCalls.status(number)
      // What is closed at an exec cannot have been handed to us, either: it is something of our own.
      let isOurs = try SystemCalls.closesOnExec(number) || !InheritedDescriptors.contains(number)
      if isOurs, number > STDERR_FILENO { throw SystemError(EBADF, in: "fstat") }
      // Ours stays what it is: standard streams are used for other things, too.
      return try SystemCalls.duplicate(number)
    } catch {
      throw ToolFailure(exitCode, "cannot use descriptor \(number): \(error)")
    }
  }
}

extension FileStatus {
  /// Whether a path leads to the same file now.
  func isFile(named path: String) -> Bool {
    (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path))?.isSameFile(as: self) == true
  }
}
