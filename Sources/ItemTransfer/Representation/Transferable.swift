// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
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
  static var representations: TransferRepresentationList<Self> {
    unsafeDowncast(representationsOfType, to: TransferRepresentationListOf<Self>.self).list
  }

  static var representationsOfType: AnyTransferRepresentationList {
    // The generation is read first: a declaration in between makes this list outdated.
    let generation = TypeRegistry.shared.generation
    let cached = cachedRepresentations.withLock { $0[ObjectIdentifier(Self.self)] }
    if let cached, cached.generation == generation { return cached }
    return makeRepresentations(generation)
  }

  private static func makeRepresentations(_ generation: Int) -> AnyTransferRepresentationList {
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
  final let exporters: [AnyItemExporter]
  final let importers: [AnyItemImporter]
  /// Whether the representations may suggest a name for a file.
  final let suggestsName: Bool

  fileprivate init(
    _ generation: Int, _ exporters: [AnyItemExporter], _ importers: [AnyItemImporter], suggestsName: Bool
  ) {
    self.generation = generation
    self.exporters = exporters
    self.importers = importers
    self.suggestsName = suggestsName
  }

  /// Returns the position of the first representation that a value can be imported from, with the importer; `nil` if
  /// there is none.
  final func importer(
    among representations: [ItemRepresentation]
  ) -> (index: Int, importer: AnyItemImporter)? {
    for index in representations.indices {
      if let importer = importers.first(where: { representations[index].conforms(to: $0.contentType) }) {
        return (index, importer)
      }
    }
    return nil
  }
}

/// The list of representations of a type, with its exporters and importers as objects.
final class TransferRepresentationListOf<Item: Transferable>: AnyTransferRepresentationList, @unchecked Sendable {
  let list: TransferRepresentationList<Item>

  init(_ list: TransferRepresentationList<Item>, _ generation: Int) {
    self.list = list
    super.init(
      generation, list.exporters.map(ItemExporter.init), list.importers, suggestsName: list.suggestedName != nil)
  }
}
