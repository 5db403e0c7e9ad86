// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A representation that some values have and others lack; made by
/// ``TransferRepresentation/exportingCondition(_:)``.
public struct ConditionalRepresentation<Base: TransferRepresentation>: TransferRepresentation {
  /// What its base hands over.
  public typealias Item = Base.Item
  /// Nothing: it stands for its base.
  public typealias Body = Never

  let base: Base
  let condition: @Sendable (Base.Item) -> Bool
}

extension ConditionalRepresentation {
  /// Adds what it stands for.
  public func append(to list: inout TransferRepresentationList<Base.Item>) {
    var inner = base.list
    inner.exporters = inner.exporters.map { exporter in
      var exporter = exporter
      let earlier = exporter.condition
      exporter.condition = { [condition] item in condition(item) && earlier?(item) ?? true }
      return exporter
    }
    list.take(inner)
  }
}

extension TransferRepresentation {
  /// Offers this representation only of the values for which `condition` holds.
  ///
  /// - Parameter condition: Asked when a value is offered; what can be imported is not affected.
  /// - Returns: This representation with the condition; of several conditions all must hold.
  public func exportingCondition(
    _ condition: @escaping @Sendable (Item) -> Bool
  ) -> ConditionalRepresentation<Self> {
    ConditionalRepresentation(base: self, condition: condition)
  }
}
