// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import DropTransport
import Foundation
import SceneTerminal

/// A window of the shared list.
///
/// Its input edits the list, and it shows the changes that any window makes.
enum DatesWindow {
  static func run(at path: String) async {
    await SceneTerminal.window { window in
      do {
        try await SharedList<Stamp>.connect(over: .unixSocket(path)) { dates in
          async let _: Void = show(dates, in: window)
          try await withThrowingDiscardingTaskGroup { group in
            for await event in window.events {
              guard case .input(let line) = event else { continue }
              if let count = line.split(separator: " ").last.flatMap({ Int($0) }), line.hasPrefix("start ") {
                group.addTask { await churn(dates, count: count) }
              } else {
                try await perform(line, dates, window)
              }
            }
          }
        }
      } catch let error as SharedListError {
        try await window.show(["! \(error)"])
        for await _ in window.events {}
      }
    }
  }

  private static func show(_ dates: SharedList<Stamp>, in window: SceneWindow) async {
    var revision: UInt64 = 0
    do {
      for try await change in dates.changes {
        revision = change.revision
        try await window.show(["\(change.elements.count) dates, revision \(revision)"] + change.elements.map(\.text))
      }
    } catch {
      try? await window.show(["! after revision \(revision): \(error)"] + dates.elements.map(\.text))
    }
  }

  private static func perform(_ line: String, _ dates: SharedList<Stamp>, _ window: SceneWindow) async throws {
    if let message = await message(of: line, dates) {
      try await window.show(["! \(message)"] + dates.elements.map(\.text))
    }
  }

  /// Performs a command, and returns the reason if it failed.
  private static func message(of line: String, _ dates: SharedList<Stamp>) async -> String? {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    do throws(SharedListError) {
      switch words.first {
      case "insert": try await dates.insert(words.count > 1 ? Stamp(words[1]) : Stamp(), at: 0)
      case "delete":
        let elements = dates.elements
        guard let number = Int(words.last ?? ""), elements.indices.contains(number - 1) else {
          return "expected delete N, with a number from 1 to \(elements.count)"
        }
        try await dates.remove(elements[number - 1].id)
      default: return "\(SceneTerminalError.unknownCommand(line))"
      }
    } catch {
      // Another window may have deleted the entry first, which is not an error.
      return error.code == .notFound ? nil : "\(error)"
    }
    return nil
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
        // Another window deleted the entry first. Any other error ends the loop, and is shown by `show(_:in:)`.
        if error.code != .notFound { return }
      }
    }
    try? await dates.insert(Stamp("\(getpid()) is done"))
  }
}
