// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer
internal import UniformTypes

/// What was said of the item before: most items of a stream offer the same as the one before, but for their names.
struct OfferTemplate {
  private let limits: DropStreamLimits
  private var traits: [ItemRepresentation.Traits] = []
  /// Of the declarations, which say what types conform to.
  private var generation = 0
  private(set) var representations: [DropOffer.Representation] = []
  /// The representations as fields of an offer.
  private(set) var fields: [UInt8] = []
  /// How long an offer of these gets, without a name.
  private var maximumLength = 0

  init(limits: DropStreamLimits) {
    self.limits = limits
  }

  /// Sees to it that the template is that of an item; refuses here what its reader would refuse there.
  ///
  /// - Throws: `representationFailed`.
  mutating func fit(
    _ offered: [ItemRepresentation], suggestedName: String?, folder: String?
  ) throws(DropStreamError) {
    let now = TypeRegistry.shared.generation
    if now != generation || !isFitting(offered) {
      // What is thrown must not leave the half of one.
      traits = []
      let offer = try DropOffer(suggestedName: nil, offered, limits: limits)
      representations = offer.representations
      maximumLength = offer.maximumLength
      fields.removeAll(keepingCapacity: true)
      offer.append(to: &fields)
      generation = now
      traits = offered.map(\.traits)
    }
    try DropOffer.check(
      suggestedName: suggestedName, folder: folder,
      maximumLength: maximumLength + (suggestedName?.utf8.count ?? 0) + (folder?.utf8.count ?? 0), limits: limits)
  }

  private func isFitting(_ offered: [ItemRepresentation]) -> Bool {
    guard offered.count == traits.count, !traits.isEmpty else { return false }
    for index in offered.indices where !offered[index].traits.reads(as: traits[index]) { return false }
    return true
  }
}
