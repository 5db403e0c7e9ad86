// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import UniformTypes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

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

  struct Importer: Sendable {
    enum Method: Sendable {
      case data(@Sendable (Data) async throws -> Item)
      case file(inPlace: Bool, @Sendable (ReceivedTransferredFile) async throws -> Item)
      /// By another value, which chooses among its own importers.
      case proxy(@Sendable (ItemRepresentation, _ suggestedName: String?, ItemProgress) async throws -> Item)
    }

    let contentType: UTType
    let method: Method
  }

  var exporters: [Exporter] = []
  var importers: [Importer] = []
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

extension TransferRepresentationList.Importer {
  /// Loads a representation in the form the importer takes, and makes the value of it.
  func value(
    from representation: ItemRepresentation, suggestedName: String?, progress: ItemProgress
  ) async throws(ItemProviderError) -> Item {
    let type = representation.contentType
    switch method {
    case .data(let makeItem):
      let data = try await representation.data(progress: progress)
      return try await ItemProviderError.wrappingForeign(type, as: .undecodable) { try await makeItem(data) }
    case .file(let inPlace, let makeItem):
      let file = try await representation.lentFile(
        suggestedName: suggestedName, inPlace: inPlace, progress: progress)
      return try await ItemProviderError.wrappingForeign(type, as: .undecodable) { try await file.lend(to: makeItem) }
    case .proxy(let makeItem):
      return try await ItemProviderError.wrapping(type, as: .undecodable) {
        try await makeItem(representation, suggestedName, progress)
      }
    }
  }
}
