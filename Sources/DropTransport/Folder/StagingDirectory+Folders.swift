// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Folders below the destination.
extension StagingDirectory {
  /// Calls `body` as ``DestinationDirectory/inFolder(of:created:_:)`` does.
  ///
  /// - Parameters:
  ///   - name: A path relative to the destination. The caller has validated its components.
  ///   - makesFolders: Whether missing folders are created. ``madeFolders`` lists them.
  ///   - body: Receives a descriptor that is open until `body` returns.
  /// - Returns: The result of `body`.
  /// - Throws: The system error of a folder; `ENOTDIR` also for a link.
  func inFolder<Value>(
    of name: String, makesFolders: Bool = false, _ body: (CInt, String) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    try folder.inFolder(of: name, created: makesFolders ? { self.madeFolders.append($0) } : nil, body)
  }

  /// Returns the status of a path without following links; `nil` if nothing has the name, or its status cannot be read.
  ///
  /// - Throws: `destinationUnavailable` if a component of its path is not a folder.
  func statusInFolder(of name: String) throws(DropStreamError) -> FileStatus? {
    do throws(SystemError) {
      return try inFolder(of: name) { (raw, last) throws(SystemError) in
        try SystemCalls.statusAt(raw, last, AT_SYMLINK_NOFOLLOW)
      }
    } catch {
      guard error.errorNumber == ENOTDIR || error.errorNumber == ELOOP else { return nil }
      throw DropStreamError(
        .destinationUnavailable,
        "cannot create \"\(name.escapedForDisplay())\" in \(folder.shownPath): a folder in its path is not a directory",
        errorNumber: error.errorNumber)
    }
  }

  /// Checks that no earlier item has the name of a parent folder of a new item, unless the new item may join it.
  ///
  /// With ``DropFolder/Collision/replace``, a new item joins an earlier folder unless the folder already contains its
  /// name. With ``DropFolder/Collision/rename`` and ``DropFolder/Collision/skip`` it always joins. It then gets a
  /// number if the folder contains its name.
  ///
  /// - Throws: `duplicateName`.
  func checkFolders(of name: String) throws(DropStreamError) {
    guard name.utf8.contains(DropFolderPath.separator) else { return }
    let path = Array(name.utf8)
    for end in path.indices where path[end] == DropFolderPath.separator {
      let folder = String(decoding: path[..<end], as: UTF8.self)
      guard isTaken(folder) else { continue }
      guard let number = folderNumber(folder), collision != .refuse else { throw duplicateName(folder) }
      guard collision == .replace else { continue }
      do throws(SystemError) {
        let inside = String(decoding: path[end...], as: UTF8.self)
        _ = try SystemCalls.statusAt(staging.raw, "\(number)" + inside, AT_SYMLINK_NOFOLLOW)
      } catch {
        if error.errorNumber == ENOENT { continue }
      }
      throw duplicateName(name)
    }
  }

  /// Removes the created folders that are empty.
  func removeMadeFolders() {
    for path in madeFolders.reversed() {
      try? inFolder(of: path) { (raw, last) throws(SystemError) in
        try SystemCalls.unlinkAt(raw, last, AT_REMOVEDIR)
      }
    }
    madeFolders = []
  }
}
