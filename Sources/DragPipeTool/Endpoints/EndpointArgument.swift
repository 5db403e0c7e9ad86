// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// The source or destination of a drop, as it is given on the command line.
enum EndpointArgument: Sendable, Hashable {
  /// `-`: standard output of a sender, or standard input of a receiver. Data flows in one direction only.
  case standard
  /// A path: a file, or a named pipe or another device, through which data flows in one direction only.
  case file(String)
  /// `unix:PATH`: a sender listens at the path, and a receiver connects to it.
  case socket(String)
  /// `fd:N`: a session if the descriptor is a socket; otherwise a one-way stream.
  case descriptor(CInt)
  /// `exec:COMMAND`: a session with a shell command, through its standard input and output; `ssh:HOST:PATH` too.
  case command(String)
  /// `stdio:`: the other end of an `exec:` session.
  case standardIO
  /// `clipboard:` or `primary:`: the clipboard of the desktop, or its primary selection.
  case selection(Clipboard.Selection)
  /// `https://…` or `http://…`: an object of a web server, which can only be read.
  case web(String)
  /// `desktop:`: a window, from which a sender's items are dragged, or onto which a receiver's items are dropped.
  case desktop

  static let summary =
    "-, FILE, https://…, ssh:HOST:PATH, unix:PATH, fd:N, exec:COMMAND, stdio:, clipboard:, primary: or desktop:"

  /// Parses an endpoint.
  ///
  /// - Parameters:
  ///   - text: The value of the option, or `nil` for `-`.
  ///   - option: The name of the option, for messages.
  ///   - moves: Whether a tool on another machine gets `--move` too.
  /// - Throws: `usage` for an unknown endpoint, and for `unix:` without a path.
  init(_ text: String?, of option: String, moves: Bool = false) throws(ToolFailure) {
    guard let text, text != "-" else {
      self = .standard
      return
    }
    if text == "unix:" {
      throw ToolFailure(.usage, "--\(option) unix: needs a path; is a variable after unix: empty?")
    }
    // Compares bytes, since a combining mark at the start of a path forms one character with the colon.
    func rest(_ prefix: String) -> String? {
      text.utf8.starts(with: prefix.utf8) ? String(Substring(text.utf8.dropFirst(prefix.utf8.count))) : nil
    }
    if let path = rest("unix:") {
      self = .socket(path)
    } else if let number = rest("fd:").flatMap({ CInt($0) }), number >= 0 {
      self = .descriptor(number)
    } else if let place = rest("ssh:") {
      self = .command(try Self.sshCommand(place, of: option, moves: moves))
    } else if let command = rest("exec:"), command.contains(where: { !$0.isWhitespace }) {
      self = .command(command)
    } else if text == "stdio:" {
      self = .standardIO
    } else if text == "clipboard:" || text == "primary:" {
      self = .selection(text == "primary:" ? .primary : .clipboard)
    } else if text == "desktop:" {
      self = .desktop
    } else if HTTPObject.isAddress(text) {
      self = .web(text)
    } else if let number = DropEndpoint.descriptor(at: text) {
      self = .descriptor(number)
    } else if text == "/dev/stdout" {
      self = .descriptor(STDOUT_FILENO)
    } else if !text.isEmpty, !Self.looksLikeScheme(text) {
      self = .file(text)
    } else {
      throw ToolFailure(.usage, "--\(option): unknown endpoint \(text.shownAsOperand); use \(Self.summary)")
    }
  }

