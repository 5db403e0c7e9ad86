// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A process that this process has started.
///
/// If the last reference is released before a method has waited for the end, a thread waits for it, so that no zombie
/// remains.
package final class ChildProcess: Sendable {
  /// The way a process ended.
  package struct Ending: Sendable, Hashable, CustomStringConvertible {
    /// The exit status; `nil` if a signal ended the process.
    package let exitCode: CInt?
    /// The signal that ended the process; `nil` if it exited.
    package let signal: CInt?

    /// The exit status or the signal, in words.
    package var description: String {
      exitCode.map { "status \($0)" } ?? "signal \(signal ?? 0)"
    }
  }

  private struct State {
    /// The outcome; `nil` until `waitpid` has reaped the process.
    var ending: Ending?
  }

  /// The default time that a process has to end before the next signal.
  package static let defaultGrace = Duration.seconds(2)

  /// The process number.
  package let processIdentifier: Int32
  private let leadsGroup: Bool
  private let state = Lock(State())

  /// Whether this process has a controlling terminal.
  ///
  /// With a terminal, a child should stay in this process's group: it may prompt for a password, as `ssh` does, and
  /// only the foreground group can read the terminal. Ctrl-C also reaches the child there. Without a terminal, a child
  /// should lead a group of its own: a signal then also ends the processes that the child has started.
  package static var hasTerminal: Bool {
    (try? OwnedDescriptor.open("/dev/tty", O_RDWR | O_NOCTTY)) != nil
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The path of the program, or a name to search for in `PATH`; also the first argument.
  ///   - arguments: The remaining arguments.
  ///   - input: The descriptor of its standard input; `nil` shares the standard input of this process.
  ///   - output: The descriptor of its standard output; `nil` shares the standard output of this process.
  ///   - errors: The descriptor of its standard error; `nil` shares the standard error of this process.
  ///   - environment: Variables to add to this process's environment or to replace in it.
  ///   - leadsGroup: Whether the program leads a process group, so that signals also reach the processes that it
  ///     starts. The system stops such a program if it reads the terminal.
  /// - Throws: The error of the failed call.
  package init(
    _ path: String, _ arguments: [String], input: CInt? = nil, output: CInt? = nil, errors: CInt? = nil,
    environment: [String: String] = [:], leadsGroup: Bool = false
  ) throws(SystemError) {
    self.leadsGroup = leadsGroup
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (source, target) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
      guard let source else { continue }
      let code = posix_spawn_file_actions_adddup2(&actions, source, target)
      guard code == 0 else { throw SystemError(code, in: "posix_spawn_file_actions_adddup2") }
    }

    // If this process ignores SIGPIPE, the child would inherit that, and would not end when its reader has gone.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    // The child must not inherit the signals that this process blocks.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    // Zero means a new group, numbered like the process.
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var variables = Self.environment(with: environment)
    defer { for variable in variables { free(variable) } }
    variables.append(nil)
    var identifier = pid_t()
    let code = posix_spawnp(&identifier, path, &actions, &attributes, words, variables)
    guard code == 0 else { throw SystemError(code, in: "posix_spawnp") }
    processIdentifier = identifier
  }

  /// Returns this process's environment with some variables replaced.
  ///
  /// `WAYLAND_SOCKET` is left out, since it is the number of a descriptor of this process.
  ///
  /// The caller frees each string.
  private static func environment(with changes: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
    while let variable = next.pointee {
      let name = String(cString: variable).prefix { $0 != "=" }
      if changes[String(name)] == nil, name != "WAYLAND_SOCKET" { variables.append(strdup(variable)) }
      next += 1
    }
    return variables + changes.map { strdup("\($0.key)=\($0.value)") }
  }

  deinit {
    guard state.withLock({ $0.ending == nil }) else { return }
    // No other code waits for the process any more.
    BlockingExecutor.startThread { [processIdentifier] in
      var status: CInt = 0
      while waitpid(processIdentifier, &status, 0) == -1, errno == EINTR {}
    }
  }

  /// Waits for the process to end.
  package func waitForEnd() async -> Ending {
    await runBlocking { wait() }
  }

  private func wait() -> Ending {
    // WNOWAIT keeps the process number reserved until this thread holds the lock.
    var information = siginfo_t()
    while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    return state.withLock { state in
      if let ending = state.ending { return ending }
      var status: CInt = 0
      while waitpid(processIdentifier, &status, 0) == -1, errno == EINTR {}
      let signal = status & 0x7F
      let ending = Ending(exitCode: signal == 0 ? (status >> 8) & 0xFF : nil, signal: signal == 0 ? nil : signal)
      state.ending = ending
      return ending
    }
  }

  /// Sends a signal to the process, or to its group if it leads one.
  ///
  /// Sends nothing after the process has been reaped: its number may then belong to another process.
  ///
  /// - Returns: Whether the signal was sent.
  @discardableResult
  package func send(signal: CInt) -> Bool {
    state.withLock { $0.ending == nil && kill(leadsGroup ? -processIdentifier : processIdentifier, signal) == 0 }
  }

  /// Sends SIGTERM as ``send(signal:)`` does.
  package func terminate() {
    send(signal: SIGTERM)
  }

  /// Starts a program that communicates with this process through its standard input and output.
  ///
  /// - Parameter command: The program and its arguments.
  /// - Returns: The process, a descriptor to read its output, and a descriptor to write its input. The caller closes
  ///   both.
  /// - Throws: The error of the failed call.
  package static func conversing(
    _ command: [String]
  ) throws(SystemError) -> (ChildProcess, input: CInt, output: CInt) {
    let toChild = try SystemCalls.pipe()
    let childInput = OwnedDescriptor(toChild.read)
    let output = OwnedDescriptor(toChild.write)
    let fromChild = try SystemCalls.pipe()
    let input = OwnedDescriptor(fromChild.read)
    let childOutput = OwnedDescriptor(fromChild.write)
    let child = try ChildProcess(
      command[0], Array(command.dropFirst()), input: childInput.raw, output: childOutput.raw, leadsGroup: !hasTerminal)
    return (child, input.release(), output.release())
  }

  /// Sends SIGTERM to the process, and later signals as in ``end(within:)``.
  ///
  /// - Parameter grace: The time before each further signal.
  /// - Returns: The way the process ended.
  @discardableResult
  package func stop(within grace: Duration = ChildProcess.defaultGrace) async -> Ending {
    terminate()
    return await end(within: grace)
  }

  /// Waits for the process to end, without a limit.
  ///
  /// Cancelling the task sends SIGTERM at once, and later signals as in ``end(within:)``.
  ///
  /// - Parameters:
  ///   - grace: The time before each further signal.
  ///   - isolation: The caller's isolation.
  /// - Returns: The way the process ended, even if the task was cancelled.
  package func waitForEnd(
    stoppedWithin grace: Duration, isolation: isolated (any Actor)? = #isolation
  ) async -> Ending {
    await withTaskCancellationHandler {
      await waitForEnd()
    } onCancel: {
      // The signal goes out at once, before the new task is scheduled.
      terminate()
      Task { await end(within: grace) }
    }
  }

  /// Waits for a process that should end by itself.
  ///
  /// If the process does not end, sends SIGTERM and then SIGKILL.
  ///
  /// - Parameter grace: The time before each of the two signals.
  /// - Returns: The way the process ended.
  @discardableResult
  package func end(within grace: Duration = ChildProcess.defaultGrace) async -> Ending {
    let escalation = Task {
      for signal in [SIGTERM, SIGKILL] {
        try await Task.sleep(for: grace)
        send(signal: signal)
      }
    }
    defer { escalation.cancel() }
    return await waitForEnd()
  }
}
