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
}
