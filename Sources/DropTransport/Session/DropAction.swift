// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a destination did with an item.
public enum DropAction: UInt8, Sendable, Hashable, CaseIterable {
  /// It has a copy.
  case copy = 1
  /// It has the item, and the source is to let go of its own.
  case move = 2
  /// It refers to the source's item.
  case link = 4
}

/// The actions that a source allows.
public struct DropActions: OptionSet, Sendable, Hashable {
  /// A bit for each ``DropAction``, with its value.
  public let rawValue: UInt8

  /// The actions with these bits; bits that stand for none are kept.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The destination may take a copy.
  public static let copy = DropActions(rawValue: DropAction.copy.rawValue)
  /// The destination may take the item away.
  public static let move = DropActions(rawValue: DropAction.move.rawValue)
  /// The destination may refer to the source's item.
  public static let link = DropActions(rawValue: DropAction.link.rawValue)

  /// Whether an action is among them.
  public func contains(_ action: DropAction) -> Bool { rawValue & action.rawValue != 0 }
}

/// What became of items that were offered.
public struct DropReceipt: Sendable, Hashable {
  /// What the destination did.
  public let action: DropAction
  /// The items it kept, by index, in order: only of these may a source that allows a move let go.
  public let keptItems: [Int]

  package init(action: DropAction, keptItems: [Int]) {
    self.action = action
    self.keptItems = keptItems
  }
}
