// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The action that a destination performs on the items of an offer.
public enum DropAction: UInt8, Sendable, Hashable, CaseIterable {
  /// The destination has a copy of the item.
  case copy = 1
  /// The destination has the item, and the source should remove its own item.
  case move = 2
  /// The destination refers to the source's item.
  case link = 4
}

/// The actions that a source allows.
public struct DropActions: OptionSet, Sendable, Hashable {
  /// One bit for each ``DropAction``, equal to its raw value.
  public let rawValue: UInt8

  /// Creates a set from bits.
  ///
  /// Unknown bits are retained.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The destination may take a copy.
  public static let copy = DropActions(rawValue: DropAction.copy.rawValue)
  /// The destination may take the item, and the source then removes its own item.
  public static let move = DropActions(rawValue: DropAction.move.rawValue)
  /// The destination may refer to the source's item.
  public static let link = DropActions(rawValue: DropAction.link.rawValue)

  /// Returns whether the set contains an action.
  public func contains(_ action: DropAction) -> Bool { rawValue & action.rawValue != 0 }
}

/// The outcome of an offer that the destination has not refused.
public struct DropReceipt: Sendable, Hashable {
  /// The action that the destination has performed.
  public let action: DropAction
  /// The indices of the kept items in ascending order.
  ///
  /// After a move, the source may remove only these items.
  public let keptItems: [Int]

  package init(action: DropAction, keptItems: [Int]) {
    self.action = action
    self.keptItems = keptItems
  }
}
