// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import DropTransport
public import ItemTransfer

/// Items that were dropped on a window.
public struct SceneDrop: Sendable {
  private let source: any SceneDropSource
  /// The position in the window; `nil` if the source gave none.
  public let position: Int?

  /// Creates a drop.
  package init(_ source: any SceneDropSource, position: Int?) {
    self.source = source
    self.position = position
  }

  /// The dropped items, in the source's order.
  public var items: [ItemProvider] { source.items }

  /// The actions that the source allows.
  public var actions: DropActions { source.actions }

  /// Reports to the source which items were kept.
  ///
  /// - Parameters:
  ///   - action: The action that was performed, one of ``actions``.
  ///   - kept: The indices of the kept items; `nil` for all.
  /// - Returns: Whether the source has received the report. Moved items belong to the window only if the result is
  ///   `true`. The result is `false` if the source is gone or has withdrawn the drop, or if the task is cancelled.
  /// - Throws: As `IncomingDrop.finish(_:keeping:)`, except in these cases.
  @discardableResult
  public func finish(_ action: DropAction, keeping kept: [Int]? = nil) async throws(DropStreamError) -> Bool {
    do throws(DropStreamError) {
      try await source.finish(action, keeping: kept)
      return true
    } catch {
      if error.needsNoResponse { return false }
      throw error
    }
  }

  /// Refuses the drop with a reason; does nothing if the source is gone or has withdrawn the drop.
  ///
  /// - Parameter reason: The reason, which the source may show.
  /// - Throws: `DropStreamError` if the session fails.
  public func refuse(because reason: String) async throws(DropStreamError) {
    try await source.refuse(because: reason)
  }
}

/// The origin of a drop on a window.
package protocol SceneDropSource: Sendable {
  /// The dropped items.
  var items: [ItemProvider] { get }
  /// The allowed actions.
  var actions: DropActions { get }

  /// Reports the action and the indices of the kept items; `nil` for all.
  func finish(_ action: DropAction, keeping kept: [Int]?) async throws(DropStreamError)
  /// Reports that nothing was kept.
  func refuse(because reason: String) async throws(DropStreamError)
}

/// A drop that another window's app forwards.
///
/// The first item of the offer is the app's message.
private struct ForwardedDrop: SceneDropSource {
  let drop: IncomingDrop

  var items: [ItemProvider] { Array(drop.items.dropFirst()) }
  var actions: DropActions { drop.actions }

  func finish(_ action: DropAction, keeping kept: [Int]?) async throws(DropStreamError) {
    try await drop.finish(action, keeping: kept.map { kept in [0] + kept.map { $0 + 1 } })
  }

  func refuse(because reason: String) async throws(DropStreamError) {
    try await drop.refuseUnlessWithdrawn(because: reason)
  }
}

extension SceneDrop {
  init(_ drop: IncomingDrop, position: Int?) {
    self.init(ForwardedDrop(drop: drop), position: position)
  }
}
