// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import DropTransport
import Foundation
import SceneTerminal
import Synchronization

/// A window onto the list: what is typed changes it, and every change is shown, whoever has made it.
enum DatesWindow {
  static func run(at path: String) async {
    await SceneTerminal.window { window in
      do {
        try await SharedList<Stamp>.connect(over: .unixSocket(path)) { dates in
          async let _: Void = show(dates, in: window)
          for await event in window.events {
            if case .input(let line) = event { try await perform(line, dates, window) }
          }
        }
      } catch let error as SharedListError {
        try await window.show(["! \(error.code)"])
        for await _ in window.events {}
      }
    }
  }

  private static func show(_ dates: SharedList<Stamp>, in window: SceneWindow) async {
    var (edits, revision) = (0, UInt64(0))
    do {
      for try await change in dates.changes {
        edits += change.difference.count
        revision = change.revision
        try await window.show(["\(change.elements.count) dates, revision \(revision)"] + change.elements.map(\.text))
      }
    } catch {
      let reason = (error as? SharedListError).map { "\($0.code)" } ?? "\(error)"
      try? await window.show(["! \(reason) after revision \(revision)"] + dates.elements.map(\.text))
    }
  }

  private static func perform(_ line: String, _ dates: SharedList<Stamp>, _ window: SceneWindow) async throws {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    do throws(SharedListError) {
      switch words.first {
      case "insert": try await dates.insert(words.count > 1 ? Stamp(words[1]) : Stamp(), at: 0)
      case "delete":
        let elements = dates.elements
        guard let number = Int(words.last ?? ""), elements.indices.contains(number - 1) else { break }
        try await dates.remove(elements[number - 1].id)
      case "churn": await churn(dates, count: Int(words.last ?? "") ?? 0)
      default: break
      }
    } catch {
      // One that is not there any more was deleted by somebody who was faster.
      if error.code != .notFound { try await window.show(["! \(error.code)"] + dates.elements.map(\.text)) }
    }
  }

  /// Inserts and deletes without a plan, as many windows do at once.
  private static func churn(_ dates: SharedList<Stamp>, count: Int) async {
    for number in 0..<count {
      let elements = dates.elements
      do {
        if number.isMultiple(of: 2) || elements.isEmpty {
          try await dates.insert(Stamp("\(getpid())-\(number)"), at: Int.random(in: 0...elements.count))
        } else if let victim = elements.randomElement() {
          try await dates.remove(victim.id)
        }
      } catch {
        // Somebody else was faster; a list that is gone says so elsewhere.
      }
    }
  }
}
