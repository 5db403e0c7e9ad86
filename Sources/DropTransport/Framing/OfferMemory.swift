// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The representations of the item before, by their bytes: most streams offer one like another.
///
/// Belongs to the one parser of a stream.
final class OfferMemory: @unchecked Sendable {
  private var known: [(bytes: [UInt8], representation: DropOffer.Representation)?] = []

  /// The representation at `index`, if the item before had the same there.
  func representation(_ index: Int, _ bytes: ArraySlice<UInt8>) -> DropOffer.Representation? {
    guard index < known.count, let entry = known[index], entry.bytes.count == bytes.count else { return nil }
    let isSame = entry.bytes.withUnsafeBytes { known in
      bytes.withUnsafeBytes { bytes in
        guard let known = known.baseAddress, let start = bytes.baseAddress else { return true }
        return memcmp(known, start, bytes.count) == 0
      }
    }
    return isSame ? entry.representation : nil
  }

  func remember(_ representation: DropOffer.Representation, _ index: Int, _ bytes: ArraySlice<UInt8>) {
    while known.count <= index { known.append(nil) }
    known[index] = (Array(bytes), representation)
  }
}
