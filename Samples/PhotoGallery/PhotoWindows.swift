// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import DropTransport
import Foundation
import ItemTransfer
import UniformTypes

/// A document window, which loads the picture of each dropped item.
struct DocumentWindow {
  let window: SceneWindow

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run() async throws {
    try await window.show(rows: [.placeholder("drop pictures here")])
    async let end: Void = {
      for await _ in window.events {}
    }()
    var rows: [SceneRow] = []
    for await drop in window.drops {
      do {
        for item in drop.items {
          guard let type = item.contentTypes.first(where: { $0.conforms(to: .image) }) else { continue }
          let data = try await item.data(for: type)
          let name = item.suggestedName ?? "picture"
          rows.append(
            SceneRow(
              "\(name): \(type.words), \(data.count.formatted(.byteCount(style: .file)))",
              picture: ScenePicture("\(rows.count)") { data }))
        }
        try await window.show(rows: SceneRow.status("\(rows.count) \(rows.count == 1 ? "picture" : "pictures")") + rows)
        try await drop.finish(.copy)
      } catch {
        try await drop.refuse(because: "\(error)")
      }
    }
    await end
  }
}

/// A window for one photo.
struct PhotoWindow {
  let window: SceneWindow
  let library: PhotoLibrary

  init(_ window: SceneWindow, _ library: PhotoLibrary) {
    self.window = window
    self.library = library
  }

  func run() async throws {
    var count = 0
    for activity in window.activities { try await show(activity, &count) }
    for await event in window.events {
      switch event {
      case .activate(let activity): try await show(activity, &count)
      case .input("close"): return try await window.close()
      case .input("inspect"):
        guard let photo = window.activities.first.flatMap(library.photo(of:)) else { continue }
        try await window.open(photo.activity(PhotoGallery.inspectPhoto))
      default: break
      }
    }
  }

  private func show(_ activity: UserActivity, _ count: inout Int) async throws {
    count += 1
    guard let photo = library.photo(of: activity) else { return try await window.show(["! there is no such photo"]) }
    try await window.update { session in
      session.title = photo.name
      session.stateRestorationActivity = activity
      session.activationConditions = SceneActivationConditions(
        canActivate: .never, prefersToActivate: .equal(to: activity.targetContentIdentifier ?? ""))
    }
    try await window.show(
      rows: [
        SceneRow(
          count == 1 ? photo.name : "\(photo.name), opened \(count) times", picture: photo.picture(side: nil)
        ) { [photo.item] },
        .button("Inspect", input: "inspect"), .button("Close", input: "close"),
      ])
  }
}

/// A window with details of a photo; each photo has one of its own.
struct InspectorWindow {
  let window: SceneWindow
  let library: PhotoLibrary

  init(_ window: SceneWindow, _ library: PhotoLibrary) {
    self.window = window
    self.library = library
  }

  func run() async throws {
    for activity in window.activities { try await show(activity) }
    for await event in window.events {
      switch event {
      case .activate(let activity): try await show(activity)
      case .input("close"): return try await window.close()
      default: break
      }
    }
  }

  private func show(_ activity: UserActivity) async throws {
    guard let photo = library.photo(of: activity) else { return try await window.show(["! there is no such photo"]) }
    try await window.update { session in
      session.title = "About \(photo.name)"
      session.stateRestorationActivity = activity
      session.activationConditions = SceneActivationConditions(
        canActivate: .never, prefersToActivate: .equal(to: activity.targetContentIdentifier ?? ""))
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: photo.file.path)
    let type = try UTType.identify(fileAt: photo.file.path)
    try await window.show(
      rows: [
        SceneRow(photo.name, picture: photo.picture(side: 128)), SceneRow(type.type.words),
        SceneRow((attributes[.size] as? Int ?? 0).formatted(.byteCount(style: .file))),
        .button("Close", input: "close"),
      ])
  }
}

/// A window that lists all photos.
///
/// They can be dragged to other windows.
struct GalleryWindow {
  private let window: SceneWindow
  private let library: PhotoLibrary

  init(_ window: SceneWindow, _ library: PhotoLibrary) {
    self.window = window
    self.library = library
  }

  func run() async throws {
    try await show("\(library.photos.count) photos")
    for await event in window.events {
      if case .input(let line) = event { try await show(await perform(line)) }
    }
  }

  private func show(_ message: String) async throws {
    let rows = library.photos.enumerated().map { offset, photo in
      var row = SceneRow(photo.name, picture: photo.picture(side: 96), input: "open \(offset + 1)") { [photo.item] }
      (row.style, row.prefix) = (.tile, "\(offset + 1) ")
      return row
    }
    try await window.show(rows: SceneRow.status(message) + rows)
  }

  /// Performs a command and returns the result as text.
  private func perform(_ line: String) async -> String {
    let words = line.split(separator: " ").map(String.init)
    switch words.first ?? "" {
    case "drag" where words.count > 3 && words[2] == "to", "inspect" where words.count == 2,
      "open" where words.count == 2:
      break
    case "drag": return "! expected drag N to WINDOW"
    case "inspect", "open": return "! expected \(words[0]) N"
    default: return "! \(SceneAppError.unknownCommand(line))"
    }
    guard let number = Int(words[1]), library.photos.indices.contains(number - 1) else {
      return "! expected the number of a photo from 1 to \(library.photos.count), found \(words[1])"
    }
    let photo = library.photos[number - 1]
    do {
      switch words[0] {
      case "open":
        try await window.open(photo.activity(PhotoGallery.showPhoto), presentationStyle: .prominent)
        return "\(photo.name) is shown"
      case "inspect":
        try await window.open(photo.activity(PhotoGallery.inspectPhoto))
        return "\(photo.name) is inspected"
      default:
        let name = words.dropFirst(3).joined(separator: " ")
        let receipt = try await window.drag(
          [photo.item], to: name == "desktop" ? .desktop : .scene(name, position: nil))
        return receipt.keptItems.isEmpty ? "\(photo.name) is not dropped" : "\(photo.name) is dropped"
      }
    } catch {
      return "! \(SceneApp.reason(of: error))"
    }
  }
}

extension UTType {
  /// The type in words.
  fileprivate var words: String { localizedDescription ?? preferredMIMEType ?? "file" }
}
