// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
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
  /// The longest wait for what somebody else writes.
  let idleTimeout: Duration?
  private let hasReadInput = InputClaim()

  init(_ environment: ToolEnvironment, _ endpoint: EndpointArgument, idleTimeout: Duration?) {
    self.environment = environment
    isTwoWay = endpoint.isTwoWay
    target = endpoint.file(standard: environment.output)
    self.idleTimeout = idleTimeout
  }

  /// What a file has, or standard input where it is called `-`.
  func chunks(of file: String) throws(DropStreamError) -> ChunkSource {
    try ChunkSource(file == "-" ? environment.inputEndpoint() : .file(file), idleTimeout: idleTimeout)
  }

  /// Promises what standard input has.
  ///
  /// - Throws: From the loader, `failure` when it is asked a second time: the rest would pass for the whole.
  func registerInput(_ type: UTType, with provider: ItemProvider) {
    if isTwoWay {
      provider.registerStream(type) { _ in
        try hasReadInput.claim()
        return try chunks(of: "-")
      }
    } else {
      provider.registerFile(type) { _ in
        try hasReadInput.claim()
        return SentTransferredFile(environment.inputURL)
      }
    }
  }
}

/// Who reads standard input, which can be read once.
private final class InputClaim: Sendable {
  private let isTaken = Lock(false)

  func claim() throws(ToolFailure) {
    let wasTaken = isTaken.withLock { isTaken in
      defer { isTaken = true }
      return isTaken
    }
    if wasTaken { throw ToolFailure(.failure, "standard input can be read once, and has been") }
  }
}
