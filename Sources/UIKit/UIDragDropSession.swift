// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ItemProviderCompat

/// A drag or a drop: the properties that both have in common.
///
/// Follows Apple's [`UIDragDropSession`](https://developer.apple.com/documentation/uikit/uidragdropsession), without
/// the position in a view.
@preconcurrency @MainActor
public protocol UIDragDropSession: NSObjectProtocol {
  /// The dragged items.
  var items: [UIDragItem] { get }
  /// Whether the destination may move the items.
  var allowsMoveOperation: Bool { get }
  /// Whether only the program of the source may receive the items.
  var isRestrictedToDraggingApplication: Bool { get }

  /// Returns whether at least one item conforms to at least one of the types.
  func hasItemsConforming(toTypeIdentifiers typeIdentifiers: [String]) -> Bool

  /// Returns whether an object of the class can be created from at least one item.
  func canLoadObjects(ofClass aClass: any NSItemProviderReading.Type) -> Bool
}

/// A drag, as its source sees it.
@preconcurrency @MainActor
public protocol UIDragSession: UIDragDropSession {
  /// An object for the source's own process, which is not transferred.
  var localContext: Any? { get set }
}

/// A drop, as its destination sees it.
@preconcurrency @MainActor
public protocol UIDropSession: UIDragDropSession {
  /// The drag, if it began in this process.
  var localDragSession: (any UIDragSession)? { get }
  /// The progress of all loads of the session.
  var progress: Progress { get }
  /// The style in which the progress is shown. ``ItemDropSession`` ignores it.
  var progressIndicatorStyle: UIDropSessionProgressIndicatorStyle { get set }

  /// Creates an object of the class from each item.
  ///
  /// - Parameters:
  ///   - aClass: The class.
  ///   - completion: Called on the main actor with the objects in the order of the items. Items that fail are left out.
  /// - Returns: The progress, which can cancel the loads.
  @discardableResult
  func loadObjects(
    ofClass aClass: any NSItemProviderReading.Type, completion: @escaping ([any NSItemProviderReading]) -> Void
  ) -> Progress
}

extension UIDragDropSession {
  /// Returns whether at least one item conforms to at least one of the types.
  public func hasItemsConforming(toTypeIdentifiers typeIdentifiers: [String]) -> Bool {
    items.contains { item in
      typeIdentifiers.contains { item.itemProvider.hasItemConformingToTypeIdentifier($0) }
    }
  }

  /// Returns whether an object of the class can be created from at least one item.
  public func canLoadObjects(ofClass aClass: any NSItemProviderReading.Type) -> Bool {
    items.contains { $0.itemProvider.canLoadObject(ofClass: aClass) }
  }

  /// Returns whether a value, such as a `String`, can be created from at least one item.
  public func canLoadObjects<T: _ObjectiveCBridgeable>(ofClass type: T.Type) -> Bool
  where T._ObjectiveCType: NSItemProviderReading {
    canLoadObjects(ofClass: T._ObjectiveCType.self)
  }
}

extension UIDropSession {
  /// Creates a value, such as a `String`, from each item.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - completion: Called on the main actor with the values in the order of the items. Items that fail are left out.
  /// - Returns: The progress, which can cancel the loads.
  @discardableResult
  public func loadObjects<T: _ObjectiveCBridgeable>(
    ofClass type: T.Type, completion: @escaping ([T]) -> Void
  ) -> Progress where T._ObjectiveCType: NSItemProviderReading {
    loadObjects(ofClass: T._ObjectiveCType.self) { objects in
      completion(objects.compactMap { ($0 as? T._ObjectiveCType).map { T._unconditionallyBridgeFromObjectiveC($0) } })
    }
  }
}
