// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import SceneTerminal

/// The app: which windows there are, and which of them an activity is for.
struct PhotoGallery {
  static let showPhoto = "org.dragpipe.sample.show-photo"
  static let inspectPhoto = "org.dragpipe.sample.inspect-photo"

  private let arguments: [String]

  init(_ arguments: [String]) {
    self.arguments = arguments
  }

  func run() async throws -> Bool {
    let photos = try SceneTerminal.value(of: "--photos", in: arguments) ?? PhotoLibrary.sample
    let configurations = ["Gallery", "Document", "Photo", "Inspector"].map { SceneConfiguration(name: $0) }
    let router = SceneRouter(
      manifest: SceneManifest(configurations: configurations, activityTypes: [Self.showPhoto, Self.inspectPhoto]),
      configurationNames: [Self.showPhoto: "Photo", Self.inspectPhoto: "Inspector"])
    let terminal = try SceneTerminal(arguments: arguments, option: "--photos DIRECTORY")
    let program = [CommandLine.arguments[0], "--window", photos]
    let command: @Sendable (SceneSession) -> [String] = { program + [$0.configurationName] }
    return try await SceneHost.run(router: router, opening: command) { host in
      try await host.open(configurations[1])
      try await host.open(configurations[0])
      return try await terminal.run(host)
    }
  }
}
