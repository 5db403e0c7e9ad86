// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import Foundation
import ItemTransfer

/// A window of the shared list.
///
/// Its input edits the list, and it shows the changes that any window makes.
actor DatesWindow {
  private let window: SceneWindow
  private var revision: UInt64 = 0
  /// The error that ended the list.
  private var failure: SharedListError?
  /// Whether the window shows the number of edits.
  private var countsEdits = false
  /// Whether the rows show how they are deleted.
  private var isEditing = false

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run(_ dates: SharedList<Stamp>) async throws {
    async let _: Void = follow(dates)
    try await withThrowingDiscardingTaskGroup { group in
      for await event in window.events {
        guard case .input(let line) = event else { continue }
        if let count = line.split(separator: " ").last.flatMap({ Int($0) }), line.hasPrefix("start ") {
          group.addTask { await Self.churn(dates, count: count) }
        } else {
          let message = await perform(line, dates)
          try await show(dates.elements, message.map { "! \($0)" })
        }
      }
    }
  }

  private func follow(_ dates: SharedList<Stamp>) async throws {
    do {
      for try await change in dates.changes {
        revision = change.revision
        try await show(change.elements)
      }
    } catch let error as SharedListError {
      failure = error
      try await show(dates.elements)
    }
  }

  /// Shows the list below an error, or else below the number of its entries.
  private func show(_ stamps: [Stamp], _ error: String? = nil) async throws {
    let ending = failure.map { "! after \(revision) edits: \($0)" }
    let rows = stamps.enumerated().map { index, stamp in
      var row = SceneRow(stamp.text, input: "open \(index + 1)", items: { [stamp.item] })
      if isEditing { (row.removal, row.prefix) = ("delete \(index + 1)", "(delete \(index + 1)) ") }
      return row
    }
    let buttons = [
      SceneRow.button("Add", input: "insert"), .button(isEditing ? "Done" : "Edit", input: "edit"),
      .button("Another Window", input: "window"),
    ]
    let count = stamps.count == 1 ? "1 date" : "\(stamps.count) dates"
    let status = error ?? ending ?? (countsEdits ? "\(count) after \(revision) edits" : count)
    let content = rows.isEmpty ? [.placeholder("no dates yet")] : rows
    try await window.show(rows: SceneRow.status(status) + content + buttons)
  }

  /// Performs a command, and returns the reason if it failed.
  private func perform(_ line: String, _ dates: SharedList<Stamp>) async -> String? {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    do {
      switch words.first {
      case "insert": try await dates.insert(words.count > 1 ? Stamp(words[1]) : Stamp(), at: 0)
      case "delete", "open":
        let elements = dates.elements
        guard let number = Int(words.last ?? ""), elements.indices.contains(number - 1) else {
          return "expected \(words[0]) N, with a number from 1 to \(elements.count)"
        }
        let stamp = elements[number - 1]
        if words[0] == "open" { try await window.open(stamp.showing) } else { try await dates.remove(stamp.id) }
      case "edit": isEditing.toggle()
      case "edits": countsEdits.toggle()
      case "window": try await window.open(UserActivity(activityType: SharedDates.showDates))
      default: return "\(SceneAppError.unknownCommand(line))"
      }
      return nil
    } catch {
      // Another window may have deleted the entry first, which is not an error.
      return (error as? SharedListError)?.code == .notFound ? nil : SceneApp.reason(of: error)
    }
  }

  /// Inserts and deletes entries at random, to test concurrent edits by many windows.
  ///
  /// Then inserts a final entry.
  private static func churn(_ dates: SharedList<Stamp>, count: Int) async {
    var done = 0
    while done < count {
      let elements = dates.elements
      do {
        if done.isMultiple(of: 2) || elements.isEmpty {
          try await dates.insert(Stamp("\(getpid())-\(done)"), at: Int.random(in: 0...elements.count))
        } else if let victim = elements.randomElement() {
          try await dates.remove(victim.id)
        }
        done += 1
      } catch {
        // Another window deleted the entry first. Any other error ends the loop, and is shown by `follow(_:)`.
        if error.code != .notFound { return }
      }
    }
    try? await dates.insert(Stamp("\(getpid()) is done"))
  }
}
