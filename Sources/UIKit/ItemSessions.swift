// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ItemProviderCompat

/// A drag that a program creates itself: on Linux, no system service starts drags of views.
@preconcurrency @MainActor
open class ItemDragSession: NSObject, UIDragSession {
  /// The dragged items.
  public final let items: [UIDragItem]
  /// Whether the destination may move the items; `true` by default.
  public final var allowsMoveOperation = true
  /// Whether only this program may receive the items.
  public final var isRestrictedToDraggingApplication = false
  /// An object for the source's own process, which is not transferred.
  public final var localContext: Any?

  /// Creates a drag of items.
  public init(items: [UIDragItem]) {
    self.items = items
    super.init()
  }
}

/// A drop that a program creates itself, for example from the items of a drop stream.
///
/// ```swift
/// let session = ItemDropSession(itemProviders: received.map { NSItemProvider($0) })
/// session.loadObjects(ofClass: String.self) { texts in show(texts) }
/// ```
@preconcurrency @MainActor
open class ItemDropSession: NSObject, UIDropSession {
  /// The dropped items.
  public final let items: [UIDragItem]
  /// The drag, if it began in this process.
  public final let localDragSession: (any UIDragSession)?
  /// The progress of all loads that `loadObjects` has started.
  public final let progress = Progress(totalUnitCount: 0)
  /// The style in which the progress is shown.
  ///
  /// It has no effect.
  public final var progressIndicatorStyle = UIDropSessionProgressIndicatorStyle.default

  /// Whether the destination may move the items: only if the drag began in this process and allows it.
  public final var allowsMoveOperation: Bool { localDragSession?.allowsMoveOperation ?? false }
  /// Whether only this program may receive the items.
  public final var isRestrictedToDraggingApplication: Bool {
    localDragSession?.isRestrictedToDraggingApplication ?? false
  }

  /// Creates the drop of a drag in this process.
  public init(localDragSession: any UIDragSession) {
    items = localDragSession.items
    self.localDragSession = localDragSession
    super.init()
  }

  /// Creates a drop from item providers, such as item providers that another process has sent.
  public init(itemProviders: [NSItemProvider]) {
    items = itemProviders.map { UIDragItem(itemProvider: $0) }
    localDragSession = nil
    super.init()
  }

  /// Creates an object of the class from each item.
  ///
  /// - Parameters:
  ///   - aClass: The class.
  ///   - completion: Called on the main actor with the objects in the order of the items. Items that fail are left out.
  /// - Returns: The progress, which can cancel the loads.
  @discardableResult
  public func loadObjects(
    ofClass aClass: any NSItemProviderReading.Type, completion: @escaping ([any NSItemProviderReading]) -> Void
  ) -> Progress {
    let loads = Progress(totalUnitCount: Int64(items.count))
    progress.totalUnitCount += 1
    progress.addChild(loads, withPendingUnitCount: 1)
    let pending = PendingObjects(count: items.count, completion)
    for (index, item) in items.enumerated() {
      let load = item.itemProvider.loadObject(ofClass: aClass) { object, _ in
        let loaded = Shared(object)
        Task { @MainActor in pending.finish(index, loaded.value) }
      }
      loads.addChild(load, withPendingUnitCount: 1)
    }
    if items.isEmpty { Task { @MainActor in pending.complete() } }
    return loads
  }
}

/// The objects that the loads of one call have created so far.
@MainActor
private final class PendingObjects {
  private var objects: [(any NSItemProviderReading)?]
  private var pendingCount: Int
  private let completion: ([any NSItemProviderReading]) -> Void

  init(count: Int, _ completion: @escaping ([any NSItemProviderReading]) -> Void) {
    objects = Array(repeating: nil, count: count)
    pendingCount = count
    self.completion = completion
  }

  func finish(_ index: Int, _ object: (any NSItemProviderReading)?) {
    objects[index] = object
    pendingCount -= 1
    if pendingCount == 0 { complete() }
  }

  func complete() { completion(objects.compactMap { $0 }) }
}
