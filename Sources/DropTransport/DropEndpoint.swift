// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Where a drop stream goes to or comes from.
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
  /// Once the stream has ended it leads to `/dev/null`, so that the reader sees the end and nothing printed later can
  /// follow it.
  public static let standardOutput = DropEndpoint(kind: .standardOutput)

  /// An open descriptor: a pipe's end, a socket, a file.
  ///
  /// The stream takes it over and closes it. A session through a socket of this machine, whose other end a process of the
  /// same user has made, offers also what only a team or a group may see.
  public static func descriptor(_ descriptor: CInt) -> DropEndpoint {
    DropEndpoint(kind: .descriptor(descriptor))
  }

  /// A file that holds a drop stream: by custom its name ends in `.drop`.
  ///
  /// A file that is written has an index as well (``DropFile``), and gets its name when it is whole: whatever goes
  /// wrong before, nothing has that name, or what had it still does. What takes the place of another file is on the
  /// disk before it does, so that a power failure does not cost both. A file with a new name is left to the system as
  /// `cp` leaves it unless `durable` is set: a power failure soon after may leave it truncated, empty or missing. Every
  /// reader refuses a truncated or empty one.
  ///
  /// - Parameters:
  ///   - path: Where the file is, or will be.
  ///   - replacing: Whether what is written may take the place of a regular file that is there. Whatever else is there
  ///     stays, also a symbolic link, and is the error `alreadyExists`. Nothing is ever added to a file.
  ///   - durable: Whether what is written is flushed to the disk, with its name, before the writer ends: it survives a
  ///     crash of the machine then, as far as the disk keeps what it has acknowledged.
  /// - Returns: The endpoint; nothing is opened yet.
  public static func file(_ path: String, replacing: Bool = false, durable: Bool = false) -> DropEndpoint {
    DropEndpoint(kind: .file(path, replaces: replacing, isDurable: durable))
  }

  /// A socket of this machine that somebody listens at (``DropListener``).
  ///
  /// Only a process of the same user is talked to. A session through it can hand over open files, and offers also what
  /// only a team or a group may see.
  ///
  /// - Parameter path: Where it is, up to 107 bytes.
  /// - Returns: The endpoint; nothing is opened yet.
  public static func unixSocket(_ path: String) -> DropEndpoint {
    DropEndpoint(kind: .unixSocket(path))
  }

  /// A socket with a name, in the directory that the system has for this user's sockets.
  ///
  /// - Parameter name: A file name.
  /// - Returns: The endpoint, `$XDG_RUNTIME_DIR/dragpipe/NAME`; without that variable, a directory of this user's in
  ///   the one for temporary files.
  public static func unixSocket(named name: String) -> DropEndpoint {
    .unixSocket(RuntimeDirectory.path + "/" + name)
  }

  /// A pair of pipes, or other descriptors, for a session.
  ///
  /// The session takes them over and closes them.
  ///
  /// - Parameters:
  ///   - input: To be read.
  ///   - output: To be written.
  /// - Returns: The endpoint.
  public static func descriptors(input: CInt, output: CInt) -> DropEndpoint {
    DropEndpoint(kind: .pair(input: input, output: output))
  }

  /// A program, which is started for it: how a drop crosses to another machine.
  ///
  /// A session talks to its standard output and input. A stream that is written is its input, and has arrived when the
  /// program has ended well, too; a stream that is read is its output.
  ///
  /// ```swift
  /// try await DropStream.withSession(over: .process(["ssh", "host", "dragpipe", "receive", "--from", "stdio:"])) { … }
  /// ```
  ///
  /// The program is told by the end of its input that there is no more; one that then does not end is asked to, and
  /// then made to. Where this process has no controlling terminal, the program leads a process group, and the processes
  /// that it has started end with it.
  ///
  /// - Parameter command: The program, which is looked for as a shell does, and its arguments; no shell sees them.
  /// - Returns: The endpoint; nothing is started yet.
  /// - Precondition: There is a program.
  public static func process(_ command: [String]) -> DropEndpoint {
    precondition(!command.isEmpty, "no program")
    return DropEndpoint(kind: .process(command))
  }

  /// This process's standard input and output, for a session with whoever has started it.
  public static let standardIO = DropEndpoint(kind: .standardIO)

  /// What `openat` and its like take for the current directory.
  package static let currentDirectory: CInt = AT_FDCWD

  /// Returns the descriptor of this process that a path stands for, or `nil`.
  ///
  /// Opened anew, a file would start at its beginning, and a socket cannot be opened at all.
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

  /// Where a file is written until it is whole; `nil` for other endpoints.
  func staged() throws(DropStreamError) -> StagedOutput? {
    guard case .file(let path, let replaces, let isDurable) = kind else { return nil }
    return try StagedOutput(path, replaces: replaces, isDurable: isDurable)
  }

  /// Opens the endpoint for one direction.
  ///
  /// `access` is `O_RDONLY` or `O_WRONLY`; files are opened for reading here.
  func open(access: CInt) throws(DropStreamError) -> OwnedDescriptor {
    do throws(SystemError) {
      let descriptor = try openNow(access: access)
      if try SystemCalls.status(descriptor.raw).kind == .directory { throw SystemError(EISDIR, in: "open") }
      return descriptor
    } catch {
      let unavailable: DropStreamError.Code = access == O_RDONLY ? .sourceUnavailable : .destinationUnavailable
      let code = error == LocalSocket.wrongUser ? .wrongUser : unavailable
      throw DropStreamError(code, "cannot open \(description)", error)
    }
  }

  private func openNow(access: CInt) throws(SystemError) -> OwnedDescriptor {
    switch kind {
    case .standardInput: OwnedDescriptor(try SystemCalls.duplicate(STDIN_FILENO))
    case .standardOutput: OwnedDescriptor(try SystemCalls.duplicate(STDOUT_FILENO))
    case .descriptor(let descriptor): OwnedDescriptor(descriptor)
    // A FIFO without a writer must not hold up a thread in `open`.
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

  /// Lets the peer see the end even where our own copy of the descriptor was not the last.
  func closeForPeer() {
    guard kind == .standardOutput || kind == .standardIO,
      let null = try? OwnedDescriptor.open("/dev/null", O_WRONLY)
    else { return }
    try? SystemCalls.duplicate(null.raw, onto: STDOUT_FILENO)
  }
}

extension DropEndpoint: CustomStringConvertible {
  /// What messages call it.
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
