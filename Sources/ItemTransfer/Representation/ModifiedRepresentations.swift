// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A representation that not everybody may have; made by ``TransferRepresentation/visibility(_:)``.
public struct VisibleRepresentation<Base: TransferRepresentation>: TransferRepresentation {
  /// What its base hands over.
  public typealias Item = Base.Item
  /// Nothing: it stands for its base.
  public typealias Body = Never

  let base: Base
  let visibility: ItemVisibility
}

extension VisibleRepresentation {
  /// Adds what it stands for.
  public func append(to list: inout TransferRepresentationList<Base.Item>) {
    var inner = base.list
    for index in inner.exporters.indices
    where inner.exporters[index].visibility.includes(visibility) {
      inner.exporters[index].visibility = visibility
    }
    list.take(inner)
  }
}

/// A representation that suggests a file name; made by ``TransferRepresentation/suggestedFileName(_:)-(String)``.
public struct NamedRepresentation<Base: TransferRepresentation>: TransferRepresentation {
  /// What its base hands over.
  public typealias Item = Base.Item
  /// Nothing: it stands for its base.
  public typealias Body = Never

  let base: Base
  let name: @Sendable (Base.Item) -> String?
}

extension NamedRepresentation {
  /// Adds what it stands for.
  public func append(to list: inout TransferRepresentationList<Base.Item>) {
    var inner = base.list
    inner.suggestedFileName = name
    list.take(inner)
  }
}

extension TransferRepresentation {
  /// Lets only those have this representation to whom it is visible.
  ///
  /// - Parameter visibility: Who may have it; what is narrower already stays so.
  /// - Returns: This representation with the visibility.
  public func visibility(_ visibility: TransferRepresentationVisibility) -> some TransferRepresentation<Item> {
    VisibleRepresentation(base: self, visibility: visibility)
  }

  /// Suggests what a file made of the item should be called; of several suggestions the last one counts.
  ///
  /// - Parameter name: The name, with its extension.
  /// - Returns: This representation with the suggestion.
  public func suggestedFileName(_ name: String) -> some TransferRepresentation<Item> {
    NamedRepresentation(base: self) { _ in name }
  }

  /// Suggests what a file made of the item should be called; of several suggestions the last one counts.
  ///
  /// - Parameter name: Gives the name, with its extension; `nil` for an item that has none.
  /// - Returns: This representation with the suggestion.
  public func suggestedFileName(_ name: @escaping @Sendable (Item) -> String?) -> some TransferRepresentation<Item> {
    NamedRepresentation(base: self, name: name)
  }
}

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
