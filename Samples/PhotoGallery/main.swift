// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// Photos are dragged into a document, opened in their own windows, and examined in inspectors.
//
//     swift run PhotoGallery                      in the gallery: `drag 3 to document`, `drag 3 to desktop`, `inspect 3`;
//                                                 Tab changes windows, and `help` lists the commands and keys
//     swift run PhotoGallery --photos DIRECTORY   pictures from another directory
//     swift run PhotoGallery --state DIRECTORY    windows are kept for the next run; `:activities` lists what they show
//     swift run PhotoGallery --script FILE        commands from a file

import DropSceneUI
import DropScenes
import Foundation

await SceneApp.main(options: PhotoGallery.options) { window, arguments in
  let photos = try PhotoLibrary(arguments[0])
  switch window.session.configurationName {
  case "Document": try await DocumentWindow(window).run()
  case "Photo": try await PhotoWindow(window, photos).run()
  case "Inspector": try await InspectorWindow(window, photos).run()
  default: try await GalleryWindow(window, photos).run()
  }
} app: { arguments in
  try await PhotoGallery(arguments).run()
}
