// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Who may have a representation, each level within the next: this process, a team, a group, everybody.
///
/// A source states it for each representation. A writer or a session states to whom it talks, and hands over what
/// is visible there; a representation that is not is left out of the offer, as if it were not there.
///
/// Follows Apple's
/// [`NSItemProviderRepresentationVisibility`](https://developer.apple.com/documentation/foundation/nsitemproviderrepresentationvisibility).
public enum ItemVisibility: Int, Sendable, Hashable, CaseIterable {
  /// Every process.
  case all = 0

  /// Programs of the same maker.
  case team = 1

  /// Programs that have agreed to share.
  case group = 2

  /// The process that offers it.
  case ownProcess = 3

  /// How far it reaches.
  private var reach: Int {
    switch self {
    case .ownProcess: 0
    case .team: 1
    case .group: 2
    case .all: 3
    }
  }

  /// Whether what has this visibility may be handed to a destination.
  ///
  /// - Parameter audience: How near the destination is; `all` stands for anybody.
  /// - Returns: Whether the destination is within reach.
  public func includes(_ audience: ItemVisibility) -> Bool {
    audience.reach <= reach
  }
}

/// The name by which Apple's CoreTransferable knows ``ItemVisibility``.
public typealias TransferRepresentationVisibility = ItemVisibility
