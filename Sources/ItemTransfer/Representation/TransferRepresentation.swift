// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// One or several representations of an item.
///
/// Use ``CodableRepresentation``, ``DataRepresentation``, ``FileRepresentation`` and ``ProxyRepresentation``. To share
/// a combination between several types, write a type with a ``body``:
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
  /// The type of the item.
  associatedtype Item: Transferable
  /// The type of ``body``; inferred, and `Never` for the representations of this module.
  associatedtype Body: TransferRepresentation

  /// The representations of which this representation consists.
  @TransferRepresentationBuilder<Item> var body: Body { get }

  /// Appends the representations to a list, in order. The default appends the representations of ``body``.
  ///
  /// The module calls this method to list the representations of a type. It is a requirement because that is faster
  /// than a cast.
  func append(to list: inout TransferRepresentationList<Item>)
}

extension TransferRepresentation where Body == Never {
  /// There is no body: the representation has no parts.
  public var body: Never {
    preconditionFailure("\(Self.self) has no body")
  }
}

extension TransferRepresentation {
  /// Appends the representations of ``body``.
  public func append(to list: inout TransferRepresentationList<Item>) {
    list.take(body.list)
  }

  /// All representations of which this representation consists.
  var list: TransferRepresentationList<Item> {
    var list = TransferRepresentationList<Item>()
    append(to: &list)
    return list
  }
}

extension TransferRepresentationList {
  /// Appends a list whose item type is known only at run time.
  ///
  /// The builder guarantees that it is the item type of this list.
  mutating func take<Other>(_ other: TransferRepresentationList<Other>) {
    guard let own = other as? Self else { preconditionFailure("a representation of \(Other.self) for \(Item.self)") }
    exporters += own.exporters
    importers += own.importers
    suggestedName = own.suggestedName ?? suggestedName
    isConditional = isConditional || own.isConditional
  }
}

/// Two representations in order of preference; created by ``TransferRepresentationBuilder``.
public struct PairRepresentation<First: TransferRepresentation, Second: TransferRepresentation>: TransferRepresentation
where First.Item == Second.Item {
  /// The item of both.
  public typealias Item = First.Item
  /// There is no body: the pair stands for its parts.
  public typealias Body = Never

  let first: First
  let second: Second
}

extension PairRepresentation {
  /// Appends both representations.
  public func append(to list: inout TransferRepresentationList<First.Item>) {
    first.append(to: &list)
    second.append(to: &list)
  }
}
