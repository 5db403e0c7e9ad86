// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer

/// A file that is to be sent, before anything of it is read.
struct OfferedName: Sendable {
  /// As it was typed or listed; `-` for standard input.
  let path: String
  /// The folder it goes to at the receiver; `nil` for none.
  var folder: String?

  /// Why the file cannot be opened by its name, or `nil`.
  var undecodable: DropStreamError? {
    UndecodableName.shown(path).map { DropStreamError(.unsafeName, "cannot open \"\($0)\": the name is not UTF-8") }
  }

  /// Returns why no receiver takes the file under its name, or `nil`.
  ///
  /// Hidden names pass: whether to take them is the receiver's choice. Of a folder the names in it are checked, too;
  /// any other fault of it is reported when it is read.
  ///
  /// - Parameters:
  ///   - suggestedName: The name the user has chosen in place of the file's own.
  ///   - isCancelled: Asked before each name in a folder; the rest of the folder is not checked once it returns true.
  /// - Returns: The reason.
  func refusal(suggestedName: String?, isCancelled: () -> Bool) -> DropStreamError? {
    if let shown = UndecodableName.shown(path) { return Self.refusal(of: shown, "it is not UTF-8") }
    guard path != "-" else { return nil }
    let file = OfferedFile(path: path)
    if let folder, let reason = DropFolderPath.objection(to: folder, allowsHidden: true) {
      return Self.refusal(of: path.escapedForDisplay(), reason)
    }
    if suggestedName == nil, let name = file.name, let reason = DropFileName.objection(to: name, allowsHidden: true) {
      return Self.refusal(of: path.escapedForDisplay(), reason)
    }
    guard file.isFolder,
      let reason = FolderListing.unsafeName(inFolder: path, called: file.name ?? "folder", isCancelled: isCancelled)
    else { return nil }
    return DropStreamError(.unsafeName, "cannot send \(reason)")
  }

  private static func refusal(of shown: String, _ reason: String) -> DropStreamError {
    DropStreamError(.unsafeName, "cannot send \"\(shown)\": no receiver takes the name: \(reason)")
  }
}
