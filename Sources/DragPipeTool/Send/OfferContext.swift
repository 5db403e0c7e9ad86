// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// What the loaders of a sender's items know of the world.
struct OfferContext: Sendable {
  let environment: ToolEnvironment
  /// Whether the items are asked for, each when it is wanted, or all written down a stream.
  let isTwoWay: Bool
  /// The file that the drop is written to, where it is one that is there already.
  let target: FileStatus?
  /// Whether a receiver may take files themselves.
  let allowsOriginals: Bool
  /// The longest wait for what somebody else writes.
  let idleTimeout: Duration?
  private let readDescriptors = ReadDescriptors()

  init(
    _ environment: ToolEnvironment, _ endpoint: EndpointArgument, allowsOriginals: Bool = false, idleTimeout: Duration?
  ) {
    self.allowsOriginals = allowsOriginals
    self.environment = environment
    isTwoWay = endpoint.isTwoWay
    target = endpoint.file(standard: environment.output)
    self.idleTimeout = idleTimeout
  }

  /// What a file has, or standard input where it is called `-`.
  func chunks(of file: String) throws(DropStreamError) -> ChunkSource {
    try ChunkSource(file == "-" ? environment.inputEndpoint() : .file(file), idleTimeout: idleTimeout)
  }

  /// Promises what is left to read of a descriptor of this process.
  ///
  /// - Throws: From the loader, `failure` when it is asked a second time: the rest would pass for the whole.
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
    throw ToolFailure(.failure, "\(name) can be read once, and has been")
  }
}

/// The descriptors that were read, each of which can be read once.
private final class ReadDescriptors: Sendable {
  private let all = Lock<Set<CInt>>([])

  /// - Returns: Whether it was not read before.
  func add(_ descriptor: CInt) -> Bool { all.withLock { $0.insert(descriptor).inserted } }
}
