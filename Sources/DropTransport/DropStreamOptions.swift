// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import ItemTransfer

/// Options for writing or reading a drop stream.
public struct DropStreamOptions: Sendable, Hashable {
  /// The limits of a reader.
  ///
  /// A writer rejects items with more representations or longer types, and omits further supertypes. Raise a limit only
  /// if every reader raises it too.
  public var limits = DropStreamLimits()
  /// The longest time without the transfer of a byte.
  ///
  /// In a session it limits each wait for the peer, from the handshake to the acknowledgement. The time in which this
  /// side loads a requested representation does not count, nor the time in which the peer processes an offer.
  /// `nil` waits without limit, with two exceptions: 30 seconds for a session's handshake, and
  /// ``DropListener/defaultSilenceTimeout`` for a silent peer of a listener.
  public var idleTimeout: Duration?
  /// The audience of a writer, which omits the representations that are not visible to it.
  ///
  /// A pipe does not identify its reader, so the caller sets the audience. Readers ignore it.
  public var audience = ItemVisibility.all
  /// Whether a session may pass files as open descriptors, which is fast but not verified.
  ///
  /// Their owner may change them meanwhile. ``IncomingDrop/uncheckedTypes(ofItem:)`` returns which were passed so.
  ///
  /// Files that are requested in place are always passed so. Sealed memory is passed regardless of this option.
  public var acceptsUncheckedFiles = false
  /// Whether a stream to a pipe or descriptor has an index, as every file has.
  ///
  /// Set this if the reader stores the bytes, such as a program that uploads them. ``DropFile`` can then read them.
  public var writesIndex = false
  /// The length of a chunk of content, and the approximate length of a write: 1 byte to 16 MiB.
  public var chunkLength: Int {
    didSet { chunkLength = min(max(chunkLength, 1), 1 << 24) }
  }

  /// Creates the default options: no timeout, and chunks whose frames are 64 KiB, which stay in the processor's cache.
  public init() {
    chunkLength = (64 << 10) - FrameHeader.length - FrameHeader.checkLength
  }
}

/// The limits of a reader.
///
/// A reader compares every number in a stream with its limit before it allocates memory.
public struct DropStreamLimits: Sendable, Hashable {
  /// The maximum number of items in a stream.
  public var items: UInt64 = .max
  /// The maximum number of representations of an item.
  public var representations = 64
  /// The maximum number of bytes of content in a stream, or received in a session.
  ///
  /// In a session, only the representation that exceeds it fails.
  public var bytes: UInt64 = .max
  /// The maximum number of bytes of all skipped frames together.
  ///
  /// The index and the padding of a file do not count, as far as its items account for them.
  public var ancillaryBytes: UInt64 = 1 << 30
  /// The maximum number of bytes of an offer, or of another frame that is not content.
  public var metadataBytes = 65_536
  /// The maximum number of bytes of all open offers of one side of a session.
  ///
  /// A session applies it to its own offers as well. Raise it only if the peer raises it too.
  public var openOfferBytes = 16 << 20
  /// The maximum number of types in those offers: one for each representation, and its supertypes.
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
  /// A representation that exceeds it goes to a temporary file.
  public var bytesInMemory = 1 << 20

  /// Creates the default limits.
  public init() {}

  /// The message for a stream or an offer that exceeds ``items``.
  var excessOfItems: String { "more than \(items) \(items == 1 ? "item" : "items")" }
}
