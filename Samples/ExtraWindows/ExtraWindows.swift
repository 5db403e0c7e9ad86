// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import Foundation
import ItemTransfer

/// The app, which opens and closes the windows.
struct ExtraWindows {
  private static let help = SceneAppHelp(
    summary: "ExtraWindows: the key window receives the input.",
    commands: [
      "TEXT": "show the text in the key window",
      "open": "in any window: open a further window",
      "close": "in any window: close it",
      ":window": "open a further window",
      ":window X Y WIDTH HEIGHT [SCREEN]": "open a window with a frame, on the screen of that number from 0",
      ":close WINDOW": "close a window, and print whether its process is gone",
      ":held": "print the number of windows and of open descriptors",
    ])
  static let openWindow = "org.dragpipe.sample.extra-window"
  /// Each frame has a window of its own.
  private static let window = SceneConfiguration(
    name: "Extra", activationConditions: SceneActivationConditions(canActivate: .never))

  func run(_ arguments: [String]) async throws -> Bool {
    let app = try SceneApp(
      arguments: arguments, help: Self.help,
      commands: [
        ":window": { host, words in
          if words.isEmpty { try await host.open(Self.window) } else { try await host.open(ExtraFrame(words).opening) }
        },
        ":held": { host, _ in
          SceneApp.print("\(host.scenes.count) windows, \(try Self.openDescriptors) descriptors")
        },
        ":close": { host, words in
          let scene = try host.scene(words.joined(separator: " "))
          await host.close(scene.id)
          let isGone = scene.processIdentifier.map { kill($0, 0) != 0 } ?? true
          SceneApp.print("window \(scene.number) is closed, its process \(isGone ? "gone" : "there")")
        },
      ])
    let router = SceneRouter(
      manifest: SceneManifest(configurations: [Self.window], activityTypes: [Self.openWindow]),
      configurationNames: [Self.openWindow: "Extra"])
    return try await app.run(router) { host in
      for _ in 0..<2 { try await host.open(Self.window) }
    }
  }

  /// The number of open descriptors of the app.
  ///
  /// A closed window must leave none behind.
  private static var openDescriptors: Int {
    get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
  }
}

/// A window that shows its input, and removes it line by line before it closes.
struct ExtraWindow {
  /// The start of a line from the field of a desktop.
  private static let typed = "line "
  private let window: SceneWindow

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run() async throws {
    var (isKey, lines, frame) = (false, [String](), ExtraFrame(window.activities))
    try await show(isKey, frame, lines)
    for await event in window.events {
      switch event {
      case .key(let key): isKey = key
      case .bounds(let width, let height): frame?.resize(width: width, height: height)
      case .input("open"): try await window.open(UserActivity(activityType: ExtraWindows.openWindow))
      case .input("close"):
        try await vanish(lines)
        return try await window.close()
      case .input(let line): lines.append(line.hasPrefix(Self.typed) ? String(line.dropFirst(Self.typed.count)) : line)
      default: continue
      }
      try await show(isKey, frame, lines)
    }
    // The app waits until the window has closed.
    try await vanish(lines)
  }

  /// Removes the lines one after the other.
  private func vanish(_ lines: [String]) async throws {
    for count in lines.indices.reversed() {
      try await window.show(["closing"] + lines[..<count])
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func show(_ isKey: Bool, _ frame: ExtraFrame?, _ lines: [String]) async throws {
    let rows = ([isKey ? "type here" : "not key"] + (frame.map { [$0.description] } ?? []) + lines).map { SceneRow($0) }
    try await window.show(
      rows: rows + [
        .field("a line for this window", input: "line"), .button("Open Another", input: "open"),
        .button("Close", input: "close"),
      ])
  }
}
