// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A result builder that lists representations, best representation first.
///
/// ``Transferable/transferRepresentation`` uses it implicitly.
@resultBuilder
public struct TransferRepresentationBuilder<Item: Transferable> {
  /// Accepts any representation.
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

  /// Accepts the representations of an `if` without an `else`, or none.
  public static func buildOptional<Wrapped: TransferRepresentation>(
    _ representation: Wrapped?
  ) -> OptionalRepresentation<Wrapped> where Wrapped.Item == Item {
    OptionalRepresentation(wrapped: representation)
  }

  /// Accepts the first branch of an `if` or a `switch`.
  public static func buildEither<First: TransferRepresentation, Second: TransferRepresentation>(
    first: First
  ) -> EitherRepresentation<First, Second> where First.Item == Item, Second.Item == Item {
    .first(first)
  }

  /// Accepts the second branch of an `if` or a `switch`.
  public static func buildEither<First: TransferRepresentation, Second: TransferRepresentation>(
    second: Second
  ) -> EitherRepresentation<First, Second> where First.Item == Item, Second.Item == Item {
    .second(second)
  }

  /// Accepts the representations of an `if #available`.
  public static func buildLimitedAvailability<Limited: TransferRepresentation>(
    _ representation: Limited
  ) -> some TransferRepresentation<Item> where Limited.Item == Item {
    representation
  }
}

/// The representations of an `if` without an `else`; created by ``TransferRepresentationBuilder``.
public struct OptionalRepresentation<Wrapped: TransferRepresentation>: TransferRepresentation {
  /// The item of the wrapped representation.
  public typealias Item = Wrapped.Item
  /// There is no body: the representation stands for the wrapped representation.
  public typealias Body = Never

  let wrapped: Wrapped?
}

extension OptionalRepresentation {
  /// Appends the wrapped representation, if there is one.
  public func append(to list: inout TransferRepresentationList<Wrapped.Item>) {
    list.isConditional = true
    wrapped?.append(to: &list)
  }
}

/// The representations of one of two branches; created by ``TransferRepresentationBuilder``.
public enum EitherRepresentation<First: TransferRepresentation, Second: TransferRepresentation>: TransferRepresentation
where First.Item == Second.Item {
  /// The item of both branches.
  public typealias Item = First.Item
  /// There is no body: the representation stands for its branch.
  public typealias Body = Never

  /// The first branch.
  case first(First)
  /// The second branch.
  case second(Second)
}

extension EitherRepresentation {
  /// Appends the representation of the branch.
  public func append(to list: inout TransferRepresentationList<First.Item>) {
    list.isConditional = true
    switch self {
    case .first(let first): first.append(to: &list)
    case .second(let second): second.append(to: &list)
    }
  }
}

extension Never: Transferable {
  /// There are no representations, because there is no value.
  public static var transferRepresentation: some TransferRepresentation {
    OptionalRepresentation<DataRepresentation<Never>>(wrapped: nil)
  }
}

extension Never: TransferRepresentation {
  /// The item type, which has no values.
  public typealias Item = Never
  /// The body type, which has no values.
  public typealias Body = Never
}
