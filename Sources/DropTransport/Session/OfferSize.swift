// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The memory cost of an open offer: the length of its description and the number of its types.
struct OfferSize: Hashable, Sendable {
  /// The length of the description in bytes.
  var bytes = 0
  /// The number of representation types and their supertypes.
  ///
  /// Each takes far more memory than its bytes.
  var types = 0

  init() {}

  init(of item: DropOffer, bytes: Int) {
    self.bytes = bytes
    types = item.representations.reduce(0) { $0 + 1 + $1.supertypes.count }
  }

  static func += (sum: inout OfferSize, other: OfferSize) {
    sum.bytes += other.bytes
    sum.types += other.types
  }

  /// Returns a description of the limit that the size exceeds; `nil` if it exceeds none.
  func excess(over limits: DropStreamLimits) -> String? {
    if bytes > limits.openOfferBytes { return "open offers of more than \(limits.openOfferBytes) bytes of description" }
    if types > limits.openOfferTypes { return "open offers with more than \(limits.openOfferTypes) types" }
    return nil
  }
}

extension Sequence<OfferSize> {
  var sum: OfferSize { reduce(into: OfferSize()) { $0 += $1 } }
}
