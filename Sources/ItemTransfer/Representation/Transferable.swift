// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Synchronization
internal import UniformTypes

/// A value that can be transferred in one or several representations.
///
/// ```swift
/// struct Recipe: Codable, Transferable {
///   var title: String
///
///   static var transferRepresentation: some TransferRepresentation {     // best representation first
///     CodableRepresentation(contentType: .recipe)
///     DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.title.utf8) }
///   }
/// }
/// ```
///
/// Write `some TransferRepresentation`; with `some TransferRepresentation<Recipe>` the compiler cannot infer the
/// associated type. Follows Apple's
/// [`Transferable`](https://developer.apple.com/documentation/coretransferable/transferable).
@preconcurrency
public protocol Transferable: Sendable {
  /// The type of ``transferRepresentation``; inferred.
  associatedtype Representation: TransferRepresentation

  /// The representations for export and import, best representation first.
  ///
  /// The result is cached until a type is declared, unless it contains an `if` or a `switch`. Use closures for
  /// differences between values or over time.
  @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

extension Transferable {
  static var representations: TransferRepresentationList<Self> { representationsOfType.list }

  static var representationsOfType: TransferRepresentationListOf<Self> {
    // The generation is read first: a declaration in between makes this list outdated.
    let generation = TypeRegistry.shared.generation
    let cached = cachedRepresentations.withLock { $0[ObjectIdentifier(Self.self)] }
    if let cached, cached.generation == generation {
      return unsafeDowncast(cached, to: TransferRepresentationListOf<Self>.self)
    }
    return makeRepresentations(generation)
  }

  private static func makeRepresentations(_ generation: Int) -> TransferRepresentationListOf<Self> {
    var list = TransferRepresentationList<Self>()
    // `some TransferRepresentation` hides its item type, so the protocol cannot require what the builder guarantees.
    list.take(transferRepresentation.list)
    let created = TransferRepresentationListOf(list, generation)
    if !list.isConditional { cachedRepresentations.withLock { $0[ObjectIdentifier(Self.self)] = created } }
    return created
  }
}

/// A cache of the list of each type, because a program may transfer millions of values.
private let cachedRepresentations = Lock<[ObjectIdentifier: AnyTransferRepresentationList]>([:])

/// A list of representations whose value type is erased.
///
/// It is safe to send: all stored properties of the class and its subclass are constant and sendable. The compiler cannot
/// check that, since the class is not final.
class AnyTransferRepresentationList: @unchecked Sendable {
  /// The generation of the type registry when the list was created.
  fileprivate final let generation: Int
  final let exporters: [ExporterTraits]
  /// The types of the importers.
  final let importedTypes: [UTType]
  /// Whether the representations may suggest a name for a file.
  final let suggestsName: Bool

  /// The properties of an exporter that do not depend on the type of the value.
  struct ExporterTraits: Sendable {
    let traits: ItemRepresentation.Traits
    let isConditional: Bool
    /// Whether the exporter encodes values without suspension.
    let isEncoder: Bool
  }

  fileprivate init(
    _ generation: Int, _ exporters: [ExporterTraits], _ importedTypes: [UTType], suggestsName: Bool
  ) {
    self.generation = generation
    self.exporters = exporters
    self.importedTypes = importedTypes
    self.suggestsName = suggestsName
  }

  /// Returns the positions of the first representation that a value can be imported from, and of its importer; `nil` if
  /// there is none.
  final func importer(among representations: [ItemRepresentation]) -> (index: Int, importer: Int)? {
    for index in representations.indices {
      if let importer = importedTypes.firstIndex(where: { representations[index].conforms(to: $0) }) {
        return (index, importer)
      }
    }
    return nil
  }
}

/// The list of representations of a type.
final class TransferRepresentationListOf<Item: Transferable>: AnyTransferRepresentationList, @unchecked Sendable {
  let list: TransferRepresentationList<Item>

  init(_ list: TransferRepresentationList<Item>, _ generation: Int) {
    self.list = list
    let exporters = list.exporters.map { exporter in
      let traits = ItemRepresentation.Traits(
        contentType: exporter.contentType, visibility: exporter.visibility, opensInPlace: exporter.opensInPlace,
        form: exporter.form)
      let isEncoder = if case .encoding = exporter.method { true } else { false }
      return ExporterTraits(traits: traits, isConditional: exporter.condition != nil, isEncoder: isEncoder)
    }
    super.init(
      generation, exporters, list.importers.map(\.contentType), suggestsName: list.suggestedName != nil)
  }
}

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
    var form = ItemRepresentation.Form.data
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

/// An importer that creates a value from a representation in one form.
struct ItemImporter<Item: Sendable>: Sendable {
  enum Method: Sendable {
    case data(@Sendable (Data) async throws -> Item)
    /// Decodes bytes without suspension.
    case decoding(@Sendable (Data) throws -> Item)
    case file(inPlace: Bool, @Sendable (ReceivedTransferredFile) async throws -> Item)
    /// Imports another value, which chooses among its own importers.
    case proxy(@Sendable (ItemRepresentation, _ suggestedName: String?, ItemProgress) async throws -> Item)
  }

  let contentType: UTType
  let method: Method
  /// Whether the type is one of `importedContentTypes()`.
  var isListed = true

