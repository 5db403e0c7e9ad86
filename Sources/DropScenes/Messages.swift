// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

extension ItemProvider {
  /// Creates an item that carries a message as CBOR.
  convenience init(message: some Encodable & Sendable, _ type: UTType) {
    self.init()
    register(type) { _ in try CBOREncoder().encode(message) }
  }

  /// The maximum length of a message in bytes.
  static let maximumMessageLength = 16 << 20

  /// Loads and decodes the message of an item.
  ///
  /// - Throws: `SharedListError.invalidMessage` for a message that exceeds the limit or cannot be decoded, and the
  ///   errors of loading the item.
  func message<Message: Decodable & Sendable>(
    _ message: Message.Type, _ type: UTType, atMost maximumLength: Int = maximumMessageLength
  ) async throws -> Message {
    var data = Data()
    for try await chunk in try await bytes(for: type) {
      guard data.count + chunk.count <= maximumLength else {
        throw SharedListError(.invalidMessage, "message exceeds the limit of \(maximumLength) bytes")
      }
      data += chunk
    }
    do {
      return try CBORDecoder().decodeForeign(message, from: data)
    } catch {
      throw SharedListError(.invalidMessage, "message cannot be decoded: \("\(error)".escapedForDisplay())")
    }
  }
}

extension IncomingDrop {
  /// Finishes the drop; has no effect if no response is needed any more (see `needsNoResponse`).
  func finishUnlessWithdrawn(_ action: DropAction = .copy) async throws(DropStreamError) {
    do throws(DropStreamError) {
      try await finish(action)
    } catch {
      if !error.needsNoResponse { throw error }
    }
  }

  /// Refuses the drop; has no effect if no response is needed any more (see `needsNoResponse`).
  func refuseUnlessWithdrawn(because reason: String) async throws(DropStreamError) {
    do throws(DropStreamError) {
      try await refuse(because: reason)
    } catch {
      if !error.needsNoResponse { throw error }
    }
  }
}

extension DropStreamError {
  /// Whether no response is needed: the peer has withdrawn its offer, has received a response before, or is gone, or
  /// this task was cancelled.
  var needsNoResponse: Bool { [.withdrawn, .peerGone, .closed, .cancelled].contains(code) }
}

extension Error {
  /// The transport's error, which may be the underlying error of a failed load.
  var dropStreamError: DropStreamError? {
    self as? DropStreamError ?? (self as? ItemProviderError)?.underlyingError as? DropStreamError
  }
}
