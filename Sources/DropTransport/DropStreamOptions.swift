// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
public import ItemTransfer

/// Options for writing or reading a drop stream.
public struct DropStreamOptions: Sendable, Hashable {
  /// The limits of a reader.
  ///
  /// A writer rejects an item that a reader with these limits would reject, and omits further supertypes. Raise a limit
  /// only if every reader raises it too.
  public var limits = DropStreamLimits()
  /// The longest time without the transfer of a byte.
  ///
  /// In a session it limits each wait for the peer, from the handshake to the acknowledgement. It does not limit the
  /// time in which this side loads a requested representation, or in which the peer processes an offer. `nil` waits
  /// without limit, except in sessions:
  ///
  /// - 30 seconds for a listener with a full queue, and 30 seconds for its handshake
  /// - ``DropListener/defaultHandshakeTimeout`` for the handshake of a process that has connected to a listener
  /// - ``DropListener/defaultSilenceTimeout`` for the silence of such a process
  public var idleTimeout: Duration?
  /// The audience of a writer, or of the offers of a session.
  ///
  /// Representations that are not visible to this audience are omitted.
  ///
  /// A pipe does not identify its reader, so the caller sets the audience. In a session over one local socket to a
  /// process of the same user, `all` and `group` are treated as `team`. Readers ignore this option.
  public var audience = ItemVisibility.all
  /// Whether this side of a session accepts files as open descriptors, which is fast but not verified.
  ///
  /// The owner of such a file may change it while it is read. ``IncomingDrop/uncheckedTypes(ofItem:)`` returns the
  /// types that arrived in this way.
  ///
  /// A file that is requested in place may always arrive as a descriptor, and so may sealed memory.
  public var acceptsUncheckedFiles = false
  /// Whether a stream to a pipe or descriptor has an index, as every file has.
  ///
  /// Set this if the reader stores the bytes, such as a program that uploads them. ``DropFile`` can then read them.
  public var writesIndex = false
  /// The length of a chunk of long content in bytes.
  ///
  /// Content up to 64 KiB is collected to writes of about that length, or of a chunk if that is shorter.
  ///
  /// Values below 1 or above 16 MiB are clamped.
  public var chunkLength: Int {
    didSet { chunkLength = min(max(chunkLength, 1), 1 << 24) }
  }

  /// The default length of a chunk in bytes: whole pages, which the kernel can move.
  ///
  /// The time of `send FILE | receive DIR` with 1 GiB, as a multiple of the time of `cat FILE | cat`, by the lengths of
  /// chunks, input buffers and pipes in KiB. Medians of 7 to 11 runs in turn, on 2 processors with 1 MiB of cache each:
  ///
  /// | chunk and buffer / pipe | 64 / 256 | 256 / 256 | 256 / 1024 | 512 / 512 | 512 / 1024 | 1024 / 1024 |
  /// |---|---|---|---|---|---|---|
  /// | ext4 | 1.23 | 0.93 | 0.82 | 0.81 | 0.75 | 0.74 |
  /// | tmpfs | 1.04 | 0.97 | 0.96 | 0.92 | 0.86 | 0.92 |
  static let defaultChunkLength = 512 << 10

  /// The file whose owner and permissions a new drop file gets, because it replaces that file with more items.
  package var formerFile: FileStatus?

  /// Whether this side of a session states that it takes drops and offers none.
  ///
  /// Set this for a listener that receives: `dragpipe send --to unix:PATH` then sends to it.
  public var onlyTakesDrops = false

  /// Creates the default options: no timeout, and chunks of 512 KiB.
  public init() {
    chunkLength = Self.defaultChunkLength
  }
}

/// The limits of a reader.
///
/// A reader compares every number in a stream with its limit before it allocates memory.
public struct DropStreamLimits: Sendable, Hashable {
  /// The maximum number of items in a stream, in a drop file, or in an offer of a session.
  ///
  /// A destination keeps the names of all items in memory, even of empty ones.
  public var items: UInt64 = 100_000
  /// The maximum number of representations of an item.
  public var representations = 64
  /// The maximum number of bytes of content in a stream, or received in a session.
  ///
  /// In a session, only the representations beyond the limit fail.
  public var bytes: UInt64 = .max
  /// The maximum number of bytes of all skipped frames together.
  ///
  /// The index and the padding of a file are exempt, up to an allowance that grows with each offered item.
  public var ancillaryBytes: UInt64 = 1 << 30
  /// The maximum number of payload bytes of an offer, or of another frame that is not content.
  public var metadataBytes = 65_536
  /// The maximum number of bytes of all open offers of one side of a session.
  ///
  /// A session applies the limit to its own offers as well. Raise it only if the peer raises it too.
  public var openOfferBytes = 16 << 20
  /// The maximum number of types in these offers: the type of each representation, and its stated supertypes.
  public var openOfferTypes = 131_072
  /// The maximum number of bytes of a suggested name.
  public var nameBytes = 1024
  /// The maximum number of bytes of the path of a file's folder.
  public var folderBytes = 4096
  /// The maximum number of supertypes that are stated for a type.
  public var supertypes = 64
  /// The maximum number of bytes of a type identifier.
  ///
  /// The default suffices for a dynamic identifier of the longest possible file extension.
  public var typeIdentifierBytes = 512
  /// The maximum number of bytes of an item in memory.
  ///
  /// A representation that would exceed the limit is stored in a temporary file.
  public var bytesInMemory = 1 << 20

  /// Creates the default limits.
  public init() {}

  /// Checks the number of items that a source has.
  package func check(itemCount: UInt64) throws(DropStreamError) {
    guard itemCount <= items else { throw .excess(ofItems: items) }
  }

  /// Checks the number of bytes of content that a source has sent.
  package func check(byteCount: UInt64) throws(DropStreamError) {
    guard byteCount <= bytes else { throw .excess(ofBytes: bytes) }
  }
}
