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
  ///   - name: Relative to the destination; its parts have been found fit.
  ///   - makesFolders: Whether missing folders are made; ``madeFolders`` lists them.
  ///   - body: Gets a descriptor, which is open as long as it runs.
  /// - Returns: What `body` returns.
  /// - Throws: What the system says of a folder: `ENOTDIR` also for a link.
  func inFolder<Value>(
    of name: String, makesFolders: Bool = false, _ body: (CInt, String) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    try folder.inFolder(of: name, created: makesFolders ? { self.madeFolders.append($0) } : nil, body)
  }

  /// Returns what has a name, never following a link; `nil` where nothing has it.
  ///
  /// - Throws: `destinationUnavailable` where something in its path is not a folder.
  func statusInFolder(of name: String) throws(DropStreamError) -> FileStatus? {
    do throws(SystemError) {
      return try inFolder(of: name) { (raw, last) throws(SystemError) in
        try SystemCalls.statusAt(raw, last, AT_SYMLINK_NOFOLLOW)
      }
    } catch {
      guard error.errorNumber == ENOTDIR || error.errorNumber == ELOOP else { return nil }
      throw DropStreamError(
        .destinationUnavailable,
        "cannot make \"\(name.escapedForDisplay())\" in \(folder.shownPath): not every folder in its path is a folder there",
        errorNumber: error.errorNumber)
    }
  }

  /// Checks that no earlier item has the name of a folder in the path of a new one, unless the new one may join it.
  ///
  /// A new item joins an earlier folder where files are replaced, unless the folder has its name inside. Where items are
  /// numbered or skipped it joins as well: its own name gets a number if the folder has it.
  ///
  /// - Throws: `duplicateName`.
  func checkFolders(of name: String) throws(DropStreamError) {
    let path = Array(name.utf8)
    for end in path.indices where path[end] == DropFolderPath.separator {
      let folder = String(decoding: path[..<end], as: UTF8.self)
      guard try isTaken(folder) else { continue }
      guard let number = try folderNumber(folder), collision != .refuse else { throw duplicateName(folder) }
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

  /// Removes the folders that were made and are empty.
  func removeMadeFolders() {
    for path in madeFolders.reversed() {
      try? inFolder(of: path) { (raw, last) throws(SystemError) in
        try SystemCalls.unlinkAt(raw, last, AT_REMOVEDIR)
      }
    }
    madeFolders = []
  }
}