  /// Returns the shell command for `ssh:HOST:PATH`, which starts this tool on another machine.
  ///
  /// - Parameters:
  ///   - place: The host, or the user and the host; a colon; a directory for `--to`, a file or a folder for `--from`.
  ///   - option: The name of the option.
  ///   - moves: Whether the tool there gets `--move`.
  /// - Returns: The command.
  /// - Throws: `usage` for another form.
  private static func sshCommand(
    _ place: String, of option: String, moves: Bool
  ) throws(ToolFailure) -> String {
    // An IPv6 address is in brackets, which may follow a user and an at sign.
    let address =
      place.firstIndex(of: "[").map { $0 == place.startIndex || place[place.index(before: $0)] == "@" } == true
    let start = address ? place.firstIndex(of: "]") : place.startIndex
    let colon = start.flatMap { place[$0...].firstIndex(of: ":") }
    let host = place[..<(colon ?? place.startIndex)].filter { !address || $0 != "[" && $0 != "]" }
    var path = colon.map { place[place.index(after: $0)...] } ?? ""
    // Paths are relative to the home directory.
    if path == "~" || path.utf8.starts(with: "~/".utf8) { path = path.dropFirst().drop { $0 == "/" } }
    guard colon != nil, !host.isEmpty, host.first != "-", path.first != "~", option == "to" || !path.isEmpty else {
      let form = option == "to" ? "ssh:HOST:DIR" : "ssh:HOST:FILE"
      throw ToolFailure(.usage, "--\(option) ssh:\(place.escapedForDisplay()) is not in the form \(form)")
    }
    let quoted = CompletionShell.bash.quoted(path.isEmpty ? "." : String(path))
    let role = option == "to" ? "receive --from" : "send --to"
    let remote = "dragpipe \(role) stdio: \(moves ? "--move " : "")-- \(quoted)"
    return "exec ssh -- \(CompletionShell.bash.quoted(String(host))) \(CompletionShell.bash.quoted(remote))"
  }

  /// Whether the text begins with a scheme (RFC 3986, section 3.1), or is a scheme of this tool without its colon.
  private static func looksLikeScheme(_ text: String) -> Bool {
    let word = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    if word.count == text.utf8.count { return ["stdio", "clipboard", "primary", "desktop"].contains(text) }
    return text.first?.isASCII == true && text.first?.isLetter == true
      && word.allSatisfy { $0 < 0x80 && (Character(UnicodeScalar($0)).isLetter || "0123456789+-.".utf8.contains($0)) }
  }

  /// Whether the peer can send responses.
  var isTwoWay: Bool {
    switch self {
    case .standard, .file, .web: false
    case .socket, .command, .standardIO, .selection, .desktop: true
    case .descriptor(let number): (try? SystemCalls.status(number))?.kind == .socket
    }
  }

  /// Whether the peer is a program of the desktop.
  ///
  /// The protocols of the desktop have no checksums and no end mark.
  var isDesktop: Bool {
    switch self {
    case .selection, .desktop: true
    default: false
    }
  }

  /// The path or the address of a drop file; `nil` for other endpoints.
  var drop: String? {
    switch self {
    case .file(let path): path
    case .web(let address): address
    default: nil
    }
  }

  /// Whether the endpoint is a path.
  var isPath: Bool {
    if case .file = self { true } else { false }
  }

  /// Whether the stream would be read from or written to a terminal.
  ///
  /// For `-`, the stream uses the descriptor `standard`.
  private func isTerminal(standard: CInt) -> Bool {
    switch self {
    case .standard: SystemCalls.isTerminal(standard)
    case .descriptor(let number): SystemCalls.isTerminal(number)
    case .file(let path): Self.isTerminal(path)
    case .web, .socket, .command, .standardIO, .selection, .desktop: false
    }
  }

