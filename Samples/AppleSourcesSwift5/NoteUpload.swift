// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The upload of a note to the app's server.
///
/// The file imports Foundation alone, as the bridging header of the app imports the other modules.
enum NoteUpload {
  /// Returns whether an attachment is a note.
  static func canUpload(_ attachment: NSItemProvider) -> Bool {
    return attachment.hasItemConformingToTypeIdentifier(kUTTypeText as String)
  }

  /// Returns the request that sends a note.
  static func request(for note: String, to server: URL) -> URLRequest {
    var request = URLRequest(url: server)
    request.httpMethod = "POST"
    request.setValue(UTType.html.preferredMIMEType, forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(note.utf8)
    return request
  }
}
