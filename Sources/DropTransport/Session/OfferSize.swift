// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How much an offer asks of whoever keeps it: what it says, and how many things it says it of.
struct OfferSize: Hashable, Sendable {
  /// Bytes of description.
  var bytes = 0
  /// Types of representations, and their supertypes: each takes far more memory than its bytes.
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

  /// What is too much of it, if anything.
  func excess(over limits: DropStreamLimits) -> String? {
    if bytes > limits.openOfferBytes { return "open offers of more than \(limits.openOfferBytes) bytes of description" }
    if types > limits.openOfferTypes { return "open offers with more than \(limits.openOfferTypes) types" }
    return nil
  }
}

extension Sequence<OfferSize> {
  var sum: OfferSize { reduce(into: OfferSize()) { $0 += $1 } }
}
