// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import UniformTypes

/// All representations of a type, in order: the result of the builder.
public struct TransferRepresentationList<Item: Transferable>: Sendable {
  struct Exporter: Sendable {
    enum Method: Sendable {
      case content(@Sendable (Item, ItemProgress) async throws -> ItemContent)
      /// Encodes a value without suspension.
      case encoding(@Sendable (Item) throws -> Data)
    }

    let contentType: UTType
    var visibility = ItemVisibility.all
    var opensInPlace = false
    /// Returns whether a value has this representation; `nil` means all values.
    var condition: (@Sendable (Item) -> Bool)?
    let method: Method

    func export(_ item: Item, _ progress: ItemProgress) async throws -> ItemContent {
      switch method {
      case .content(let export): try await export(item, progress)
      case .encoding(let encode): .data(try encode(item))
      }
    }
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
///
/// It is safe to send: all stored properties of the class and its subclass are constant and sendable. The compiler cannot
/// check that, since the class is not final.
class AnyItemImporter: @unchecked Sendable {
  final let contentType: UTType
  /// Whether the importer decodes bytes without suspension.
  final let isDecoder: Bool

  fileprivate init(contentType: UTType, isDecoder: Bool) {
    self.contentType = contentType
    self.isDecoder = isDecoder
  }
}

/// An importer that creates a value from a representation in one form.
final class ItemImporter<Item: Sendable>: AnyItemImporter, @unchecked Sendable {
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
    let isDecoder = if case .decoding = method { true } else { false }
    super.init(contentType: contentType, isDecoder: isDecoder)
  }

  /// Decodes bytes of a type.
  ///
  /// - Precondition: The importer is a decoder.
  func value(decoding data: Data, of type: UTType) throws(ItemProviderError) -> Item {
    guard case .decoding(let makeItem) = method else { preconditionFailure("the importer may suspend") }
    do {
      return try makeItem(data)
    } catch {
      throw ItemProviderError(caughtForeign: error, contentType: type, as: .undecodable)
    }
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
    case .decoding:
      return try value(decoding: try await representation.data(progress: progress), of: type)
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