  private static func isTerminal(_ path: String) -> Bool {
    guard (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path))?.kind == .characterDevice,
      let device = try? OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    else { return false }
    return SystemCalls.isTerminal(device.raw)
  }

  /// Throws an error for an endpoint to which nothing can be written, and for a flush of anything except a file.
  ///
  /// - Parameter isDurable: Whether to flush the drop to the disk.
  /// - Throws: `usage`.
  func refuseUnwritable(isDurable: Bool) throws(ToolFailure) {
    if isDurable, !isPath { throw ToolFailure(.usage, "--sync needs a file to flush; use --to FILE") }
    guard case .web = self else { return }
    throw ToolFailure(
      .usage, "--to cannot write to a web server; try: dragpipe send --indexed … | curl --upload-file - URL")
  }

  /// Throws an error if the stream would be read from or written to a terminal.
  ///
  /// - Parameters:
  ///   - standard: The descriptor that `-` stands for.
  ///   - name: The name of that descriptor in the message.
  ///   - option: The option that names the endpoint.
  ///   - hint: A suggestion for the user, such as a command line that works.
  /// - Throws: `usage`.
  func refuseTerminal(_ standard: CInt, _ name: String, option: String, hint: String) throws(ToolFailure) {
    guard isTerminal(standard: standard) else { return }
    let shown = self == .standard ? name : "the descriptor of --\(option)"
    throw ToolFailure(.usage, "\(shown) is a terminal; \(hint)")
  }

  /// Finds the regular file that the stream is read from or written to.
  ///
  /// - Parameter standard: The descriptor that `-` stands for.
  /// - Returns: The status of the file, or `nil` if there is no such file.
  func file(standard: CInt) -> FileStatus? {
    let status: FileStatus? =
      switch self {
      case .standard: try? SystemCalls.status(standard)
      case .file(let path): try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
      case .descriptor(let number): try? SystemCalls.status(number)
      case .web, .socket, .command, .standardIO, .selection, .desktop: nil
      }
    return status?.kind == .regular ? status : nil
  }

  /// Whether the session uses the standard descriptor `descriptor`, which then cannot carry other data.
  func occupies(_ descriptor: CInt) -> Bool {
    switch self {
    case .standard, .file, .web, .socket, .command, .selection, .desktop: false
    case .standardIO: true
    case .descriptor(descriptor): true
    case .descriptor(let number):
      if let status = try? SystemCalls.status(number), status.kind == .socket,
        let other = try? SystemCalls.status(descriptor)
      {
        // A server may pass one socket as both standard input and output.
        status.isSameFile(as: other)
      } else {
        false
      }
    }
  }

  /// Opens a session with the peer.
  ///
  /// - Parameters:
  ///   - environment: The tool's environment.
  ///   - options: The options of the session.
  ///   - body: A closure that uses the session.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body` and of the session; `peerGone` if the peer is missing.
  func withSession<Result>(
    _ environment: ToolEnvironment, options: DropStreamOptions, _ body: (DropSession) async throws -> Result
  ) async throws -> Result {
    // After the session has begun, these error codes are about files instead of the peer.
    var hasBegun = false
    do {
      return try await DropStream.withSession(over: session(environment), options: options) { session in
        hasBegun = true
        return try await body(session)
      }
    } catch let error as DropStreamError where !hasBegun {
      switch error.code {
      case .sourceUnavailable, .destinationUnavailable:
        throw ToolFailure(error.isShortage ? .inputOutput : .peerGone, error.description)
      case .timedOut: throw ToolFailure(.timedOut, "\(error); use --timeout SECONDS to wait longer")
      case .unsupported where error.detail == .isOneWayStream:
        throw ToolFailure(.unsupported, "\(error.reason); use --to stdio: or --from stdio: for the peer")
      default: throw error
      }
    }
  }

  /// Reads a one-way stream.
  ///
  /// For an error in a file or a web object, the message names it. If the sender started a session instead, the message
  /// names the option for a session.
  ///
  /// - Parameters:
  ///   - environment: The tool's environment.
  ///   - idleTimeout: The longest wait for bytes of a web object; `nil` for the default.
  ///   - read: A closure that reads the stream.
  /// - Returns: The result of `read`.
  /// - Throws: Errors of `read` and of opening the endpoint.
  func reading<Result>(
    _ environment: ToolEnvironment, idleTimeout: Duration?, _ read: (DropEndpoint) async throws -> Result
  ) async throws -> Result {
    try await namingFile {
      if case .web(let address) = self {
        return try await HTTPObject(address, idleTimeout: idleTimeout).withStream(read)
      }
      return try await read(input(environment))
    }
  }

  /// Runs `body`, and adds the name of the file or web object to an error in its content.
  func namingFile<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as DropStreamError where error.byteOffset != nil {
      if case .file(let path) = self { throw ToolFailure(error, in: path) }
      if case .web(let address) = self { throw ToolFailure(error, in: try HTTPObject(address).name) }
      guard error.detail == .isSession else { throw error }
      throw ToolFailure(.unsupported, "the sender expects responses; use --from stdio:")
    }
  }

  /// Whether the endpoint is an inherited socket that listens, as systemd passes it.
  var isListening: Bool {
    if case .descriptor(let number) = self { SystemCalls.isListening(number) } else { false }
  }

  /// Whether a receiver can listen at the endpoint.
  var canListen: Bool {
    if case .socket = self { true } else { isListening }
  }

  /// Returns the socket at which this process listens.
  ///
  /// - Throws: `noInput` for a descriptor that this process has not inherited.
  /// - Precondition: The endpoint is the path of a socket, or an inherited socket.
  func listener() throws(ToolFailure) -> DropEndpoint {
    switch self {
    case .socket(let path): return .unixSocket(path)
    case .descriptor(let number):
      let listener = try owned(number)
      // Commands that this process runs must not keep the socket.
      try? SystemCalls.setClosesOnExec(number)
      return .descriptor(listener)
    default: preconditionFailure("\(self) is not a socket")
    }
  }

  /// Returns the endpoint of a session.
  ///
  /// - Throws: `usage` if the session would use a terminal as standard input or output.
  private func session(_ environment: ToolEnvironment) throws -> DropEndpoint {
    switch self {
    case .socket(let path): return .unixSocket(path)
    case .command(let command): return .process(["/bin/sh", "-c", command])
    case .descriptor(let number): return .descriptor(try owned(number))
    case .standardIO, .standard, .file, .web, .selection, .desktop:
      guard !environment.inputIsTerminal, !environment.outputIsTerminal else {
        throw ToolFailure(.usage, "stdio: needs a program as its peer, but standard input or output is a terminal")
      }
      return try environment.sessionEndpoint()
    }
  }

  /// Returns the endpoint for reading a stream.
  private func input(_ environment: ToolEnvironment) throws -> DropEndpoint {
    switch self {
    case .file(let path): .file(path)
    case .descriptor(let number): .descriptor(try owned(number))
    default: try environment.inputEndpoint()
    }
  }

  /// Returns the endpoint for writing a stream.
  ///
  /// - Parameters:
  ///   - environment: The tool's environment.
  ///   - replacing: Whether to replace an existing file.
  ///   - durable: Whether to flush a file to the disk.
  ///   - idleTimeout: The longest wait for a reader of a named pipe.
  /// - Returns: The endpoint. A file is not created yet.
  /// - Throws: `cannotCreate` for a descriptor that this process has not inherited, and for a named pipe or a device that
  ///   cannot be opened; `timedOut`; `CancellationError`.
  func output(
    _ environment: ToolEnvironment, replacing: Bool, durable: Bool, idleTimeout: Duration?
  ) async throws -> DropEndpoint {
    switch self {
    case .file(let path):
      let kind = (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path))?.kind
      guard kind == .pipe || kind == .characterDevice else {
        return .file(path, replacing: replacing, durable: durable)
      }
      if durable { throw ToolFailure(.usage, "--sync needs a file to flush, which \(path.escapedForDisplay()) is not") }
      return .descriptor(try await Self.openedForWriting(path, idleTimeout))
    case .descriptor(let number): return .descriptor(try owned(number, otherwise: .cannotCreate))
    default: return try environment.outputEndpoint()
    }
  }

  /// Opens a named pipe or a device, and waits for the reader of a pipe.
  private static func openedForWriting(_ path: String, _ idleTimeout: Duration?) async throws -> CInt {
    let start = ContinuousClock.now
    while true {
      do throws(SystemError) {
        return try await runBlocking { () throws(SystemError) in
          try SystemCalls.open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY)
        }
      } catch {
        guard error.errorNumber == ENXIO else {
          throw ToolFailure(.cannotCreate, "cannot write to \(path.escapedForDisplay()): \(error)")
        }
      }
      if let idleTimeout, .now - start > idleTimeout {
        throw ToolFailure(.timedOut, "no program has opened \(path.escapedForDisplay()) for reading")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Returns a duplicate of a descriptor that this process inherited.
  private func owned(_ number: CInt, otherwise exitCode: ToolExitCode = .noInput) throws(ToolFailure) -> CInt {
    do throws(SystemError) {
      _ = try SystemCalls.status(number)
      // A descriptor that closes on exec was not inherited: a library of this process has opened it.
      let isOurs = try SystemCalls.closesOnExec(number) || !InheritedDescriptors.contains(number)
      if isOurs, number > STDERR_FILENO { throw SystemError(EBADF, in: "fstat") }
      // The original stays open, since other code uses the standard streams too.
      return try SystemCalls.duplicate(number)
    } catch {
      throw ToolFailure(exitCode, "cannot use descriptor \(number): \(error)")
    }
  }
}

extension HTTPObject {
  /// Opens a file or a web object as a stream.
  ///
  /// - Parameters:
  ///   - file: The path or the address.
  ///   - idleTimeout: The longest wait for bytes of a web object; `nil` for the default.
  ///   - body: Reads the stream.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`, and the errors of opening the object.
  static func withStream<Result>(
    at file: String, idleTimeout: Duration?, _ body: (DropEndpoint) async throws -> Result
  ) async throws -> Result {
    guard isAddress(file) else { return try await body(.file(file)) }
    return try await HTTPObject(file, idleTimeout: idleTimeout).withStream(body)
  }
}

extension FileStatus {
  /// Whether `path` leads to the file that this status describes.
  func isFile(named path: String) -> Bool {
    (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path))?.isSameFile(as: self) == true
  }
}

