// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import Foundation
import ItemTransfer

/// The app, which starts the process of the list and the windows.
struct SharedDates {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("dates-\(UUID().uuidString)")

  private static let help = SceneAppHelp(
    summary: "SharedDates: one list of dates in any number of windows.",
    commands: [
      "insert [TEXT]": "insert the text, or the date, at the start of the list",
      "delete N": "delete an entry of the list; in its own window, `delete`",
      "open N": "open the window of an entry",
      "edit": "show how each entry is deleted, or end that",
      "close": "in the window of an entry: close it",
      "edits": "show the number of edits, or end that",
      "start N": "make N random edits",
      "window, :window": "open a further window",
      ":kill-store": "kill the process of the list",
    ])
  static let showDate = "org.dragpipe.sample.show-date"
  static let showDates = "org.dragpipe.sample.show-dates"
  private static let configurations = ["Dates", "Date"].map {
    SceneConfiguration(name: $0, activationConditions: SceneActivationConditions(canActivate: .never))
  }

  /// Returns the options of a window: that of a single date is small.
  static func options(of window: SceneWindow) -> SceneWindowOptions {
    window.session.configurationName == "Dates" ? SceneWindowOptions() : SceneWindowOptions(width: 340, height: 190)
  }

  func run(_ arguments: [String]) async throws -> Bool {
    let store = ListProcess()
    let app = try SceneApp(
      arguments: arguments, help: Self.help,
      commands: [
        ":window": { host, _ in try await host.open(Self.configurations[0]) },
        ":kill-store": { _, _ in store.kill() },
      ])
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: directory) }
    let socket = directory.appendingPathComponent("list").path
    try store.start(at: socket)
    defer { store.end() }
    let router = SceneRouter(
      manifest: SceneManifest(configurations: Self.configurations, activityTypes: [Self.showDate, Self.showDates]),
      configurationNames: [Self.showDate: "Date"])
    return try await app.run(router, windowArguments: [socket]) { host in
      for _ in 0..<2 { try await host.open(Self.configurations[0]) }
    }
  }
}

/// The process of the list.
private final class ListProcess: Sendable {
  private let process = Process()
  private let input = Pipe()

  /// Starts the process, and waits until it accepts connections.
  func start(at socket: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
    process.arguments = ["--store", socket]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard try output.fileHandleForReading.read(upToCount: 1) != nil else {
      throw SceneAppError(reason: "the process of the list did not start")
    }
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
  }

  /// Ends the process.
  func end() {
    try? input.fileHandleForWriting.close()
  }
}

/// An entry of the list: a date or a text.
struct Stamp: Codable, Sendable, Identifiable, Equatable {
  var id = UUID()
  var text: String

  /// Creates an entry with the current date.
  init() {
    text = Date().formatted(.iso8601)
  }

  init(_ text: String) {
    self.text = text
  }

  /// The activity that opens a window for the entry.
  var showing: UserActivity {
    var activity = UserActivity(
      activityType: SharedDates.showDate, title: text, userInfo: ["date": .string(id.uuidString)],
      targetContentIdentifier: "date/\(id)")
    activity.requiredUserInfoKeys = ["date"]
    return activity
  }

  /// The text and the activity, for a drag.
  var item: ItemProvider {
    let item = ItemProvider(text)
    item.register(showing)
    return item
  }
}
