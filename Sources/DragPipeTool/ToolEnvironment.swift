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
    try await writing { (sink) throws(DropStreamError) in try await sink.write(ArraySlice(bytes)) }
  }

  /// Writes the content of a file to the output.
  ///
  /// - Throws: The errors of ``write(_:)``, and those of opening and reading the file.
  func write(contentsOf path: String) async throws {
    try await writing { (sink) throws(DropStreamError) in try await sink.write(contentsOf: path) }
  }

  private func writing(_ body: (ChunkSink) async throws(DropStreamError) -> Void) async throws {
    do throws(DropStreamError) {
      try await body(ChunkSink(.descriptor(try copy(output))))
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
    let start = errorsAreTerminal && KeyboardInterrupt.takeLine() ? "\n" : ""
    let bytes = Array("\(start)dragpipe: \(line)\n".utf8)
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

/// Reserves resources for the libraries that run tasks. Without these resources, the libraries crash or wait forever.
extension ToolEnvironment {
  /// The minimum number of free descriptors, for the libraries and for the command itself.
  ///
  /// With fewer, a receiver of a folder could fail and then lack the descriptors to remove its temporary files.
  private static let leastDescriptors = 24
  /// The number of descriptors reserved for libraries.
  ///
  /// libdispatch keeps up to five open, and briefly opens another.
  private static let reservedDescriptors = 8
  /// The minimum number of free bytes of address space after the program has been loaded.
  private static let leastAddressSpace = 32 << 20
  /// The limit of address space, in bytes, from which threads need no restriction.
  private static let ampleAddressSpace = 4 << 30
  /// The limit of processes and threads from which none is tried.
  private static let fewProcesses: UInt = 1024
  // The stack size of a thread, in bytes. Coders need a fraction of it at their maximum depth.
  private static let smallStack = 1 << 20

  /// Reserves descriptors for the libraries that run tasks.
  ///
  /// If fewer than 24 descriptors are free, raises the limit of open files. If that does not help, ends the process
  /// with a message. Call this before the first task, when the standard descriptors are already open.
  public static func reserveDescriptors() {
    guard var limit = try? SystemCalls.limit(.openFiles) else { return }
    var (free, failure) = freeDescriptors()
    // Raises the limit step by step, because some numbers below a new limit may be in use.
    while free.count < leastDescriptors, failure?.errorNumber == EMFILE, limit.current < limit.maximum {
      // Does not raise the limit to the maximum at once, because child processes inherit it.
      limit.current = min(limit.current + UInt(leastDescriptors), limit.maximum)
      guard (try? SystemCalls.setLimit(.openFiles, limit)) != nil else { break }
      (free, failure) = freeDescriptors()
    }
    guard free.count >= leastDescriptors else {
      if let failure, failure.errorNumber != EMFILE { end("cannot open /: \(failure)") }
      end(
        "only \(free.count) of \(limit.current) file descriptors are free, but dragpipe needs \(leastDescriptors); "
          + "raise the limit with ulimit -n")
    }
    let isAll = free.count < probeCount
    let end = limit.current < UInt(CInt.max) ? CInt(limit.current) : .max
    DescriptorReserve.begin(at: isAll ? free[free.count - reservedDescriptors] : end - CInt(reservedDescriptors))
  }

  private static let probeCount = 64

  /// Returns the lowest free descriptors in ascending order, at most ``probeCount``, and the error if there are fewer.
  private static func freeDescriptors() -> (numbers: [CInt], failure: SystemError?) {
    var probes: [CInt] = []
    var failure: SystemError?
    while probes.count < probeCount, failure == nil {
      do throws(SystemError) {
        probes.append(try SystemCalls.open("/", O_RDONLY | O_DIRECTORY))
      } catch {
        failure = error
      }
    }
    for probe in probes { try? SystemCalls.close(probe) }
    return (probes, failure)
  }

  /// Restricts the address space of future threads if this process has a limit below 4 GiB.
  ///
  /// Such a thread has a stack of 1 MiB and shares one heap with all threads. Normally, a thread takes 8 MiB for its
  /// stack and 64 MiB for its own heap. If fewer than 32 MiB are free, the process ends with a message: without room
  /// for a thread, libdispatch would try again every second, forever. Call this before the second thread starts.
  public static func saveAddressSpace() {
    guard let limit = try? SystemCalls.limit(.addressSpace), limit.current < ampleAddressSpace else { return }
    SystemCalls.saveAddressSpace(stackSize: smallStack)
    guard SystemCalls.hasAddressSpace(leastAddressSpace) else {
      end(
        "the limit of \(limit.current >> 20) MiB of address space leaves less than "
          + "\(leastAddressSpace >> 20) MiB free; raise the limit with ulimit -v")
    }
  }

  /// Ends the process with a message if it cannot create an event queue.
  ///
  /// Without an event queue, libdispatch would crash. Call this before the first task.
  public static func requireEventQueue() {
    do throws(SystemError) {
      try SystemCalls.probeEventQueue()
    } catch {
      end("cannot create an event queue, which Swift's runtime needs: \(error)")
    }
  }

  /// Ends the process with a message if it cannot create the threads that a command needs.
  ///
  /// libdispatch would try again every second, forever. Threads are tried only where a limit makes a failure likely: in
  /// a process with a small limit, or in a container. Call this before the second thread starts.
  public static func requireThreads() {
    func isSmall(_ resource: SystemCalls.Resource, below bound: UInt) -> Bool {
      (try? SystemCalls.limit(resource)).map { $0.current < bound } ?? false
    }
    let isLimited = isSmall(.processes, below: fewProcesses) || isSmall(.data, below: UInt(ampleAddressSpace))
    guard isLimited || isInSmallContainer else { return }
    // The runtime has a thread for each processor, and each blocking operation has its own.
    let count = min(max(SystemCalls.processorCount, 2), 32) + 6
    do throws(SystemError) { try SystemCalls.probeThreads(count) } catch {
      end(
        "cannot create \(count) threads, which Swift's runtime needs: \(error); raise the limits with ulimit -u and "
          + "ulimit -d, or that of the container")
    }
  }

  /// Whether the control group of this process has a small limit of threads; false if that is unknown.
  private static var isInSmallContainer: Bool {
    guard let file = try? OwnedDescriptor.open("/sys/fs/cgroup/pids.max", O_RDONLY) else { return false }
    var digits = [UInt8](repeating: 0, count: 20)
    let count = try? digits.withUnsafeMutableBytes { try SystemCalls.read(file.raw, $0) }
    let number = UInt(String(decoding: digits.prefix(count ?? 0).prefix { $0 != 0x0A }, as: UTF8.self))
    return number.map { $0 < fewProcesses } ?? false
  }

  private static func end(_ reason: String) -> Never {
    ToolEnvironment().note(reason)
    exit(ToolExitCode.inputOutput.rawValue)
  }
}

/// A temporary directory that only its owner can access.
struct PrivateDirectory: Sendable {
  /// The path, without a slash at its end.
  let path: String

  /// Creates a directory, passes it to `body`, and then removes it with its content.
  ///
  /// - Throws: `cannotCreate` if the directory cannot be created; errors of `body`.
  static func with<Result>(_ body: (PrivateDirectory) async throws -> Result) async throws -> Result {
    let parent = TemporaryLocation.standard
    let created = try await runBlocking { try Created(in: parent) }
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body(PrivateDirectory(path: parent.path + "/" + created.name)))
    } catch {
      outcome = .failure(error)
    }
    await runBlocking { created.remove() }
    return try outcome.get()
  }

  /// The open descriptors of the directory and of its parent.
  ///
  /// The directory is removed through these, so a changed path cannot redirect the removal.
  private final class Created: Sendable {
    private let parent: OwnedDescriptor
    private let directory: OwnedDescriptor
    let name: String

    init(in directory: TemporaryLocation) throws(ToolFailure) {
      do throws(FileError) {
        do throws(SystemError) {
          parent = try .place(directory.path)
        } catch {
          throw directory.error(error)
        }
        name = try directory.makeDirectory(at: parent.raw)
        do throws(SystemError) {
          self.directory = try .openAt(parent.raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        } catch {
          throw directory.error(error)
        }
      } catch {
        throw ToolFailure(.cannotCreate, error.description.escapedForDisplay(limit: 400))
      }
    }

    func remove() {
      try? FolderUnpacking.remove(directory.raw, named: name, in: parent.raw)
    }
  }
}
