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
    // The generation is read first: a declaration in between makes this list outdated.
    let generation = TypeRegistry.shared.generation
    if let cached = cached(generation) {
      return unsafeDowncast(cached, to: CachedRepresentationsOfType<Self>.self).list
    }
    return makeRepresentations(generation)
  }

  /// Returns the first representation that a value can be imported from, with the importer; `nil` if there is none.
  static func importer(
    among representations: [ItemRepresentation]
  ) -> (representation: ItemRepresentation, importer: ItemImporter<Self>)? {
    let generation = TypeRegistry.shared.generation
    let importers = cached(generation)?.importers ?? makeRepresentations(generation).importers
    for representation in representations {
      if let importer = importers.first(where: { representation.conforms(to: $0.contentType) }) {
        return (representation, unsafeDowncast(importer, to: ItemImporter<Self>.self))
      }
    }
    return nil
  }

  private static func cached(_ generation: Int) -> CachedRepresentations? {
    let cached = cachedRepresentations.withLock { $0[ObjectIdentifier(Self.self)] }
    return cached?.generation == generation ? cached : nil
  }

  private static func makeRepresentations(_ generation: Int) -> TransferRepresentationList<Self> {
    var list = TransferRepresentationList<Self>()
    // `some TransferRepresentation` hides its item type, so the protocol cannot require what the builder guarantees.
    list.take(transferRepresentation.list)
    if !list.isConditional {
      let cached = CachedRepresentationsOfType(list, generation)
      cachedRepresentations.withLock { $0[ObjectIdentifier(Self.self)] = cached }
    }
    return list
  }
}

/// A cache of the list of each type, because a program may transfer millions of values.
private let cachedRepresentations = Lock<[ObjectIdentifier: CachedRepresentations]>([:])

private class CachedRepresentations: @unchecked Sendable {
  /// The generation of the type registry when the list was created.
  final let generation: Int
  final let importers: [ItemImporterOfType]

  init(_ generation: Int, _ importers: [ItemImporterOfType]) {
    self.generation = generation
    self.importers = importers
  }
}

private final class CachedRepresentationsOfType<Item: Transferable>: CachedRepresentations, @unchecked Sendable {
  let list: TransferRepresentationList<Item>

  init(_ list: TransferRepresentationList<Item>, _ generation: Int) {
    self.list = list
    super.init(generation, list.importers)
  }
}
