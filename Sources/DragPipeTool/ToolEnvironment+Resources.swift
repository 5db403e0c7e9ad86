// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// Resources for the libraries that run tasks: without them, the libraries crash or wait forever.
extension ToolEnvironment {
  /// The least free descriptors for a command: those of libraries, and some of its own.
  private static let leastDescriptors = 16
  /// Descriptors reserved for libraries: libdispatch keeps up to five open, and opens another for a moment.
  private static let reservedDescriptors = 8
  /// The least address space for a command, beyond that of the program itself.
  private static let leastAddressSpace = 32 << 20
  /// With at least this limit of address space, saving is unnecessary.
  private static let ampleAddressSpace = 4 << 30
  // In bytes. Coders need a fraction of it at their limits of depth.
  private static let smallStack = 1 << 20

  /// Reserves descriptors for the libraries that run tasks, or ends the process with a message if there are too few.
  ///
  /// To be called before the first task, with the standard descriptors open.
  public static func reserveDescriptors() {
    guard var limit = try? SystemCalls.limit(.openFiles) else { return }
    var free = freeDescriptors()
    // In small steps, because some of the numbers below a new limit may be in use.
    while free.count < leastDescriptors, limit.current < limit.maximum {
      // Not to the maximum, because child processes inherit the limit.
      limit.current = min(limit.current + UInt(leastDescriptors), limit.maximum)
      guard (try? SystemCalls.setLimit(.openFiles, limit)) != nil else { break }
      free = freeDescriptors()
    }
    guard free.count >= leastDescriptors else {
      end(
        "only \(free.count) of \(limit.current) file descriptors are free, but dragpipe needs \(leastDescriptors); "
          + "raise the limit with ulimit -n")
    }
    let isAll = free.count < probeCount
    let end = limit.current < UInt(CInt.max) ? CInt(limit.current) : .max
    DescriptorReserve.begin(at: isAll ? free[free.count - reservedDescriptors] : end - CInt(reservedDescriptors))
  }

  private static let probeCount = 64

  /// Returns the lowest free descriptors, up to ``probeCount``, in ascending order.
  private static func freeDescriptors() -> [CInt] {
    var probes: [CInt] = []
    while probes.count < probeCount, let probe = try? SystemCalls.open("/", O_RDONLY | O_DIRECTORY) {
      probes.append(probe)
    }
    for probe in probes { try? SystemCalls.close(probe) }
    return probes
  }

  /// Reduces the address space of threads if the process has a limit, or ends the process with a message if there is
  /// too little.
  ///
  /// A thread normally uses 8 MiB for its stack and 64 MiB for its own heap. Without room for a thread, libdispatch
  /// tries again every second, forever. To be called before the second thread starts.
  public static func saveAddressSpace() {
    guard let limit = try? SystemCalls.limit(.addressSpace), limit.current < ampleAddressSpace else { return }
    SystemCalls.saveAddressSpace(stackSize: smallStack)
    guard SystemCalls.hasAddressSpace(leastAddressSpace) else {
      end(
        "the limit of \(limit.current >> 20) MiB of address space leaves less than "
          + "\(leastAddressSpace >> 20) MiB free; raise the limit with ulimit -v")
    }
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

  /// Creates a directory for `body`, and removes it with its content afterwards.
  ///
  /// - Throws: `cannotCreate` if temporary files cannot be created; errors of `body`.
  static func with<Result>(_ body: (PrivateDirectory) async throws -> Result) async throws -> Result {
    let parent = TemporaryLocation.standard
    let created = try await runBlocking { try Created(in: parent) }
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body(PrivateDirectory(path: parent.path + "/" + created.name)))
    } catch {
      outcome = .failure(error)
    }
    try? await runBlocking { created.remove() }
    return try outcome.get()
  }

  /// Returns the number of files and directories in it.
  func entryCount() throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: path).count
  }

  /// The created directory.
  ///
  /// It is removed by its parent's descriptor, so a changed path cannot redirect the removal.
  private final class Created: Sendable {
    private let parent: OwnedDescriptor
    let name: String

    init(in directory: TemporaryLocation) throws(ToolFailure) {
      do throws(FileError) {
        do throws(SystemError) {
          parent = try .place(directory.path)
        } catch {
          throw directory.error(error)
        }
        name = try directory.makeDirectory(at: parent.raw)
      } catch {
        throw ToolFailure(.cannotCreate, error.description.escapedForDisplay(limit: 400))
      }
    }

    func remove() {
      // Received folders may be closed to their owner.
      FolderUnpacking.remove(name, in: parent.raw)
    }
  }
}