  /// Whether the importer decodes bytes without suspension.
  var isDecoder: Bool { if case .decoding = method { true } else { false } }

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

/// A value whose type is erased, and its representations, which share it.
///
/// The code that handles values is not generic, because the lookup of generic types at run time is slow.
///
/// It is safe to send: all stored properties of the class and its subclass are constant and sendable. The compiler cannot
/// check that, since the class is not final.
class AnyExportedValue: @unchecked Sendable {
  fileprivate final let list: AnyTransferRepresentationList
  /// The object that has created the value, if it was created on demand.
  fileprivate final let origin: LaterValue?

  fileprivate init(_ list: AnyTransferRepresentationList, origin: LaterValue?) {
    self.list = list
    self.origin = origin
  }

  /// The representations whose conditions the value satisfies, best representation first.
  final var representations: [ItemRepresentation] {
    let exporters = list.exporters
    var representations: [ItemRepresentation] = []
    representations.reserveCapacity(exporters.count)
    for index in exporters.indices where !exporters[index].isConditional || hasRepresentation(index) {
      representations.append(ItemRepresentation(exporters[index].traits, of: self, index: index))
    }
    return representations
  }

  /// Returns whether a later value has created this value.
  final func wasCreated(by origin: LaterValue) -> Bool { self.origin === origin }

  /// The suggested name of a file of the value, if there is one.
  final var suggestedName: String? { list.suggestsName ? nameOfValue : nil }

  /// Returns whether a representation can be encoded without suspension.
  final func encodesAtOnce(_ index: Int) -> Bool { list.exporters[index].isEncoder }

  fileprivate var nameOfValue: String? { nil }

  /// Returns whether the value satisfies the condition of a representation.
  func hasRepresentation(_ index: Int) -> Bool { false }

  /// Exports a representation.
  func content(_ index: Int, _ progress: ItemProgress) async throws -> ItemContent {
    preconditionFailure("a value without a type")
  }

  /// Encodes a representation for which ``encodesAtOnce(_:)`` returns true.
  func data(_ index: Int) throws -> Data {
    preconditionFailure("a value without a type")
  }
}

/// A value with the exporters of its type.
final class ExportedValue<Item: Transferable>: AnyExportedValue, @unchecked Sendable {
  private let item: Item

  init(_ item: Item) {
    self.item = item
    super.init(Item.representationsOfType, origin: nil)
  }

  /// Creates a value that was created on demand, with the representations that it had at its registration.
  init(_ item: Item, _ list: AnyTransferRepresentationList, origin: LaterValue) {
    self.item = item
    super.init(list, origin: origin)
  }

  private func exporter(_ index: Int) -> TransferRepresentationList<Item>.Exporter {
    unsafeDowncast(list, to: TransferRepresentationListOf<Item>.self).list.exporters[index]
  }

  fileprivate override var nameOfValue: String? {
    unsafeDowncast(list, to: TransferRepresentationListOf<Item>.self).list.suggestedName(of: item)
  }

  override func hasRepresentation(_ index: Int) -> Bool {
    exporter(index).condition?(item) ?? true
  }

  override func content(_ index: Int, _ progress: ItemProgress) async throws -> ItemContent {
    try await exporter(index).export(item, progress)
  }

  override func data(_ index: Int) throws -> Data {
    guard case .encoding(let encode) = exporter(index).method else { preconditionFailure("the exporter may suspend") }
    return try encode(item)
  }
}

/// A value that is created on demand, with all its representations and its name.
final class LaterValue: Sendable {
  private let create: @Sendable (LaterValue, ItemProgress) async throws -> AnyExportedValue

  /// - Parameter create: Creates the value, with the first argument as its origin.
  init(_ create: @escaping @Sendable (LaterValue, ItemProgress) async throws -> AnyExportedValue) {
    self.create = create
  }

  /// Creates the value.
  func value(progress: ItemProgress) async throws -> AnyExportedValue { try await create(self, progress) }
}

/// The values that were created for one load, or for one offer of an item.
struct CreatedValues {
  private var outcomes: [(origin: LaterValue, outcome: Result<AnyExportedValue, ItemProviderError>)] = []

  /// Returns the value that `origin` has created; `nil` if it was not asked to.
  ///
  /// - Throws: The error of the value, if it could not be created.
  func value(of origin: LaterValue, as contentType: UTType?) throws(ItemProviderError) -> AnyExportedValue? {
    switch outcomes.first(where: { $0.origin === origin })?.outcome {
    case .success(let value): return value
    case .failure(let error):
      throw ItemProviderError(error.code, contentType: contentType, underlyingError: error.underlyingError)
    case nil: return nil
    }
  }

  /// Creates a value, unless it was created before.
  ///
  /// - Throws: `representationFailed`, `cancelled`; the same error again in later calls.
  nonisolated(nonsending) mutating func value(
    of origin: LaterValue, as contentType: UTType?, progress: ItemProgress
  ) async throws(ItemProviderError) -> AnyExportedValue {
    if let known = try value(of: origin, as: contentType) { return known }
    let outcome: Result<AnyExportedValue, ItemProviderError>
    do {
      outcome = .success(try await origin.value(progress: progress))
    } catch {
      outcome = .failure(
        ItemProviderError(
          caughtForeign: error, contentType: contentType, isCancelled: progress.isCancelledWithTask))
    }
    outcomes.append((origin, outcome))
    return try outcome.get()
  }
}
