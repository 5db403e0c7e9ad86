// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemTransfer
public import UniformTypes

extension UTType {
  /// What an app and the process that shows one of its scenes say to each other, as CBOR.
  public static let sceneMessage = UTType(exportedAs: "org.dragpipe.scene-message", conformingTo: .data)
}

/// Where a window lets go of what it drags.
public enum SceneTarget: Codable, Sendable, Hashable {
  /// Beside all windows: what the items' activity speaks of is opened.
  case desktop
  /// A window, by its number, its title or its identifier; and a place in it, of ``positions``, where one is meant.
  case scene(String, position: Int?)

  /// The places that a window may be asked for, from 0 on.
  public static let positions = 0...Int(Int32.max)
}

/// What an app and a window say to each other: the first item of an offer, before what is dragged.
enum SceneMessage: Codable, Sendable {
  // To a window.
  case connect(SceneSession, activities: [UserActivity])
  case activate(UserActivity)
  case refresh
  case key(Bool)
  case size(columns: Int)
  case input(String)
  case drop(position: Int?)
  case disconnect

  // From a window.
  // What was said last has the greatest number, whatever comes last.
  case state(SceneSession, number: UInt64)
  case content([String], number: UInt64)
  case open(UserActivity)
  case drag(to: SceneTarget)
  case close

  /// The most bytes of one.
  static let maximumLength = 1 << 20
}

extension DropSession {
  /// Says something, and waits until the other side has heard it.
  func say(
    _ message: SceneMessage, with items: [ItemProvider] = [], allowing actions: DropActions = .copy
  ) async throws(DropStreamError) -> DropReceipt {
    let receipt = try await offer([ItemProvider(saying: message, .sceneMessage)] + items, allowing: actions)
    return DropReceipt(action: receipt.action, keptItems: receipt.keptItems.compactMap { $0 > 0 ? $0 - 1 : nil })
  }
}

extension IncomingDrop {
  /// What an offer says; `nil` where it was taken back before all of it had come.
  ///
  /// - Throws: `SceneHostError.invalidMessage` for what makes no sense; `DropStreamError` when the session fails.
  func sceneMessage() async throws -> SceneMessage? {
    guard let item = items.first else { throw SceneHostError(.invalidMessage, "an offer without items says nothing") }
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

  /// Says that it was heard; who has taken it back meanwhile need not know.
  func finishIfHeard(_ action: DropAction = .copy) async throws(DropStreamError) {
    do throws(DropStreamError) {
      try await finish(action)
    } catch {
      if !error.leavesNobodyToAnswer { throw error }
    }
  }

  /// Says why not; who has taken it back meanwhile need not know.
  func refuseIfHeard(because reason: String) async throws(DropStreamError) {
    do throws(DropStreamError) {
      try await refuse(because: reason)
    } catch {
      if !error.leavesNobodyToAnswer { throw error }
    }
  }
}

extension DropStreamError {
  /// Whether the other side has taken back what it wanted, has heard already, or is gone.
  var leavesNobodyToAnswer: Bool { [.withdrawn, .peerGone, .closed, .cancelled].contains(code) }
}

extension Error {
  /// The transport's error, also where a load was what failed.
  var dropStreamError: DropStreamError? {
    self as? DropStreamError ?? (self as? ItemProviderError)?.underlyingError as? DropStreamError
  }
}
