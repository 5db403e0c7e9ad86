// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import Foundation
import ItemTransfer
import UniformTypes

/// The app with its window configurations and the routes of its activities.
struct PhotoGallery {
  static let showPhoto = "org.dragpipe.sample.show-photo"
  static let inspectPhoto = "org.dragpipe.sample.inspect-photo"
  private static let activityTypes = [showPhoto, inspectPhoto]

  private static let help = SceneAppHelp(
    summary: "PhotoGallery: photos are dragged into a document, or to the desktop as windows.",
    options: [
      "--photos DIRECTORY": "show the pictures of another directory",
      "--state DIRECTORY": "keep the windows for the next run",
    ],
    commands: [
      "drag N to WINDOW": "in the gallery: drop a photo, such as `drag 3 to document`",
      "drag N to desktop": "in the gallery: open the window of a photo",
      "open N": "in the gallery: show a photo in the middle of the screen",
      "inspect N": "in the gallery: show the details of a photo",
      "inspect": "in the window of a photo: show its details",
      "close": "in the window of a photo or its details: close it",
      ":activities": "list the activities and their windows",
    ])

  /// Returns the options of a window: a document accepts pictures, and the windows of a single photo are small.
  static func options(of window: SceneWindow) -> SceneWindowOptions {
    switch window.session.configurationName {
    case "Document": SceneWindowOptions(dropTypes: [.image])
    case "Photo": SceneWindowOptions(width: 340, height: 430)
    case "Inspector": SceneWindowOptions(width: 340, height: 340)
    default: SceneWindowOptions()
    }
  }

  private let arguments: [String]

  init(_ arguments: [String]) {
    self.arguments = arguments
  }

  func run() async throws -> Bool {
    let app = try SceneApp(
      arguments: arguments, help: Self.help, commands: [":activities": { host, _ in Self.listActivities(host) }])
    let photos = try SceneApp.value(of: "--photos", in: arguments) ?? PhotoLibrary.sample
    let configurations = ["Gallery", "Document", "Photo", "Inspector"].map { SceneConfiguration(name: $0) }
    let router = SceneRouter(
      manifest: SceneManifest(configurations: configurations, activityTypes: Set(Self.activityTypes)),
      configurationNames: [Self.showPhoto: "Photo", Self.inspectPhoto: "Inspector"])
    let state = try SceneApp.value(of: "--state", in: arguments).map { try SceneStateDirectory($0) }
    return try await app.run(router, state: state, windowArguments: [photos]) { host in
      try await host.open(configurations[1])
      try await host.open(configurations[0])
    }
  }

  /// Shows the types of activities, and the windows that show an activity.
  private static func listActivities(_ host: SceneHost) {
    let lines = activityTypes.flatMap { type in
      let scenes = host.scenes.filter { $0.session.stateRestorationActivity?.activityType == type }
      return [type] + scenes.map { "  \($0.number) \($0.title)" }
    }
    SceneApp.show(lines, title: "Activities")
  }
}

/// The pictures of a directory.
struct PhotoLibrary: Sendable {
  struct Photo: Sendable {
    let file: URL

    var name: String { file.deletingPathExtension().lastPathComponent }

    /// Returns the activity that shows or inspects the photo, depending on the type.
    func activity(_ type: String) -> UserActivity {
      var activity = UserActivity(
        activityType: type, title: name, userInfo: ["photo": .string(name)], targetContentIdentifier: "\(type)/\(name)")
      activity.requiredUserInfoKeys = ["photo"]
      return activity
    }

    /// The picture in a row, with a side in points; `nil` for a picture that grows with its window.
    func picture(side: Int?) -> ScenePicture {
      ScenePicture(name, side: side) { try Data(contentsOf: file) }
    }

    /// An item with the activity that shows the photo, and with the picture, which a destination may open in place.
    var item: ItemProvider {
      let item = ItemProvider(contentsOf: file, openInPlace: true)
      item.register(activity(PhotoGallery.showPhoto))
      return item
    }
  }

  /// The directory of the sample pictures.
  static var sample: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Data/images").path
  }

  let photos: [Photo]

  init(_ directory: String) throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: URL(fileURLWithPath: directory), includingPropertiesForKeys: nil)
    photos = files.filter { UTType(filenameExtension: $0.pathExtension)?.conforms(to: .image) ?? false }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }.map { Photo(file: $0) }
  }

  func photo(of activity: UserActivity) -> Photo? {
    guard case .string(let name)? = activity.userInfo["photo"] else { return nil }
    return photos.first { $0.name == name }
  }
}
