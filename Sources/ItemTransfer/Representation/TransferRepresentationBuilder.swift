// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Lists representations one below the other, the one that keeps most first.
///
/// ``Transferable/transferRepresentation`` is written with it; there is no need to name it.
@resultBuilder
public struct TransferRepresentationBuilder<Item: Transferable> {
  /// Takes any representation.
  public static func buildExpression<Representation: TransferRepresentation>(
    _ representation: Representation
  ) -> Representation where Representation.Item == Item {
    representation
  }

  /// Lets a `CodableRepresentation` infer its item.
  public static func buildExpression<Encoder, Decoder>(
    _ representation: CodableRepresentation<Item, Encoder, Decoder>
  ) -> CodableRepresentation<Item, Encoder, Decoder> {
    representation
  }

  /// Lets a `DataRepresentation` infer its item.
  public static func buildExpression(_ representation: DataRepresentation<Item>) -> DataRepresentation<Item> {
    representation
  }

  /// Lets a `FileRepresentation` infer its item.
  public static func buildExpression(_ representation: FileRepresentation<Item>) -> FileRepresentation<Item> {
    representation
  }

  /// Lets a `ProxyRepresentation` infer its item.
  public static func buildExpression<Proxy: Transferable>(
    _ representation: ProxyRepresentation<Item, Proxy>
  ) -> ProxyRepresentation<Item, Proxy> {
    representation
  }

  /// Starts the list.
  public static func buildPartialBlock<First: TransferRepresentation>(first: First) -> First {
    first
  }

  /// Appends to the list.
  public static func buildPartialBlock<First: TransferRepresentation, Next: TransferRepresentation>(
    accumulated: First, next: Next
  ) -> PairRepresentation<First, Next> where First.Item == Next.Item {
    PairRepresentation(first: accumulated, second: next)
  }

  // MARK: Conditions

  /// Takes the representations of an `if` without an `else`, or none.
  public static func buildOptional<Wrapped: TransferRepresentation>(
    _ representation: Wrapped?
  ) -> OptionalRepresentation<Wrapped> where Wrapped.Item == Item {
    OptionalRepresentation(wrapped: representation)
  }

  /// Takes the first branch of an `if` or a `switch`.
  public static func buildEither<First: TransferRepresentation, Second: TransferRepresentation>(
    first: First
  ) -> EitherRepresentation<First, Second> where First.Item == Item, Second.Item == Item {
    .first(first)
  }

  /// Takes the second branch of an `if` or a `switch`.
  public static func buildEither<First: TransferRepresentation, Second: TransferRepresentation>(
    second: Second
  ) -> EitherRepresentation<First, Second> where First.Item == Item, Second.Item == Item {
    .second(second)
  }

  /// Takes the representations of an `if #available`.
  public static func buildLimitedAvailability<Limited: TransferRepresentation>(
    _ representation: Limited
  ) -> some TransferRepresentation<Item> where Limited.Item == Item {
    representation
  }
}

/// The representations of an `if` without an `else`; made by ``TransferRepresentationBuilder``.
public struct OptionalRepresentation<Wrapped: TransferRepresentation>: TransferRepresentation {
  /// What is handed over.
  public typealias Item = Wrapped.Item
  /// Nothing: it stands for what it holds.
  public typealias Body = Never

  let wrapped: Wrapped?
}

extension OptionalRepresentation {
  /// Adds what it stands for.
  public func append(to list: inout TransferRepresentationList<Wrapped.Item>) {
    list.isChosen = true
    wrapped?.append(to: &list)
  }
}

/// The representations of one of two branches; made by ``TransferRepresentationBuilder``.
public enum EitherRepresentation<First: TransferRepresentation, Second: TransferRepresentation>: TransferRepresentation
where First.Item == Second.Item {
  /// What is handed over.
  public typealias Item = First.Item
  /// Nothing: it stands for what it holds.
  public typealias Body = Never

  /// The first branch.
  case first(First)
  /// The second branch.
  case second(Second)
}

extension EitherRepresentation {
  /// Adds what it stands for.
  public func append(to list: inout TransferRepresentationList<First.Item>) {
    list.isChosen = true
    switch self {
    case .first(let first): first.append(to: &list)
    case .second(let second): second.append(to: &list)
    }
  }
}

extension Never: Transferable {
  /// Nothing: there is no value to offer, and none that could come in.
  public static var transferRepresentation: some TransferRepresentation {
    OptionalRepresentation<DataRepresentation<Never>>(wrapped: nil)
  }
}

extension Never: TransferRepresentation {
  /// Nothing can be handed over as nothing.
  public typealias Item = Never
  /// There is no value to have a body.
  public typealias Body = Never
}
