// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import ItemTransfer

/// How a drop stream is written or read.
public struct DropStreamOptions: Sendable, Hashable {
  /// What a reader allows.
  ///
  /// A writer offers no more representations and no longer types than that, and leaves out further supertypes: raise
  /// these where every reader will, too.
  public var limits = DropStreamLimits()
  /// The longest time that may pass without a byte moving.
  ///
  /// In a session it limits each wait for the other side, from the handshake to the acknowledgement. Time in which this
  /// side makes what was requested does not count, nor time in which the other side works on an offer that it has taken.
  /// `nil` waits for ever, but 30 seconds for a session's handshake, and
  /// ``DropListener/defaultSilenceTimeout`` for a peer of a listener that shows no sign of life.
  public var idleTimeout: Duration?
  /// How near the reader is: a writer leaves out the representations that are not visible there.
  ///
  /// A pipe cannot tell, so that whoever writes to one must know. A reader has no use for it.
  public var audience = ItemVisibility.all
  /// Whether a session's files may come as open files, which are quick to have but which nothing checks.
  ///
  /// Their owner may change them meanwhile. ``IncomingDrop/uncheckedTypes(ofItem:)`` tells which did.
  ///
  /// A file that is asked for in place always comes so, and memory that nobody can change any more needs no leave.
  public var acceptsUncheckedFiles = false
  /// The length of a chunk of content, and about how much is written at once; in bytes, from 1 to 16 MiB.
  public var chunkLength: Int {
    didSet { chunkLength = min(max(chunkLength, 1), 1 << 24) }
  }

  /// The defaults: no timeout, chunks that make frames of 64 KiB, which stay in a processor's cache on their way.
  public init() {
    chunkLength = (64 << 10) - FrameHeader.length - FrameHeader.checkLength
  }
}

/// What a reader allows a stream to ask of it.
///
/// Every number from outside is held against these before memory is reserved for it.
public struct DropStreamLimits: Sendable, Hashable {
  /// Items in a stream.
  public var items: UInt64 = .max
  /// Representations of an item.
  public var representations = 64
  /// Bytes of content in a stream, or that are received in a session: there, what goes beyond them fails by itself.
  public var bytes: UInt64 = .max
  /// Bytes of all frames together that are only skipped.
  ///
  /// The index and the padding of a file do not count, as far as its items account for them.
  public var ancillaryBytes: UInt64 = 1 << 30
  /// Bytes of an offer or another frame that is no content.
  public var metadataBytes = 65_536
  /// Bytes of description of all offers of one side of a session that are open at once.
  ///
  /// A session keeps to it with its own offers as well: raise it where the other side will, too.
  public var openOfferBytes = 16 << 20
  /// Types that those offers name: one for each representation, and its supertypes.
  public var openOfferTypes = 131_072
  /// Bytes of a suggested name.
  public var nameBytes = 1024
  /// Bytes of the path of the folder that a file was in.
  public var folderBytes = 4096
  /// Supertypes that are stated of a type.
  public var supertypes = 64
  /// Bytes of a type identifier; the default lets a dynamic one tell the longest extension that a file can have.
  public var typeIdentifierBytes = 512
  /// Bytes of an item that are kept in memory; a representation beyond them goes to a temporary file.
  public var bytesInMemory = 1 << 20

  /// The defaults.
  public init() {}

  /// What is said of a stream or an offer beyond ``items``.
  var excessOfItems: String { "more than \(items) \(items == 1 ? "item" : "items")" }
}
