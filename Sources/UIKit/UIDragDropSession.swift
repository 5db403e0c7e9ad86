// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ItemProviderCompat

/// The items of a drag, for its source and its destination.
///
/// Follows Apple's [`UIDragDropSession`](https://developer.apple.com/documentation/uikit/uidragdropsession), but for the
/// position in a view.
@MainActor
public protocol UIDragDropSession: NSObjectProtocol {
  /// The items.
  var items: [UIDragItem] { get }
  /// Whether the destination may move the items.
  var allowsMoveOperation: Bool { get }
  /// Whether only the program of the source may receive the items.
  var isRestrictedToDraggingApplication: Bool { get }

  /// Returns whether an item conforms to one of the types.
  func hasItemsConforming(toTypeIdentifiers typeIdentifiers: [String]) -> Bool

  /// Returns whether an object of the class can be created from an item.
  func canLoadObjects(ofClass aClass: any NSItemProviderReading.Type) -> Bool
}

/// A drag, for its source.
@MainActor
public protocol UIDragSession: UIDragDropSession {
  /// An object that stays in the process of the source.
  var localContext: Any? { get set }
}

/// A drop, for its destination.
@MainActor
public protocol UIDropSession: UIDragDropSession {
  /// The drag, if it began in this process.
  var localDragSession: (any UIDragSession)? { get }
  /// The progress of all loads.
  var progress: Progress { get }
  /// The display of the progress. Without effect here.
  var progressIndicatorStyle: UIDropSessionProgressIndicatorStyle { get set }

  /// Creates an object of the class from each item.
  ///
  /// - Parameters:
  ///   - aClass: The class.
  ///   - completion: Called on the main actor with the objects in the order of the items; those that fail are left out.
  /// - Returns: The progress, which can cancel the loads.
  @discardableResult
  func loadObjects(
    ofClass aClass: any NSItemProviderReading.Type, completion: @escaping ([any NSItemProviderReading]) -> Void
  ) -> Progress
}

extension UIDragDropSession {
  /// Returns whether an item conforms to one of the types.
  public func hasItemsConforming(toTypeIdentifiers typeIdentifiers: [String]) -> Bool {
    items.contains { item in
      typeIdentifiers.contains { item.itemProvider.hasItemConformingToTypeIdentifier($0) }
    }
  }

  /// Returns whether an object of the class can be created from an item.
  public func canLoadObjects(ofClass aClass: any NSItemProviderReading.Type) -> Bool {
    items.contains { $0.itemProvider.canLoadObject(ofClass: aClass) }
  }

  /// Returns whether a value such as a `String` can be created from an item.
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
  ///   - completion: Called on the main actor with the values in the order of the items; those that fail are left out.
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
