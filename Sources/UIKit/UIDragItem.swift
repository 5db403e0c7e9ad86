// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ItemProviderCompat

/// An item of a drag: the provider of its representations, and an object for the source's own process.
///
/// ```swift
/// let item = UIDragItem(itemProvider: NSItemProvider(object: hero))
/// item.localObject = hero
/// ```
///
/// Follows Apple's [`UIDragItem`](https://developer.apple.com/documentation/uikit/uidragitem), without previews, which
/// need views.
@preconcurrency @MainActor
open class UIDragItem: NSObject {
  /// The provider of the item's representations.
  public final let itemProvider: NSItemProvider

  /// An object for the source's own process, which is not transferred.
  public final var localObject: Any?

  /// Creates an item.
  public init(itemProvider: NSItemProvider) {
    self.itemProvider = itemProvider
    super.init()
  }
}

/// The operation of a drop.
public enum UIDropOperation: UInt, Sendable {
  /// The drop is ignored.
  case cancel = 0
  /// The destination does not accept the drop at this position.
  case forbidden = 1
  /// The destination copies the items.
  case copy = 2
  /// The destination moves the items; only for a drag within one program.
  case move = 3
}

/// The response of a destination to a drag over it.
///
/// Follows Apple's [`UIDropProposal`](https://developer.apple.com/documentation/uikit/uidropproposal).
@preconcurrency @MainActor
open class UIDropProposal: NSObject {
  /// The proposed operation.
  public final let operation: UIDropOperation
  /// Whether the drop requires a precise position.
  ///
  /// It has no effect.
  public final var isPrecise = false
  /// Whether the preview keeps its size.
  ///
  /// It has no effect.
  public final var prefersFullSizePreview = false

  /// Creates a proposal.
  public init(operation: UIDropOperation) {
    self.operation = operation
    super.init()
  }
}

/// The style in which the progress of a drop is shown.
public enum UIDropSessionProgressIndicatorStyle: UInt, Sendable {
  /// The program shows the progress.
  case none = 0
  /// The system shows the progress. On Linux, the program must show it.
  case `default` = 1
}
