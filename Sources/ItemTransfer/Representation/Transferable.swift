// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization
internal import UniformTypes

/// A value that can be handed over, in one representation or several.
///
/// ```swift
/// struct Recipe: Codable, Transferable {
///   var title: String
///
///   static var transferRepresentation: some TransferRepresentation {     // the one that keeps most first
///     CodableRepresentation(contentType: .recipe)
///     DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.title.utf8) }
///   }
/// }
/// ```
///
/// Write `some TransferRepresentation`; with `some TransferRepresentation<Recipe>` the compiler cannot infer the
/// associated type. Follows Apple's
/// [`Transferable`](https://developer.apple.com/documentation/coretransferable/transferable).
public protocol Transferable: Sendable {
  /// What ``transferRepresentation`` is made of; inferred.
  associatedtype Representation: TransferRepresentation

  /// The ways in which a value leaves and enters a process, the one that keeps most first.
  ///
  /// What it says is kept until a type is declared anew, unless it has an `if` or a `switch`: let what differs from value to
  /// value, or from time to time, be found out by closures.
  @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

extension Transferable {
  static var representations: TransferRepresentationList<Self> {
    // Looked at first: what is declared meanwhile makes this list an old one.
    let generation = TypeRegistry.shared.generation
    if let held = held(generation) { return unsafeDowncast(held, to: RepresentationsOfType<Self>.self).list }
    return makeRepresentations(generation)
  }

  /// The first of some representations that a value can be made of, and what makes it; `nil` where there is none.
  static func importer(
    among representations: [ItemRepresentation]
  ) -> (representation: ItemRepresentation, importer: ItemImporter<Self>)? {
    let generation = TypeRegistry.shared.generation
    let importers = held(generation)?.importers ?? makeRepresentations(generation).importers
    for representation in representations {
      if let importer = importers.first(where: { representation.conforms(to: $0.contentType) }) {
        return (representation, unsafeDowncast(importer, to: ItemImporter<Self>.self))
      }
    }
    return nil
  }

  private static func held(_ generation: Int) -> HeldRepresentations? {
    let held = heldRepresentations.withLock { $0[ObjectIdentifier(Self.self)] }
    return held?.generation == generation ? held : nil
  }

  private static func makeRepresentations(_ generation: Int) -> TransferRepresentationList<Self> {
    var list = TransferRepresentationList<Self>()
    // `some TransferRepresentation` hides its item, so that the protocol cannot demand what the builder ensures.
    list.take(transferRepresentation.list)
    if !list.isChosen {
      let held = RepresentationsOfType(list, generation)
      heldRepresentations.withLock { $0[ObjectIdentifier(Self.self)] = held }
    }
    return list
  }
}

/// Each type's list as it was made last, under the type: values are handed over by the million.
private let heldRepresentations = Lock<[ObjectIdentifier: HeldRepresentations]>([:])

private class HeldRepresentations: @unchecked Sendable {
  /// That of the type registry when the list was made.
  final let generation: Int
  final let importers: [ItemImporterOfType]

  init(_ generation: Int, _ importers: [ItemImporterOfType]) {
    self.generation = generation
    self.importers = importers
  }
}

private final class RepresentationsOfType<Item: Transferable>: HeldRepresentations, @unchecked Sendable {
  let list: TransferRepresentationList<Item>

  init(_ list: TransferRepresentationList<Item>, _ generation: Int) {
    self.list = list
    super.init(generation, list.importers)
  }
}