extension ToolEnvironment {
  /// Whether an operand, which may be `-`, leads to a file.
  func opens(_ operand: String, _ file: FileStatus) -> Bool {
    guard operand == "-" else { return file.isFile(named: operand) }
    return (try? SystemCalls.status(input))?.isSameFile(as: file) == true
  }
}

/// The descriptors that were open when the process started.
///
/// Libraries may open further files at any time, and may leave them open across exec. `fd:N` must never use such a
/// file.
enum InheritedDescriptors {
  private static let noted = Lock<Set<CInt>?>(nil)

  /// Records the open descriptors.
  ///
  /// Call this before anything else.
  static func note() {
    guard let numbers = SystemCalls.openDescriptors() else { return }
    noted.withLock { $0 = numbers }
  }

  /// Whether the descriptor was open when ``note()`` was called.
  ///
  /// If that is unknown, as in tests, the result is true.
  static func contains(_ descriptor: CInt) -> Bool {
    noted.withLock { $0?.contains(descriptor) ?? true }
  }
}

/// The options that all commands for transfers share, except `demo`.
struct TransferOptions: Sendable {
  /// The option of commands that read a file or a web object.
  static let timeoutOfReads = OptionSpecification(
    name: "timeout", value: "SECONDS", summary: "give up when no data arrives for SECONDS; default for a URL: 30 s")
  static let specifications = [
    OptionSpecification(
      name: "timeout", value: "SECONDS",
      summary:
        "give up when no data moves for SECONDS; default: 30 s for the handshake of a session, "
        + "and 5 minutes for a silent receiver at unix:PATH"),
    ProgressMode.option,
    OptionSpecification(name: "quiet", short: "q", summary: "write only error messages"),
  ]

