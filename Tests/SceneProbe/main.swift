// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// A window for tests. The name of its configuration decides whether it behaves well, or in which way it misbehaves.

import DropScenes
import DropTransport
import Foundation
import ItemTransfer

let kind = CommandLine.arguments[1]
switch kind {
case "Mute":
  // The window never connects to its app.
  try await Task.sleep(for: .seconds(600))
case "Dying":
  exit(3)
default:
  do {
    try await SceneWindow.run(takesDrops: kind != "Deaf") { window in try await Probe(window).run() }
  } catch {
    exit(4)
  }
}

/// A window that shows its events and performs its input.
actor Probe {
  private let window: SceneWindow
  private var lines: [String] = []

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run() async throws {
    for activity in window.activities { lines.append("for \(activity.targetContentIdentifier ?? "nothing")") }
    if window.presentationStyle != .automatic { lines.append("\(window.presentationStyle)") }
    try await window.show(lines)
    if kind == "Deaf" { try await Task.sleep(for: .seconds(600)) }
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await self.takeDrops() }
      for await event in window.events {
        switch event {
        case .activate(let activity): lines.append("again for \(activity.targetContentIdentifier ?? "nothing")")
        case .key(let isKey): lines.append(isKey ? "key" : "not key")
        case .input(let line): group.addTask { try await self.perform(line) }
        case .size, .bounds, .refresh: break
        }
        try await window.show(lines)
      }
      group.cancelAll()
    }
  }

  private func say(_ line: String) async throws {
    lines.append(line)
    try await window.show(lines)
  }

  private func takeDrops() async throws {
    for await drop in window.drops {
      if kind == "Slow" { try await say("a drop is there") }
      // Loading may take a long time.
      do {
        let data = try await drop.items[0].data(for: .data)
        let hasHeard = try await drop.finish(.copy)
        try await say("dropped \(data.count) \(hasHeard)\(drop.position.map { " at \($0)" } ?? "")")
      } catch let error as ItemProviderError {
        try await say("lost \(error.code)")
        try await drop.refuse(because: "it did not come")
      }
    }
  }

  private func perform(_ line: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "drag", "drag-slowly":
      let item = ItemProvider()
      item.register(.data) { _ in
        if words[0] == "drag-slowly" { try await Task.sleep(for: .seconds(600)) }
        return Data([1, 2, 3])
      }
      let answer: String
      do throws(DropStreamError) {
        let target = SceneTarget.scene(words[1], position: words.count > 2 ? Int(words[2]) : nil)
        answer = "kept \(try await window.drag([item], to: target).keptItems.count)"
      } catch {
        answer = "! \(error.senderFailure?.reason ?? "\(error.code)")"
      }
      try await say(answer)
    case "open":
      try await window.open(
        UserActivity(activityType: "org.example.tests.show", targetContentIdentifier: words[1]),
        presentationStyle: .prominent)
    case "title":
      try await window.update { $0.title = String(repeating: "\u{1B}[2J", count: 1000) }
      try await say("titled")
    case "count":
      for number in 1...50 { try await window.update { $0.userInfo = ["count": .integer(Int64(number))] } }
      try await say("counted")
    case "leave": exit(0)
    default: try await say("typed \(line)")
    }
  }
}
