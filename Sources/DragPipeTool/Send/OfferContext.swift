// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// The environment of the loaders of a sender's items.
struct OfferContext: Sendable {
  let environment: ToolEnvironment
  /// Whether items are sent on request, in a session, or all written to a one-way stream.
  let isTwoWay: Bool
  /// The existing regular file that the drop is written to, if there is one.
  let target: FileStatus?
  /// Whether the items go to programs of the desktop.
  let isDesktop: Bool
  /// Whether a receiver may take the files themselves.
  let allowsOriginals: Bool
  /// The longest wait for input from another program.
  let idleTimeout: Duration?
  /// The choices for the archives of folders.
  var folders = FolderArchiveOptions()
  private let readDescriptors = ReadDescriptors()

  init(
    _ environment: ToolEnvironment, _ endpoint: EndpointArgument, allowsOriginals: Bool = false, idleTimeout: Duration?
  ) {
    self.allowsOriginals = allowsOriginals
    self.environment = environment
    isTwoWay = endpoint.isTwoWay
    isDesktop = endpoint.isDesktop
    target = endpoint.file(standard: environment.output)
    self.idleTimeout = idleTimeout
  }

  /// Opens a file, or standard input for `-`.
  func chunks(of file: String) throws(DropStreamError) -> ChunkSource {
    try ChunkSource(file == "-" ? environment.inputEndpoint() : .file(file), idleTimeout: idleTimeout)
  }

  /// Registers the unread content of a descriptor of this process.
  ///
  /// - Throws: From the loader, `failure` if it runs a second time, since only the rest could be read.
  func register(_ descriptor: CInt, as type: UTType, with provider: ItemProvider) {
    if isTwoWay {
      provider.registerStream(type) { _ in
        try claim(descriptor)
        return try ChunkSource(environment.endpoint(reading: descriptor), idleTimeout: idleTimeout)
      }
    } else {
      provider.registerFile(type) { _ in
        try claim(descriptor)
        return SentTransferredFile(ToolEnvironment.url(of: descriptor))
      }
    }
  }

  private func claim(_ descriptor: CInt) throws(ToolFailure) {
    guard !readDescriptors.add(descriptor) else { return }
    let name = descriptor == environment.input ? "standard input" : "/dev/fd/\(descriptor)"
    throw ToolFailure(.failure, "\(name) can be read only once, and has been read already")
  }
}

/// The descriptors that were read; each can be read only once.
private final class ReadDescriptors: Sendable {
  private let all = Lock<Set<CInt>>([])

  /// - Returns: Whether the descriptor was added, and thus not read before.
  func add(_ descriptor: CInt) -> Bool { all.withLock { $0.insert(descriptor).inserted } }
}

/// The representations that failed to load for a receiver.
final class LoadFailures: Sendable {
  /// The first failure, which is reported, and the number of failures; their memory does not grow.
  private let known = Lock<(first: DropStreamError?, count: Int)>((nil, 0))

  func add(_ failure: DropStreamError) {
    add(failure, count: 1)
  }

  /// Adds a failure and reports it at once.
  func add(_ failure: DropStreamError, notedIn environment: ToolEnvironment) {
    environment.note("left out: \(failure.reason)")
    add(failure)
  }

  func add(_ others: LoadFailures) {
    let (first, count) = others.known.withLock { $0 }
    if let first { add(first, count: count) }
  }

  private func add(_ failure: DropStreamError, count: Int) {
    known.withLock { known in
      known.first = known.first ?? failure
      known.count += count
    }
  }

  /// Returns the failure that the command ends with.
  ///
  /// - Parameter hasSentSome: Whether a receiver has kept anything; if not, the exit code is that of the first failure.
  /// - Returns: `nil` without failures.
  func failure(hasSentSome: Bool) -> ToolFailure? {
    let (first, count) = known.withLock { $0 }
    guard let first = first.map({ ToolFailure($0) }) else { return nil }
    let others = count > 1 ? ", and \(count - 1) more" : ""
    return ToolFailure(
      hasSentSome ? .partial : first.exitCode, "some content failed to load: \(first.message)\(others)")
  }
}
