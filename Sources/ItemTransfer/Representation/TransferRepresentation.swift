// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A way, or several, of handing over an item.
///
/// Use ``CodableRepresentation``, ``DataRepresentation`` and ``FileRepresentation``. To name a combination and use it
/// for several types, write a type with a ``body``.
public protocol TransferRepresentation<Item>: Sendable {
  /// The type that is handed over.
  associatedtype Item: Transferable
  /// What ``body`` is made of; inferred, and ``NoBody`` for the representations of this module.
  associatedtype Body: TransferRepresentation where Body.Item == Item

  /// The representations this one consists of.
  @TransferRepresentationBuilder<Item> var body: Body { get }

  /// Adds what there is to the list, in order; the default adds those of ``body``.
  ///
  /// Not for calling: the module calls it when a value is offered or wanted.
  func append(to list: inout TransferRepresentationList<Item>)
}

extension TransferRepresentation {
  /// Adds the representations of ``body``.
  public func append(to list: inout TransferRepresentationList<Item>) {
    body.append(to: &list)
  }
}

/// The body of a representation that consists of nothing but itself.
public struct NoBody<Item: Transferable>: TransferRepresentation {
  /// Itself: the chain of bodies ends here.
  public var body: NoBody<Item> { self }

  /// Adds nothing.
  public func append(to list: inout TransferRepresentationList<Item>) {}
}

/// Two representations, the first of which is preferred; made by ``TransferRepresentationBuilder``.
public struct PairRepresentation<First: TransferRepresentation, Second: TransferRepresentation>: TransferRepresentation
where First.Item == Second.Item {
  let first: First
  let second: Second

  /// Nothing: the pair adds its two.
  public var body: NoBody<First.Item> { NoBody() }

  /// Adds the first, then the second.
  public func append(to list: inout TransferRepresentationList<First.Item>) {
    first.append(to: &list)
    second.append(to: &list)
  }
}
