// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// The source or destination of a drop stream.
public struct DropEndpoint: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case standardInput
    case standardOutput
    case descriptor(CInt)
    case file(String, replaces: Bool, isDurable: Bool)
    case unixSocket(String)
    case pair(input: CInt, output: CInt)
    case process([String])
    case standardIO
  }

  let kind: Kind

  /// This process's standard input, which stays open.
  public static let standardInput = DropEndpoint(kind: .standardInput)

  /// This process's standard output.
  ///
  /// After the stream has ended, standard output is `/dev/null`: the reader sees the end, and later output cannot
  /// follow the stream.
  public static let standardOutput = DropEndpoint(kind: .standardOutput)

  /// Returns an endpoint for an open descriptor, such as the end of a pipe, a socket or a file.
  ///
  /// The stream owns the descriptor and closes it. A session over a local socket to a process of the same user also
  /// offers representations that only a team or a group may see.
  public static func descriptor(_ descriptor: CInt) -> DropEndpoint {
    DropEndpoint(kind: .descriptor(descriptor))
  }

  /// Returns an endpoint for a file that holds a drop stream; by convention its name ends in `.drop`.
  ///
  /// A new file has an index (``DropFile``), and gets its name when it is complete. If writing fails, an older file of
  /// that name is unchanged.
  ///
  /// A file that replaces another is flushed to the disk first, so a power failure does not lose both. A file with a
  /// new name is flushed only if `durable` is set, as with `cp`. A power failure soon after may leave it truncated,
  /// empty or missing. Every reader rejects a truncated or empty file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - replacing: Whether a new file may replace a regular file. Any other existing file, such as a symbolic link,
  ///     causes the error `alreadyExists`. Streams are never appended to a file.
  ///   - durable: Whether the content and the name are flushed to the disk before
  ///     ``DropStream/withWriter(to:options:isolation:_:)`` returns. They then survive a crash of the machine if the
  ///     disk keeps acknowledged writes.
  /// - Returns: The endpoint, which is not opened yet.
  public static func file(_ path: String, replacing: Bool = false, durable: Bool = false) -> DropEndpoint {
    DropEndpoint(kind: .file(path, replaces: replacing, isDurable: durable))
  }

  /// Returns an endpoint for a local socket of a listener (``DropListener``).
  ///
  /// The listener must be a process of the same user. A session can pass open files, and also offers representations
  /// that only a team or a group may see.
  ///
  /// - Parameter path: The path of the socket, up to 107 bytes.
  /// - Returns: The endpoint, which is not opened yet.
  public static func unixSocket(_ path: String) -> DropEndpoint {
    DropEndpoint(kind: .unixSocket(path))
  }

  /// Returns an endpoint for a named socket in the directory for this user's sockets.
  ///
  /// - Parameter name: A file name.
  /// - Returns: The endpoint `$XDG_RUNTIME_DIR/dragpipe/NAME`. If that variable is not an absolute path, the socket is
  ///   in a directory of this user within `/tmp`.
  public static func unixSocket(named name: String) -> DropEndpoint {
    .unixSocket(RuntimeDirectory.path + "/" + name)
  }

  /// Returns an endpoint for a pair of pipes, or other descriptors, for a session.
  ///
  /// The session owns the descriptors and closes them.
  ///
  /// - Parameters:
  ///   - input: The descriptor to read.
  ///   - output: The descriptor to write.
  /// - Returns: The endpoint.
  public static func descriptors(input: CInt, output: CInt) -> DropEndpoint {
    DropEndpoint(kind: .pair(input: input, output: output))
  }

  /// Returns an endpoint for a program that is started for the transfer, for example to reach another machine.
  ///
  /// A session uses the standard output and input of the program. A stream to the program is its input, and is complete
  /// only if the program exits with 0. A stream from the program is its output.
  ///
  /// ```swift
  /// try await DropStream.withSession(over: .process(["ssh", "host", "dragpipe", "receive", "--from", "stdio:"])) { … }
  /// ```
  ///
  /// At the end, the input of the program is closed. A program that does not exit then receives SIGTERM, and later
  /// SIGKILL. After a complete stream to the program, this process waits for it without limit instead. If this process
  /// has no controlling terminal, the program leads a process group, and the signals reach the group.
  ///
  /// - Parameter command: The program, which is searched in `PATH`, and its arguments. No shell interprets them.
  /// - Returns: The endpoint, which is not started yet.
  /// - Precondition: `command` is not empty.
  public static func process(_ command: [String]) -> DropEndpoint {
    precondition(!command.isEmpty, "no program")
    return DropEndpoint(kind: .process(command))
  }

  /// This process's standard input and output, for a session with the process that holds their other ends.
  public static let standardIO = DropEndpoint(kind: .standardIO)

  /// The descriptor that stands for the current directory in `openat` and similar calls.
  package static let currentDirectory: CInt = AT_FDCWD

  /// Returns the descriptor of this process that a path stands for, or `nil`.
  ///
  /// Opening the path instead would start a file at its beginning, and fails for a socket.
  package static func descriptor(at path: String) -> CInt? {
    if path == "/dev/stdin" { return STDIN_FILENO }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      return CInt(path.dropFirst(folder.count))
    }
    return nil
  }

  var isFile: Bool {
    if case .file = kind { true } else { false }
  }

  /// Returns the temporary file that becomes the file of the endpoint; `nil` for other endpoints.
  func staged() throws(DropStreamError) -> StagedOutput? {
    guard case .file(let path, let replaces, let isDurable) = kind else { return nil }
    return try StagedOutput(path, replaces: replaces, isDurable: isDurable)
  }

  /// Opens the endpoint for one direction.
  ///
  /// `access` is `O_RDONLY` or `O_WRONLY`. A file can only be opened for reading: ``staged()`` creates files. A program
  /// cannot be opened: ``StreamProgram`` starts it.
  ///
  /// - Throws: `sourceUnavailable` or `destinationUnavailable`; `wrongUser` if the peer of a socket runs as another
  ///   user.
  func open(access: CInt) throws(DropStreamError) -> OwnedDescriptor {
    do throws(SystemError) {
      let descriptor = try openNow(access: access)
      if try SystemCalls.status(descriptor.raw).kind == .directory { throw SystemError(EISDIR, in: "open") }
      return descriptor
    } catch {
      throw failure(error, access: access)
    }
  }

  /// Connects to a socket, and waits while the listener's queue is full.
  ///
  /// - Parameters:
  ///   - access: `O_RDONLY` or `O_WRONLY`.
  ///   - limit: The longest wait; `nil` waits without limit.
  /// - Returns: The endpoint of the connection; this endpoint if it is not the path of a socket.
  /// - Throws: `timedOut`, `cancelled`, and the errors of ``open(access:)``.
  func connected(access: CInt, within limit: Duration?) async throws(DropStreamError) -> DropEndpoint {
    guard case .unixSocket(let path) = kind else { return self }
    let socket = try await LocalSocket.waitForRoom(of: self, atMost: limit) { () throws(DropStreamError) -> CInt? in
      do throws(SystemError) {
        return try LocalSocket.connect(path).socket
      } catch {
        if error == LocalSocket.noRoom { return nil }
        throw failure(error, access: access)
      }
    }
    return .descriptor(socket)
  }

  private func failure(_ error: SystemError, access: CInt) -> DropStreamError {
    let unavailable: DropStreamError.Code = access == O_RDONLY ? .sourceUnavailable : .destinationUnavailable
    let code = error == LocalSocket.wrongUser ? .wrongUser : unavailable
    return DropStreamError(code, "cannot open \(description)", error)
  }

  private func openNow(access: CInt) throws(SystemError) -> OwnedDescriptor {
    switch kind {
    case .standardInput: OwnedDescriptor(try SystemCalls.duplicate(STDIN_FILENO))
    case .standardOutput: OwnedDescriptor(try SystemCalls.duplicate(STDOUT_FILENO))
    case .descriptor(let descriptor): OwnedDescriptor(descriptor)
    // A FIFO without a writer must not block a thread in `open`.
    case .file(let path, _, _): try .open(path, O_RDONLY | O_NONBLOCK)
    case .unixSocket(let path): OwnedDescriptor(try LocalSocket.connect(path).socket)
    case .pair(let input, let output):
      OwnedDescriptor(Self.keep(access == O_RDONLY ? input : output, closing: access == O_RDONLY ? output : input))
    case .standardIO: OwnedDescriptor(try SystemCalls.duplicate(access == O_RDONLY ? STDIN_FILENO : STDOUT_FILENO))
    case .process: throw SystemError(EOPNOTSUPP, in: "open")
    }
  }

  private static func keep(_ kept: CInt, closing other: CInt) -> CInt {
    try? SystemCalls.close(other)
    return kept
  }

  /// Replaces standard output by `/dev/null`, so that the peer sees the end: the stream has closed only a copy of it.
  func closeForPeer() {
    guard kind == .standardOutput || kind == .standardIO,
      let null = try? OwnedDescriptor.open("/dev/null", O_WRONLY)
    else { return }
    try? SystemCalls.duplicate(null.raw, onto: STDOUT_FILENO)
  }
}

