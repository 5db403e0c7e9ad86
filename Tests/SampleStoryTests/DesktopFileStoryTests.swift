// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

private let isInstalled = ["Xvfb", "thunar", "dbus-run-session"].allSatisfy { installedProgram($0) != nil }

/// A story of a file that a simulated pointer drags from the file manager Thunar to the heroes.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)),
  .enabled(if: isInstalled, "Xvfb, Thunar or D-Bus is not installed"))
struct DesktopFileStoryTests {
  private static let hero = #"{"id": 9, "name": "Camilla", "description": "She outran the wind."}"#

  /// Shows a folder in the file manager, which ends with the display.
  private static func show(_ folder: URL, home: URL, on stage: WindowStage) throws {
    let sink = try OwnedDescriptor.open("/dev/null", O_RDWR)
    var environment = ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"].map { ($0, home.path) }
    environment += [
      ("DISPLAY", "\(stage.display.address)"), ("GSETTINGS_BACKEND", "memory"), ("GIO_USE_VFS", "local"),
      ("NO_AT_BRIDGE", "1"),
    ]
    _ = try ChildProcess(
      "dbus-run-session", ["--", "thunar", folder.path], input: sink.raw, output: sink.raw, errors: sink.raw,
      environment: Dictionary(uniqueKeysWithValues: environment))
  }

  /// Drags the file to the favourites, and stays there until the windows had some time to agree on an effect.
  ///
  /// The file manager shows the file some time after its window has opened.
  private static func dragFile(on stage: WindowStage, pauses: Int) async throws {
    let (start, end) = ((222, 150) as (Int16, Int16), (950, 300) as (Int16, Int16))
    try await stage.point(at: start)
    try await stage.pointer.press()
    // The file manager begins a drag only with a small motion.
    try await stage.point(at: (start.0 + 8, start.1 + 8))
    try await stage.carry(from: start, to: end)
    for pause in 0..<pauses { try await stage.point(at: (end.0 + Int16(pause % 8), end.1)) }
    try await stage.pointer.release()
  }

  @Test func fileOfAHeroIsDraggedFromThunarToTheFavourites() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let (home, folder) = (directory.file("home"), directory.file("in"))
    for url in [home, folder] { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false) }
    try Data(Self.hero.utf8).write(to: folder.appendingPathComponent("Camilla.json"))
    let story = DesktopStory(name: "HeroesApp", screen: (1280, 800))
    let script = ":wait Heroes 72 heroes\n:wait Favourites Camilla\n:show Favourites"
    let attempts = Collector<Void>()
    let lines = try await story.run(
      script,
      after: { stage in
        _ = try await stage.window(named: "Heroes", x: 820)
        _ = try await stage.window(named: "Favourites", x: 820)
        try Self.show(folder, home: home, on: stage)
      },
      repeating: { stage in
        attempts.add(())
        try await Self.dragFile(on: stage, pauses: 10 * attempts.values.count)
      })
    #expect(lines.contains { $0.hasPrefix("1  Camilla") }, "\(lines)")
  }
}
