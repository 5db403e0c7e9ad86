// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import ItemTransfer
import UniformTypes

/// The pictures of a directory.
struct PhotoLibrary: Sendable {
  struct Photo: Sendable {
    let file: URL

    var name: String { file.deletingPathExtension().lastPathComponent }

    /// What a window needs to show the photo, or to inspect it.
    func activity(_ type: String) -> UserActivity {
      var activity = UserActivity(
        activityType: type, title: name, userInfo: ["photo": .string(name)], targetContentIdentifier: "photo/\(name)")
      activity.requiredUserInfoKeys = ["photo"]
      return activity
    }

    /// The picture as it is, which a destination may use where it lies, and how it is shown.
    var item: ItemProvider {
      let item = ItemProvider(contentsOf: file, openInPlace: true)
      item.register(activity(PhotoGallery.showPhoto))
      return item
    }
  }

  /// The pictures beside the samples.
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