  let idleTimeout: Duration?
  let progressMode: ProgressMode
  let isQuiet: Bool
  /// The display system; `nil` to find one.
  let display: DisplayChoice?

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    display = try DisplayChoice(arguments)
    idleTimeout = try Self.idleTimeout(arguments)
    isQuiet = arguments.has("quiet")
    progressMode = try ProgressMode(option: try arguments.value("progress"), isQuiet: isQuiet)
  }

  var stream: DropStreamOptions {
    var options = DropStreamOptions()
    options.idleTimeout = idleTimeout
    return options
  }

  var desktop: DesktopOptions { stream.desktop(via: display) }

  /// The value of the option --timeout; `nil` without the option.
  static func idleTimeout(_ arguments: ParsedArguments) throws(ToolFailure) -> Duration? {
    guard let value = try arguments.value("timeout") else { return nil }
    guard let seconds = Double(value), (0.001...1_000_000).contains(seconds) else {
      throw ToolFailure(
        .usage, "--timeout \(value.escapedForDisplay()) is out of range; use 0.001 to 1000000 seconds")
    }
    return .seconds(seconds)
  }
}

extension DropStreamOptions {
  /// Returns the options for other programs of the desktop, with the same idle timeout and at least the same limit of bytes.
  ///
  /// The receiver of the items enforces a lower limit, which excludes the frames of a drop stream.
  func desktop(via display: DisplayChoice?) -> DesktopOptions {
    var options = DesktopOptions()
    options.system = display?.system
    if let idleTimeout { options.idleTimeout = idleTimeout }
    if limits.bytes != .max { options.maximumBytes = max(options.maximumBytes, Int(clamping: limits.bytes)) }
    return options
  }
}
