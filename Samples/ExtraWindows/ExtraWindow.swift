// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes

/// A window that shows what is typed into it, and takes its time to close.
struct ExtraWindow {
  private let window: SceneWindow

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run() async throws {
    var (isKey, lines) = (false, [String]())
    try await show(isKey, lines)
    for await event in window.events {
      switch event {
      case .key(let key): isKey = key
      case .input(let line): lines.append(line)
      default: continue
      }
      try await show(isKey, lines)
    }
    // The app wants the window closed, and waits until it is.
    while !lines.isEmpty {
      lines.removeLast()
      try await window.show(["closing"] + lines)
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func show(_ isKey: Bool, _ lines: [String]) async throws {
    try await window.show([isKey ? "type here" : "not key"] + lines)
  }
}
