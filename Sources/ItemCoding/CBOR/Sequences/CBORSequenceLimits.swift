// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How much a reader of a CBOR sequence is willing to take in before it gives up.
///
/// However long a sequence is, no more of it is kept than one item and what has been appended and not gone through.
public struct CBORSequenceLimits: Sendable, Hashable {
  /// The most bytes one item of the sequence may have; 16 777 216 (16 MiB) unless it is said otherwise.
  ///
  /// A length that goes beyond it is refused where it is announced, before the bytes have come.
  public var itemBytes: Int

  /// Takes limits other than the default ones.
  public init(itemBytes: Int = 16 << 20) {
    self.itemBytes = itemBytes
  }

  /// No limit at all, for data of your own: bytes from elsewhere can then exhaust the memory.
  public static let unlimited = CBORSequenceLimits(itemBytes: .max)
}
