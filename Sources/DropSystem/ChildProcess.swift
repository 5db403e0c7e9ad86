// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Another process that this one has started and waits for.
///
/// One that is let go of before is waited for all the same, so that it leaves no trace when it ends.
package final class ChildProcess: Sendable {
  /// How a process ended.
  package struct Ending: Sendable, Hashable, CustomStringConvertible {
    /// The exit status; nil when a signal ended it.
    package let exitCode: CInt?
    package let signal: CInt?

    package var description: String {
      exitCode.map { "status \($0)" } ?? "signal \(signal ?? 0)"
    }
  }

  private struct State {
    /// Set when the system has forgotten the process.
    var ending: Ending?
  }

  /// What a process has that was asked to end.
  package static let usualGrace = Duration.seconds(2)

  package let processIdentifier: Int32
  private let leadsGroup: Bool
  private let state = Lock(State())

  /// Whether this process has a controlling terminal.
  ///
  /// A child may have to ask there, as `ssh` asks for a password, and only the foreground process group can read it. Such
  /// a child stays in our group, where Ctrl-C reaches it. Without a terminal, a child should lead a group: a signal then
  /// also ends the processes that the child has started.
  package static var hasTerminal: Bool {
    (try? OwnedDescriptor.open("/dev/tty", O_RDWR | O_NOCTTY)) != nil
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program's file, which is looked for as a shell does; it becomes the first argument too.
  ///   - arguments: The rest of the arguments.
  ///   - input: What becomes its standard input; nil shares ours.
  ///   - output: What becomes its standard output; nil shares ours.
  ///   - errors: What becomes its standard error; nil shares ours.
  ///   - environment: What its environment has beside ours, or in its place.
  ///   - leadsGroup: Whether signals go to everything that it starts as well. It must have no use for the terminal, which
  ///     stops a process of another group that reads from it.
  /// - Throws: Why it cannot be started.
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

    // An ignored SIGPIPE would be inherited, and the child's children would never learn that nobody listens.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    // Nor are the signals blocked there that we wait for.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    // A group of its own, numbered like the process.
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

  /// Our environment with some of it replaced, each variable to be freed.
  private static func environment(with changes: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
    while let variable = next.pointee {
      let name = String(cString: variable).prefix { $0 != "=" }
      if changes[String(name)] == nil { variables.append(strdup(variable)) }
      next += 1
    }
    return variables + changes.map { strdup("\($0.key)=\($0.value)") }
  }

  deinit {
    guard state.withLock({ $0.ending == nil }) else { return }
    // Nobody has waited for it, and else nobody ever will.
    DetachedThread.start { [processIdentifier] in
      var status: CInt = 0
      while waitpid(processIdentifier, &status, 0) == -1, errno == EINTR {}
    }
  }

  /// Waits for the end.
  package func waitForEnd() async -> Ending {
    await withCheckedContinuation { continuation in
      DetachedThread.start { continuation.resume(returning: self.wait()) }
    }
  }

  private func wait() -> Ending {
    // Its number stays its own until the lock is held.
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

  /// Sends a signal, unless the process has been waited for: its number may be another's by now.
  ///
  /// - Returns: Whether it was sent.
  @discardableResult
  package func send(signal: CInt) -> Bool {
    state.withLock { $0.ending == nil && kill(leadsGroup ? -processIdentifier : processIdentifier, signal) == 0 }
  }

  /// Asks the process to end.
  package func terminate() {
    send(signal: SIGTERM)
  }

  /// Starts a program whose standard input and output are ours to use.
  ///
  /// - Parameter command: The program and its arguments.
  /// - Returns: The process; what it writes, to be read; where it reads, to be written.
  /// - Throws: Why it cannot be started.
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

  /// Asks the process to end, and makes it where it does not.
  ///
  /// - Parameter grace: As for ``end(within:)``.
  /// - Returns: How it has ended.
  @discardableResult
  package func stop(within grace: Duration = ChildProcess.usualGrace) async -> Ending {
    terminate()
    return await end(within: grace)
  }

  /// Waits for the end, however long that takes; a cancelled task makes it short.
  ///
  /// - Parameters:
  ///   - grace: What a process has that was asked to end.
  ///   - isolation: The caller's; leave it out.
  /// - Returns: How it has ended, also for a cancelled task.
  package func waitForEnd(
    stoppedWithin grace: Duration, isolation: isolated (any Actor)? = #isolation
  ) async -> Ending {
    await withTaskCancellationHandler {
      await waitForEnd()
    } onCancel: {
      // At once, and not when the task has its turn.
      terminate()
      Task { await end(within: grace) }
    }
  }

  /// Waits for the end of a process that should end by itself; asks it to, and makes it, where it does not.
  ///
  /// - Parameter grace: How long each of the two may take.
  /// - Returns: How it has ended.
  @discardableResult
  package func end(within grace: Duration = ChildProcess.usualGrace) async -> Ending {
    let impatience = Task {
      for signal in [SIGTERM, SIGKILL] {
        try await Task.sleep(for: grace)
        send(signal: signal)
      }
    }
    defer { impatience.cancel() }
    return await waitForEnd()
  }
}
