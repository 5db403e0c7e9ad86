// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A representation with a restricted visibility; created by ``TransferRepresentation/visibility(_:)``.
struct VisibleRepresentation<Base: TransferRepresentation>: TransferRepresentation {
  /// The item of the base.
  typealias Item = Base.Item
  /// There is no body: the representation stands for its base.
  typealias Body = Never

  let base: Base
  let visibility: ItemVisibility
}

extension VisibleRepresentation {
  /// Appends the representations of the base; the visibility replaces each wider visibility.
  func append(to list: inout TransferRepresentationList<Base.Item>) {
    var inner = base.list
    for index in inner.exporters.indices
    where inner.exporters[index].visibility.includes(visibility) {
      inner.exporters[index].visibility = visibility
    }
    list.take(inner)
  }
}

/// A representation with a suggested file name; created by ``TransferRepresentation/suggestedFileName(_:)-(String)``.
struct NamedRepresentation<Base: TransferRepresentation>: TransferRepresentation {
  /// The item of the base.
  typealias Item = Base.Item
  /// There is no body: the representation stands for its base.
  typealias Body = Never

  let base: Base
  let name: TransferRepresentationList<Base.Item>.SuggestedName
}

extension NamedRepresentation {
  /// Appends the representations of the base, and replaces the suggested name.
  func append(to list: inout TransferRepresentationList<Base.Item>) {
    var inner = base.list
    inner.suggestedName = name
    list.take(inner)
  }
}

extension TransferRepresentation {
  /// Restricts the destinations that may load this representation.
  ///
  /// - Parameter visibility: The destinations; a narrower visibility of a part is preserved.
  /// - Returns: This representation with the restricted visibility.
  public func visibility(_ visibility: TransferRepresentationVisibility) -> some TransferRepresentation<Item> {
    VisibleRepresentation(base: self, visibility: visibility)
  }

  /// Suggests the name of a file of the item; the last suggestion wins.
  ///
  /// - Parameter name: The name, with its extension.
  /// - Returns: This representation with the suggestion.
  public func suggestedFileName(_ name: String) -> some TransferRepresentation<Item> {
    NamedRepresentation(base: self, name: .fixed(name))
  }

  /// Suggests the name of a file of the item; the last suggestion wins.
  ///
  /// - Parameter name: Returns the name, with its extension; `nil` for an item without a name.
  /// - Returns: This representation with the suggestion.
  public func suggestedFileName(_ name: @escaping @Sendable (Item) -> String?) -> some TransferRepresentation<Item> {
    NamedRepresentation(base: self, name: .ofValue(name))
  }
}

/// A representation with a condition on the value; created by ``TransferRepresentation/exportingCondition(_:)``.
public struct ConditionalRepresentation<Base: TransferRepresentation>: TransferRepresentation {
  /// The item of the base.
  public typealias Item = Base.Item
  /// There is no body: the representation stands for its base.
  public typealias Body = Never

  let base: Base
  let condition: @Sendable (Base.Item) -> Bool
}

extension ConditionalRepresentation {
  /// Appends the representations of the base, and adds the condition to the conditions of each.
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
  /// Exports this representation only for values that satisfy `condition`.
  ///
  /// If a loader creates the value, the condition is evaluated for each load, and before each offer to another process.
  ///
  /// - Parameter condition: Called with the value to export. It does not affect import.
  /// - Returns: This representation with the condition. If there are several conditions, all must hold.
  public func exportingCondition(
    _ condition: @escaping @Sendable (Item) -> Bool
  ) -> ConditionalRepresentation<Self> {
    ConditionalRepresentation(base: self, condition: condition)
  }
}
