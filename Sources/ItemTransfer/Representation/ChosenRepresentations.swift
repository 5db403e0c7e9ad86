// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
