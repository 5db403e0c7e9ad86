// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
  @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

extension Transferable {
  static var representations: TransferRepresentationList<Self> {
    var list = TransferRepresentationList<Self>()
    // `some TransferRepresentation` hides its item, so that the protocol cannot demand what the builder ensures.
    list.take(transferRepresentation.list)
    return list
  }
}