extension DropEndpoint: CustomStringConvertible {
  /// The name of the endpoint in messages.
  public var description: String {
    switch kind {
    case .standardInput: "standard input"
    case .standardOutput: "standard output"
    case .descriptor(let descriptor): "descriptor \(descriptor)"
    case .file(let path, _, _), .unixSocket(let path): path.escapedForDisplay()
    case .pair(let input, let output): "descriptors \(input) and \(output)"
    case .process(let command): command[0].escapedForDisplay()
    case .standardIO: "standard input and output"
    }
  }
}

/// The program at the other end of a one-way stream, if the endpoint is a program.
///
/// The stream is the standard input or output of the program. A program that writes the stream has an empty input. A
/// program that reads the stream inherits this process's output.
struct StreamProgram: Sendable {
  private let child: ChildProcess?
  /// The endpoint of the stream: the pipe to or from the program, the connection, or the original endpoint.
  let endpoint: DropEndpoint

  /// Starts the program, or connects to the socket.
  ///
  /// - Parameters:
  ///   - endpoint: An endpoint, which need not be a program.
  ///   - access: `O_WRONLY` for a program that reads the stream, `O_RDONLY` for a program that writes it.
  ///   - limit: The longest wait for a socket's listener; `nil` waits without limit.
  /// - Throws: `destinationUnavailable` or `sourceUnavailable` if the program cannot be started; the errors of
  ///   ``DropEndpoint/connected(access:within:)``.
  init(_ endpoint: DropEndpoint, access: CInt, within limit: Duration?) async throws(DropStreamError) {
    guard case .process(let command) = endpoint.kind else {
      (child, self.endpoint) = (nil, try await endpoint.connected(access: access, within: limit))
      return
    }
    do throws(SystemError) {
      let pipe = try SystemCalls.pipe()
      let read = OwnedDescriptor(pipe.read)
      let write = OwnedDescriptor(pipe.write)
      let arguments = Array(command.dropFirst())
      let leadsGroup = !ChildProcess.hasTerminal
      if access == O_WRONLY {
        child = try ChildProcess(command[0], arguments, input: read.raw, leadsGroup: leadsGroup)
        self.endpoint = .descriptor(write.release())
      } else {
        let nothing = try OwnedDescriptor.open("/dev/null", O_RDONLY)
        child = try ChildProcess(
          command[0], arguments, input: nothing.raw, output: write.raw, leadsGroup: leadsGroup)
        self.endpoint = .descriptor(read.release())
      }
    } catch {
      throw DropStreamError(
        access == O_WRONLY ? .destinationUnavailable : .sourceUnavailable, "cannot start \(endpoint)", error)
    }
  }

