// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A way, or several, of handing over an item.
///
/// Use ``CodableRepresentation``, ``DataRepresentation``, ``FileRepresentation`` and ``ProxyRepresentation``. To name a
/// combination and use it for several types, write a type with a ``body``:
///
/// ```swift
/// struct AsJSONAndText<Item: Codable & CustomStringConvertible & Transferable>: TransferRepresentation {
///   var body: some TransferRepresentation {
///     CodableRepresentation<Item, _, _>(contentType: .json)
///     DataRepresentation<Item>(exportedContentType: .utf8PlainText) { Data("\($0)".utf8) }
///   }
/// }
/// ```
///
/// Follows Apple's
/// [`TransferRepresentation`](https://developer.apple.com/documentation/coretransferable/transferrepresentation).
public protocol TransferRepresentation<Item>: Sendable {
  /// The type that is handed over.
  associatedtype Item: Transferable
  /// What ``body`` is made of; inferred, and `Never` for the representations of this module.
  associatedtype Body: TransferRepresentation

  /// The representations this one consists of.
  @TransferRepresentationBuilder<Item> var body: Body { get }

  /// Adds what there is to the list, in order; the default adds what ``body`` consists of.
  ///
  /// Not for calling: the module calls it for every value that is offered or wanted, which is why it is a requirement
  /// and not found out by a cast.
  func append(to list: inout TransferRepresentationList<Item>)
}

extension TransferRepresentation where Body == Never {
  /// Nothing: the representation stands for itself, and nobody asks for its parts.
  public var body: Never {
    preconditionFailure("\(Self.self) has no body")
  }
}

extension TransferRepresentation {
  /// Adds what ``body`` consists of.
  public func append(to list: inout TransferRepresentationList<Item>) {
    list.take(body.list)
  }

  /// Everything that this representation consists of.
  var list: TransferRepresentationList<Item> {
    var list = TransferRepresentationList<Item>()
    append(to: &list)
    return list
  }
}

extension TransferRepresentationList {
  /// Takes over a list whose item is known only when the program runs: the builder has seen to it that it is this one.
  mutating func take<Other>(_ other: TransferRepresentationList<Other>) {
    guard let own = other as? Self else { preconditionFailure("a representation of \(Other.self) for \(Item.self)") }
    exporters += own.exporters
    importers += own.importers
    suggestedFileName = own.suggestedFileName ?? suggestedFileName
    isChosen = isChosen || own.isChosen
  }
}

/// Two representations, the first of which is preferred; made by ``TransferRepresentationBuilder``.
public struct PairRepresentation<First: TransferRepresentation, Second: TransferRepresentation>: TransferRepresentation
where First.Item == Second.Item {
  /// What both hand over.
  public typealias Item = First.Item
  /// Nothing: the pair stands for its two.
  public typealias Body = Never

  let first: First
  let second: Second
}

extension PairRepresentation {
  /// Adds what it stands for.
  public func append(to list: inout TransferRepresentationList<First.Item>) {
    first.append(to: &list)
    second.append(to: &list)
  }
}
