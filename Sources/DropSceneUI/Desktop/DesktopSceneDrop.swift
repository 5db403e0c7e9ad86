// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropScenes
internal import DropTransport
internal import ItemTransfer

/// A drop of the desktop on a window.
struct DesktopSceneDrop: SceneDropSource {
  let session: DesktopDrop.Session
  let items: [ItemProvider]

  var actions: DropActions { session.position.actions }

  /// Reports the action, or a refusal if no item was kept: the protocol of the desktop has no count.
  func finish(_ action: DropAction, keeping kept: [Int]?) async throws(DropStreamError) {
    if kept?.isEmpty == true { return session.refuse(because: "no item was kept") }
    do {
      try await session.finish(action)
    } catch {
      let code: DropStreamError.Code = (error as? DesktopError)?.code == .notAllowed ? .notAllowed : .peerGone
      throw DropStreamError(code, "\(error)", underlyingError: error)
    }
  }

  func refuse(because reason: String) {
    session.refuse(because: reason)
  }
}
