// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// The values that a sender needs to load the content of its items.
struct OfferContext: Sendable {
  let environment: ToolEnvironment
  /// Whether items are sent in a session, on request.
  ///
  /// Otherwise all items are written to a one-way stream.
  let isTwoWay: Bool
  /// The status of the regular file that the drop is written to, or `nil` for another destination.
  let target: FileStatus?
  /// Whether the items go to programs of the desktop.
  let isDesktop: Bool
  /// The maximum time to wait for input from another program, or `nil` for no limit.
  let idleTimeout: Duration?
  /// The choices for the archives of folders.
  var folders = FolderArchiveOptions()
  private let readDescriptors = ReadDescriptors()

  init(_ environment: ToolEnvironment, _ endpoint: EndpointArgument, idleTimeout: Duration?) {
    self.environment = environment
    isTwoWay = endpoint.isTwoWay
    isDesktop = endpoint.isDesktop
    target = endpoint.file(standard: environment.output)
    self.idleTimeout = idleTimeout
  }

  /// Opens a file for reading, or standard input for `-`.
  func chunks(of file: String) throws(DropStreamError) -> ChunkSource {
    try ChunkSource(file == "-" ? environment.inputEndpoint() : .file(file), idleTimeout: idleTimeout)
  }

  /// Registers a descriptor of this process as the content of a representation.
  ///
  /// The descriptor can be read only once. A second load throws `failure`.
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

/// The descriptors that have been read.
///
/// Their content cannot be read again.
private final class ReadDescriptors: Sendable {
  private let all = Lock<Set<CInt>>([])

  /// Adds a descriptor.
  ///
  /// - Returns: Whether the descriptor was added. If not, it has been read before.
  func add(_ descriptor: CInt) -> Bool { all.withLock { $0.insert(descriptor).inserted } }
}

/// The failures to load content, and the files that were left out.
final class LoadFailures: Sendable {
  /// The first failure, which is reported, and the number of failures.
  ///
  /// The other failures are not stored.
  private let known = Lock<(first: DropStreamError?, count: Int)>((nil, 0))

  func add(_ failure: DropStreamError) {
    add(failure, count: 1)
  }

  /// Writes a message about the failure, and adds it.
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

  /// Returns the failure with which the command ends, or `nil` if everything was loaded.
  ///
  /// - Parameter hasSentSome: Whether other content was sent. If not, the first failure determines the exit code.
  /// - Returns: The failure, with the message of the first failure and the number of further failures.
  func failure(hasSentSome: Bool) -> ToolFailure? {
    let (first, count) = known.withLock { $0 }
    guard let first = first.map({ ToolFailure($0) }) else { return nil }
    let others = count > 1 ? ", and \(count - 1) more" : ""
    return ToolFailure(
      hasSentSome ? .partial : first.exitCode, "some content failed to load: \(first.message)\(others)")
  }
}
