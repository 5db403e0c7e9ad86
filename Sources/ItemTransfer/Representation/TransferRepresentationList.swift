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

/// What can make a value of a representation, whatever the value: to choose one, the type of the value is not asked for,
/// which would have the runtime look it up for each item.
class ItemImporterOfType: @unchecked Sendable {
  final let contentType: UTType

  fileprivate init(contentType: UTType) {
    self.contentType = contentType
  }
}

/// Makes a value of a representation in the form that it takes.
final class ItemImporter<Item: Sendable>: ItemImporterOfType, @unchecked Sendable {
  enum Method: Sendable {
    case data(@Sendable (Data) async throws -> Item)
    /// Of bytes, by something that does not wait.
    case decoding(@Sendable (Data) throws -> Item)
    case file(inPlace: Bool, @Sendable (ReceivedTransferredFile) async throws -> Item)
    /// By another value, which chooses among its own importers.
    case proxy(@Sendable (ItemRepresentation, _ suggestedName: String?, ItemProgress) async throws -> Item)
  }

  private let method: Method

  init(contentType: UTType, method: Method) {
    self.method = method
    super.init(contentType: contentType)
  }

  /// Loads a representation in the form the importer takes, and makes the value of it.
  nonisolated(nonsending) func value(
    from representation: ItemRepresentation, suggestedName: String?, progress: ItemProgress
  ) async throws(ItemProviderError) -> Item {
    let type = representation.contentType
    switch method {
    case .data(let makeItem):
      let data = try await representation.data(progress: progress)
      return try await ItemProviderError.wrappingForeign(type, as: .undecodable) { try await makeItem(data) }
    case .decoding(let makeItem):
      let data = try await representation.data(progress: progress)
      do {
        return try makeItem(data)
      } catch {
        throw ItemProviderError(caughtForeign: error, contentType: type, as: .undecodable)
      }
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
