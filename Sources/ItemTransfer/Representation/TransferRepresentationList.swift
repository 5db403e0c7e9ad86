// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import UniformTypes

/// All representations of a type, in order: the result of the builder.
public struct TransferRepresentationList<Item: Transferable>: Sendable {
  struct Exporter: Sendable {
    let contentType: UTType
    var visibility = ItemVisibility.all
    var opensInPlace = false
    /// Returns whether a value has this representation; `nil` means all values.
    var condition: (@Sendable (Item) -> Bool)?
    let export: @Sendable (Item, ItemProgress) async throws -> ItemContent
  }

  var exporters: [Exporter] = []
  var importers: [ItemImporter<Item>] = []
  /// A suggested file name.
  enum SuggestedName: Sendable {
    case fixed(String)
    case ofValue(@Sendable (Item) -> String?)
  }

  /// The suggested file name; the last suggestion wins.
  var suggestedName: SuggestedName?
  /// Whether the list depends on an `if` or a `switch` in the builder, whose result may change.
  var isConditional = false

  func representations(of item: Item) -> [ItemRepresentation] {
    exporters.compactMap { exporter in
      if let condition = exporter.condition, !condition(item) { return nil }
      return ItemRepresentation(
        contentType: exporter.contentType, visibility: exporter.visibility, opensInPlace: exporter.opensInPlace
      ) { try await exporter.export(item, $0) }
    }
  }

  func suggestedName(of item: Item) -> String? {
    switch suggestedName {
    case .fixed(let name): name
    case .ofValue(let name): name(item)
    case nil: nil
    }
  }
}

/// An importer whose value type is erased.
///
/// The choice of an importer does not need this type, whose lookup at run time is slow.
class ItemImporterOfType: @unchecked Sendable {
  final let contentType: UTType

  fileprivate init(contentType: UTType) {
    self.contentType = contentType
  }
}

/// An importer that creates a value from a representation in one form.
final class ItemImporter<Item: Sendable>: ItemImporterOfType, @unchecked Sendable {
  enum Method: Sendable {
    case data(@Sendable (Data) async throws -> Item)
    /// Decodes bytes without suspension.
    case decoding(@Sendable (Data) throws -> Item)
    case file(inPlace: Bool, @Sendable (ReceivedTransferredFile) async throws -> Item)
    /// Imports another value, which chooses among its own importers.
    case proxy(@Sendable (ItemRepresentation, _ suggestedName: String?, ItemProgress) async throws -> Item)
  }

  private let method: Method

  init(contentType: UTType, method: Method) {
    self.method = method
    super.init(contentType: contentType)
  }

  /// Loads a representation in the form of this importer, and imports the value.
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
      let file = try await representation.loadedFile(
        suggestedName: suggestedName, inPlace: inPlace, progress: progress)
      return try await ItemProviderError.wrappingForeign(type, as: .undecodable) { try await file.use(makeItem) }
    case .proxy(let makeItem):
      return try await ItemProviderError.wrapping(type, as: .undecodable) {
        try await makeItem(representation, suggestedName, progress)
      }
    }
  }
}
