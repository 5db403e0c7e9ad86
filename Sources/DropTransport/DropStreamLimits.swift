// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
