// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropScenes
internal import Foundation

/// The commands that all apps have.
extension SceneApp {
  /// Performs a line of input.
  func perform(_ command: String, _ words: [String], _ line: InputLine, _ host: SceneHost) async throws {
    if words.isEmpty, ["help", ":help"].contains(command) { return Self.show(help.lines, title: "Help") }
    guard command.hasPrefix(":") else {
      return try await host.sendInput(line.text, to: line.window)
    }
    if let own = commands[command] { return try await own(host, words) }
    if command == ":say" { return Self.print(words.joined(separator: " ")) }
    if command == ":show", words.isEmpty { return showAll(host.scenes) }
    guard [":show", ":key", ":refresh", ":close", ":kill", ":resize", ":wait"].contains(command) else {
      throw SceneAppError.unknownCommand(command)
    }
    guard let name = words.first else { throw SceneAppError(reason: "\(command) needs a window") }
    if command == ":wait" { return try await wait(for: words.dropFirst().joined(separator: " "), in: name, host) }
    let scene = try host.scene(name)
    switch command {
    case ":show": Self.show(Pane(scene).lines.map(\.text), title: "\(scene.number) \(scene.title)")
    case ":key": await host.makeKey(scene.id)
    case ":refresh": await host.refresh(scene.id)
    case ":close": await host.close(scene.id)
    case ":kill": try kill(scene)
    default:
      guard let columns = words.dropFirst().first.flatMap({ Int($0) }), columns > 0 else {
        throw SceneAppError(reason: "expected :resize WINDOW N with a number of characters")
      }
      await host.resize(scene.id, columns: columns)
    }
  }

  /// Shows all lines of all windows.
  private func showAll(_ scenes: [HostedScene]) {
    let lines = scenes.map(Pane.init).flatMap { pane in
      [pane.heading.trimmingCharacters(in: .whitespaces)] + pane.lines.map { "  \($0.text)" }
    }
    Self.show(lines, title: "All windows")
  }

  private func kill(_ scene: HostedScene) throws {
    guard let process = scene.processIdentifier, Foundation.kill(process, SIGKILL) == 0 else {
      throw SceneAppError(reason: "window \(scene.number) has no process")
    }
  }

  private func wait(for text: String, in name: String, _ host: SceneHost) async throws {
    let isShown = try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        // The window may open, or have its title, only later.
        var id = try? host.scene(name).id
        if id == nil, text == "closed" { return true }
        for try await change in host.changes {
          id = id ?? (try? host.scene(name).id)
          guard let id else { continue }
          let now = change.elements.first { $0.id == id }
          let shown = (now?.content ?? []) + [now?.failure ?? "", now == nil ? "closed" : ""]
          if shown.contains(where: { $0.contains(text) }) { return true }
        }
        return false
      }
      group.addTask {
        try await Task.sleep(for: .seconds(60))
        return false
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
    if isShown { return }
    throw SceneAppError(reason: "window \(try host.scene(name).number) does not show \(text)")
  }
}
