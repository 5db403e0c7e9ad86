// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import UniformTypes

/// Every representation of a type, in its order: what the module works with once the builder has done its part.
public struct TransferRepresentationList<Item: Transferable>: Sendable {
  struct Exporter: Sendable {
    let contentType: UTType
    var visibility = ItemVisibility.all
    var opensInPlace = false
    /// Which values have this representation; `nil`: all.
    var condition: (@Sendable (Item) -> Bool)?
    let export: @Sendable (Item, ItemProgress) async throws -> ItemContent
  }

  var exporters: [Exporter] = []
  var importers: [ItemImporter<Item>] = []
  /// The last one that is stated counts.
  var suggestedFileName: (@Sendable (Item) -> String?)?
  /// Whether there was a choice between representations, which may fall otherwise the next time.
  var isChosen = false

  func exporters(of item: Item) -> [ItemRepresentation] {
    exporters.compactMap { exporter in
      if let condition = exporter.condition, !condition(item) { return nil }
      return ItemRepresentation(
        contentType: exporter.contentType, visibility: exporter.visibility, opensInPlace: exporter.opensInPlace
      ) { try await exporter.export(item, $0) }
    }
  }

  func suggestedFileName(of item: Item) -> String? {
    suggestedFileName?(item)
  }
}