  /// Waits without limit for the program to end, after the complete stream was written to it.
  ///
  /// - Throws: `peerGone` if the exit status is not 0, since nothing else acknowledges the stream; `cancelled` if the
  ///   task is cancelled, which stops the program.
  func succeed(isolation: isolated (any Actor)? = #isolation) async throws(DropStreamError) {
    guard let child else { return }
    let ending = await child.waitForEnd(stoppedWithin: ChildProcess.defaultGrace)
    if Task.isCancelled { throw .cancelled }
    guard ending.exitCode == 0 else { throw ending.failure(nil) }
  }

  /// Waits for the program to end after an error, and stops it if it does not end soon.
  ///
  /// - Returns: The error, or the failure of the program if that may be its cause.
  func fail(with error: any Error, isolation: isolated (any Actor)? = #isolation) async -> any Error {
    guard let known = error as? DropStreamError else {
      await end()
      return error
    }
    return await fail(with: known)
  }

  func fail(with error: DropStreamError, isolation: isolated (any Actor)? = #isolation) async -> DropStreamError {
    guard let child else { return error }
    let ending = await child.end()
    guard ending.exitCode != 0, [.peerGone, .truncated, .empty].contains(error.code) else { return error }
    return ending.failure(error)
  }

  /// Waits for a program that is no longer needed, and stops it if it does not end soon.
  func end(isolation: isolated (any Actor)? = #isolation) async {
    _ = await child?.end()
  }
}

extension ChildProcess.Ending {
  /// Returns the ending as the error of a stream or session.
  ///
  /// - Parameter cause: The error that was noticed first, if any.
  /// - Returns: The code is `peerGone`; the underlying error is the cause.
  func failure(_ cause: DropStreamError?) -> DropStreamError {
    let hint = exitCode == 127 ? ": a program was not found" : ""
    return DropStreamError(.peerGone, "the command has ended with \(self)\(hint)", underlyingError: cause)
  }
}
