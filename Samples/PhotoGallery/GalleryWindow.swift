// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import DropTransport
import Foundation
import ItemTransfer
import SceneTerminal

/// All photos, to be dragged.
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
    try await window.show([message] + library.photos.enumerated().map { "\($0.offset + 1) \($0.element.name)" })
  }

  /// Does what was typed, and says what came of it.
  private func perform(_ line: String) async -> String {
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 1, let number = Int(words[1]), library.photos.indices.contains(number - 1) else {
      return "? \(line)"
    }
    let photo = library.photos[number - 1]
    do {
      switch words[0] {
      case "drag":
        let name = words.dropFirst(3).joined(separator: " ")
        let receipt = try await window.drag(
          [photo.item], to: name == "desktop" ? .desktop : .scene(name, position: nil))
        return "\(photo.name): kept \(receipt.keptItems.count)"
      case "inspect":
        try await window.open(photo.activity(PhotoGallery.inspectPhoto))
        return "\(photo.name) is inspected"
      default: return "? \(line)"
      }
    } catch {
      return "! \(SceneTerminal.reason(of: error))"
    }
  }
}
