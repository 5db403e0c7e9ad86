// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import Foundation

/// The window of an entry of the list.
struct DateWindow {
  private let window: SceneWindow

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run(_ dates: SharedList<Stamp>) async throws {
    guard let activity = window.activities.first, case .string(let text)? = activity.userInfo["date"],
      let id = UUID(uuidString: text)
    else {
      try await window.show(["! the activity has no entry"])
      for await _ in window.events {}
      return
    }
    try await window.update { session in
      session.title = "Date"
      session.stateRestorationActivity = activity
      session.activationConditions = SceneActivationConditions(
        canActivate: .never, prefersToActivate: .equal(to: activity.targetContentIdentifier ?? ""))
    }
    async let _: Void = follow(dates, id)
    for await event in window.events {
      switch event {
      case .activate: try await show(dates.elements, id, "this window was open already")
      case .input("close"): return try await window.close()
      case .input("delete"):
        do throws(SharedListError) {
          try await dates.remove(id)
        } catch {
          // Another window may have deleted the entry first, which is not an error.
          if error.code != .notFound { try await show(dates.elements, id, "! \(error)") }
        }
      case .input(let line): try await show(dates.elements, id, "! \(SceneAppError.unknownCommand(line))")
      default: break
      }
    }
  }

  private func follow(_ dates: SharedList<Stamp>, _ id: UUID) async throws {
    do {
      for try await change in dates.changes { try await show(change.elements, id) }
    } catch let error as SharedListError {
      try await show(dates.elements, id, "! \(error)")
    }
  }

  private func show(_ elements: [Stamp], _ id: UUID, _ message: String = "") async throws {
    let close = SceneRow.button("Close", input: "close")
    guard let index = elements.firstIndex(where: { $0.id == id }) else {
      return try await window.show(rows: SceneRow.status(message) + [SceneRow("(the entry is deleted)"), close])
    }
    let stamp = elements[index]
    let entry = SceneRow(stamp.text, detail: "entry \(index + 1) of \(elements.count)", items: { [stamp.item] })
    try await window.show(
      rows: SceneRow.status(message) + [entry, .button("Delete", input: "delete"), close])
  }
}
