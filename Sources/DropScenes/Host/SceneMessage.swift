// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
package import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

extension UTType {
  /// A message between an app and the process of one of its scenes, as CBOR.
  static let sceneMessage = UTType(exportedAs: "org.dragpipe.scene-message", conformingTo: .data)
}

/// The target of a drag from a window.
public enum SceneTarget: Codable, Sendable, Hashable {
  /// The desktop: the app continues the items' activity in an existing or a new window.
  case desktop
  /// A window, by its number, title or identifier. The optional position is a row in the window, from 0 to 2,147,483,647.
  case scene(String, position: Int?)

  /// The valid positions in a window.
  static let positions = 0...Int(Int32.max)
}

/// A drag of a window on a desktop, of which another window of the app gets the items through the app.
package struct SceneDrag: Codable, Sendable, Hashable {
  /// The scene from which the items come.
  package let scene: UUID
  /// The identifier, which only programs that can read the drag know.
  package let id: UUID

  /// Creates an identifier for a new drag.
  package init(from scene: UUID) {
    self.scene = scene
    id = UUID()
  }

  /// Parses a value that a drag carries; `nil` if it is not one of ``text``.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { UUID(uuidString: String($0)) }
    guard parts.count == 2, let scene = parts[0], let id = parts[1] else { return nil }
    (self.scene, self.id) = (scene, id)
  }

  /// The value that a drag carries.
  package var text: String { "\(scene)/\(id)" }
}

/// A request to send the items of a drag to another window.
package struct SceneHandOver: Sendable {
  /// The drag.
  package let drag: SceneDrag
  /// The target for ``SceneWindow/drag(_:to:allowing:)``.
  package let target: SceneTarget
}

/// A message between an app and a window.
///
/// A message is the first item of an offer, before the dragged items.
enum SceneMessage: Codable, Sendable {
  // To a window.
  case connect(SceneSession, activities: [UserActivity], style: ScenePresentationStyle)
  case activate(UserActivity)
  case refresh
  case key(Bool)
  case size(columns: Int)
  case input(String)
  case drop(position: Int?)
  /// The window should send the items of its drag to another window.
  case handOver(SceneDrag, to: UUID, position: Int?)
  case disconnect

  // From a window. A greater number marks a newer message, regardless of the order of arrival.
  case state(SceneSession, number: UInt64)
  case content([String], number: UInt64)
  case open(UserActivity, style: ScenePresentationStyle)
  case drag(to: SceneTarget)
  /// A drag of another window was dropped on the window, which asks for its items.
  case take(SceneDrag, position: Int?)
  case close

  /// The maximum length of a message in bytes.
  static let maximumLength = 1 << 20
}

extension DropSession {
  /// Sends a message, with items if there are any, and waits for the peer's response.
  func send(
    _ message: SceneMessage, with items: [ItemProvider] = [], allowing actions: DropActions = .copy
  ) async throws(DropStreamError) -> DropReceipt {
    let receipt = try await offer([ItemProvider(message: message, .sceneMessage)] + items, allowing: actions)
    return DropReceipt(action: receipt.action, keptItems: receipt.keptItems.compactMap { $0 > 0 ? $0 - 1 : nil })
  }
}

extension IncomingDrop {
  /// Returns the message of an offer; `nil` if the offer was withdrawn before its message had arrived.
  ///
  /// - Throws: `SceneHostError.invalidMessage` for an invalid message; `DropStreamError` if the session fails.
  func sceneMessage() async throws -> SceneMessage? {
    guard let item = items.first else {
      throw SceneHostError(.invalidMessage, "offer without items, expected a message")
    }
    do {
      return try await item.message(SceneMessage.self, .sceneMessage, atMost: SceneMessage.maximumLength)
    } catch let error as SharedListError {
      throw SceneHostError(.invalidMessage, error.reason, underlyingError: error)
    } catch {
      guard let failure = error.dropStreamError else { throw error }
      if failure.code == .withdrawn { return nil }
      throw failure
    }
  }
}
