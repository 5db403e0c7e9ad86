// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import UniformTypes

/// What a stream holds of one item, without the content.
public struct DropItemDescription: Sendable, Hashable {
  /// One form in which the item is there.
  public struct Representation: Sendable, Hashable {
    /// What the source says it is.
    public let contentType: UTType
    /// How many bytes have come; 0 of one that the source could not make.
    public let byteCount: UInt64
    /// The CRC32C of those bytes.
    public let crc32c: UInt32
    /// Why the source could not make it, where it could not.
    public let failure: SenderFailure?
    /// Whether its bytes are those of an earlier representation, and came once.
    public private(set) var isAlias = false
    /// The first of those bytes, as many as were asked for.
    package let prefix: [UInt8]

    init(
      contentType: UTType, byteCount: UInt64, crc32c: UInt32, failure: SenderFailure? = nil, prefix: [UInt8] = []
    ) {
      self.contentType = contentType
      self.byteCount = byteCount
      self.crc32c = crc32c
      self.failure = failure
      self.prefix = prefix
    }

    /// The same bytes under another type.
    func aliased(as type: UTType) -> Self {
      var alias = Self(contentType: type, byteCount: byteCount, crc32c: crc32c, failure: failure, prefix: prefix)
      alias.isAlias = true
      return alias
    }
  }

  /// The name the source suggests, as it came: escape it before a terminal sees it.
  public let suggestedName: String?
  /// The folder the file was in, as it came; see ``/ItemTransfer/ItemFileAttributes/folder``.
  public let folder: String?
  /// In the source's order.
  public let representations: [Representation]
}

/// The items of a drop stream, measured and checked as they pass; content is not kept.
///
/// A single pass: when the loop ends without an error, the stream has ended and is verified.
public struct DropStreamInspector: AsyncSequence, Sendable {
  /// One item's description.
  public typealias Element = DropItemDescription
  /// Everything that can be wrong with a stream.
  public typealias Failure = DropStreamError

  let items: LaneItems<MeterSink>

  /// Starts, or goes on with, the one pass.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(items: items)
  }

  /// Walks the items.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let items: LaneItems<MeterSink>

    /// The next item; `nil` at the verified end.
    ///
    /// - Throws: `DropStreamError`; cancelling the task ends the stream with the code `cancelled`.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(DropStreamError) -> DropItemDescription? {
      try await items.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension DropStreamInspector.AsyncIterator: Sendable {}
