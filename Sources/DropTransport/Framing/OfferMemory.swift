// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The item before by its bytes, whole and by its representations: most streams offer one like another, but for names.
///
/// Belongs to the one parser of a stream.
final class OfferMemory: @unchecked Sendable {
  private var whole: (bytes: [UInt8], offer: DropOffer)?
  private var known: [(bytes: [UInt8], representation: DropOffer.Representation)?] = []

  /// The offer, if that of the item before was the same.
  func offer(_ bytes: UnsafeRawBufferPointer) -> DropOffer? {
    guard let whole, Self.areEqual(whole.bytes, bytes) else { return nil }
    return whole.offer
  }

  func remember(_ offer: DropOffer, _ bytes: UnsafeRawBufferPointer) {
    // What is long is rarely said twice, and need not be kept twice.
    whole = bytes.count <= 4096 ? (Array(bytes), offer) : nil
  }

  /// The representation at `index`, if the item before had the same there.
  func representation(_ index: Int, _ bytes: ArraySlice<UInt8>) -> DropOffer.Representation? {
    guard index < known.count, let entry = known[index] else { return nil }
    return bytes.withUnsafeBytes { Self.areEqual(entry.bytes, $0) } ? entry.representation : nil
  }

  func remember(_ representation: DropOffer.Representation, _ index: Int, _ bytes: ArraySlice<UInt8>) {
    while known.count <= index { known.append(nil) }
    known[index] = (Array(bytes), representation)
  }

  private static func areEqual(_ known: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard known.count == bytes.count else { return false }
    return known.withUnsafeBytes { known in
      guard let start = known.baseAddress, let other = bytes.baseAddress else { return true }
      return memcmp(start, other, known.count) == 0
    }
  }
}
