// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import ItemTransfer
public import UniformTypes

/// The description of an item in a stream, without its content.
public struct DropItemDescription: Sendable, Hashable {
  /// A representation of the item.
  public struct Representation: Sendable, Hashable {
    /// The type that the source states.
    public let contentType: UTType
    /// The number of bytes; 0 if the source could not load the representation.
    public let byteCount: UInt64
    /// The CRC32C of the bytes; `nil` if they were not read, or if the source could not load them.
    public let crc32c: UInt32?
    /// The failure of the source, if it could not load the representation.
    public let failure: SenderFailure?
    /// Whether the representation has the bytes of an earlier representation, which were sent only once.
    public private(set) var isAlias = false
    /// The first bytes, at most as many as were requested.
    package let prefix: [UInt8]
    /// The entries of a folder; `nil` for other content, and if they were not requested.
    package fileprivate(set) var entries: FolderEntries?

    init(
      contentType: UTType, byteCount: UInt64, crc32c: UInt32?, failure: SenderFailure? = nil, prefix: [UInt8] = []
    ) {
      self.contentType = contentType
      self.byteCount = byteCount
      self.crc32c = crc32c
      self.failure = failure
      self.prefix = prefix
    }

    /// Returns a description of the same bytes under another type.
    func aliased(as type: UTType) -> Self {
      var alias = Self(contentType: type, byteCount: byteCount, crc32c: crc32c, failure: failure, prefix: prefix)
      alias.isAlias = true
      return alias
    }
  }

  /// The untrusted name that the source suggests, if any.
  ///
  /// Escape it before you print it to a terminal.
  public let suggestedName: String?
  /// The untrusted path of the folder of the file, if any; see ``/ItemTransfer/ItemFileAttributes/folder``.
  public let folder: String?
  /// The representations, in the order of the source.
  public let representations: [Representation]
}

/// The descriptions of the items of a drop stream.
///
/// Content is verified, but not retained.
///
/// The sequence is a single pass. When the loop ends without an error, the stream is verified.
public struct DropStreamInspector: AsyncSequence, Sendable {
  /// The description of an item.
  public typealias Element = DropItemDescription
  /// An error of the stream.
  public typealias Failure = DropStreamError

  let items: StreamReader<MeterSink>

  /// Starts or continues the single pass.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(items: items)
  }

  /// An iterator over the items.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let items: StreamReader<MeterSink>

    /// Returns the next item; `nil` at the verified end.
    ///
    /// - Throws: `DropStreamError`; the code is `cancelled` if the task is cancelled, which ends the stream.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(DropStreamError) -> DropItemDescription? {
      try await items.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension DropStreamInspector.AsyncIterator: Sendable {}

/// A sink that measures representations, and retains at most their first bytes.
struct MeterSink: ItemSink {
  /// Returns the number of bytes to retain of a representation of a type.
  private let prefixLength: (@Sendable (UTType) -> Int)?
  /// Whether to list the entries of folders.
  private let listsFolders: Bool
  /// The reader of the current representation, if it is a folder to list.
  private var folder: FolderEntryReader?
  private var offer = DropOffer(representations: [])
  private var measured: [DropItemDescription.Representation] = []
  private var crc = CRC32C()
  private var prefix: [UInt8] = []
  /// The number of bytes of the representation that are still to be retained.
  private var wanted = 0

  init(prefixLength: (@Sendable (UTType) -> Int)? = nil, listsFolders: Bool = false) {
    self.prefixLength = prefixLength
    self.listsFolders = listsFolders
  }

  mutating func begin(_ offer: DropOffer) {
    self.offer = offer
    measured.removeAll()
    beginRepresentation()
  }

  private mutating func beginRepresentation() {
    crc = CRC32C()
    folder = nil
    prefix = []
    guard measured.count < offer.representations.count else { return }
    if listsFolders {
      let offered = offer.representations[measured.count]
      let traits = ItemRepresentation.Traits(offered: offered, size: .unknown, aliasedType: nil)
      if traits.conforms(to: .directory) {
        folder = FolderEntryReader(earlierCount: measured.reduce(0) { $0 + ($1.entries?.all.count ?? 0) })
      }
    }
    guard let prefixLength else { return }
    wanted = prefixLength(UTType(named: offer.representations[measured.count].typeIdentifier))
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    crc.update(bytes)
    folder?.append(bytes)
    guard wanted > 0 else { return }
    prefix += bytes.prefix(wanted)
    wanted -= min(wanted, bytes.count)
  }

  mutating func append(zeros count: UInt64) {
    crc.update(zeros: count)
    folder?.append(zeros: count)
    let kept = Int(min(count, UInt64(wanted)))
    prefix += repeatElement(0, count: kept)
    wanted -= kept
  }

  mutating func endRepresentation(byteCount: UInt64) {
    let type = UTType(named: offer.representations[measured.count].typeIdentifier)
    var description = DropItemDescription.Representation(
      contentType: type, byteCount: byteCount, crc32c: crc.value, prefix: prefix)
    description.entries = folder?.finish()
    measured.append(description)
    takeAliases()
    beginRepresentation()
  }

  mutating func failRepresentation(_ failure: SenderFailure) {
    let type = UTType(named: offer.representations[measured.count].typeIdentifier)
    measured.append(.init(contentType: type, byteCount: 0, crc32c: nil, failure: failure))
    takeAliases()
    beginRepresentation()
  }

  /// Adds the aliases that follow, whose bytes have been received.
  private mutating func takeAliases() {
    for original in offer.originals(ofAliasesAt: measured.count) {
      let type = UTType(named: offer.representations[measured.count].typeIdentifier)
      measured.append(measured[original].aliased(as: type))
    }
  }

  mutating func endItem() -> DropItemDescription {
    DropItemDescription(
      suggestedName: offer.suggestedName, folder: offer.attributes.folder, representations: measured)
  }

  mutating func endStream() {}

  mutating func abandon() {}
}
