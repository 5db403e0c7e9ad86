// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Publishing, which gives all files their names or none.
extension StagingDirectory {
  /// A file or folder that has its name.
  struct Published {
    /// The path in the staging directory: a number, or a path inside a folder with a number.
    let staged: String
    /// The path relative to the destination.
    let name: String
    let isFolder: Bool
    /// The inode of the published file, to detect that another program has replaced it.
    ///
    /// All files are on one file system.
    let inode: UInt64?
    /// Whether the file that had the name before is now at ``staged``.
    let hasReplaced: Bool
  }

  /// The result of publishing.
  struct Outcome {
    /// The final names that differ from the staged names, by the UTF-8 bytes of the staged name.
    var finalNames: [[UInt8]: String] = [:]
    /// The items that are left out because their names were taken meanwhile.
    var leftOut: [DropFolder.LeftOutItem] = []
  }

  /// Gives every file its name and its permissions: the permissions of a new file, or of the source.
  ///
  /// With ``isDurable`` the files are on the disk before the first of them gets its name. The names are on the disk
  /// before this method returns.
  ///
  /// - Returns: The final names, and the items that were left out.
  /// - Throws: `alreadyExists` for a name that was taken meanwhile, `duplicateName`, `destinationUnavailable`,
  ///   `systemCall`. With ``isDurable`` also `cancelled` before the first name. After an error no file is published,
  ///   and all former files are in place, except files that can no longer be moved back.
  func publish() throws(DropStreamError) -> Outcome {
    var outcome = Outcome()
    do throws(DropStreamError) {
      let permissions = try usualPermissions()
      if isDurable { try flushFiles(permissions) }
      for var item in items {
        let staged = item.names
        if let obstacle = try publish(&item, permissions) {
          if var leftOut = item.description {
            leftOut.takenName = obstacle
            outcome.leftOut.append(leftOut)
          }
          continue
        }
        for (name, final) in zip(staged, item.names) where final != name {
          outcome.finalNames[Array(name.utf8)] = final
        }
      }
      if isDurable { try flushNames() }
    } catch {
      takeBack()
      removeMadeFolders()
      throw error
    }
    remove()
    return outcome
  }

  /// Rolls back all files.
  ///
  /// A file that can no longer be moved back stays, and is complete.
  private func takeBack() {
    while let file = published.popLast() {
      do throws(SystemError) {
        try takeBack(file)
      } catch {
        if file.hasReplaced { keep(error) }
      }
    }
  }

  /// Names all parts of an item, or none.
  ///
  /// - Returns: The taken name if the item must be left out for it, else `nil`.
  private func publish(
    _ item: inout StagedItem, _ permissions: UInt32
  ) throws(DropStreamError) -> String? {
    while true {
      let start = published.count
      guard let obstacle = try nameParts(of: item, permissions) else { return nil }
      let isOurs = isOfAnotherItem(obstacle)
      if collision != .skip, collision != .rename { throw isOurs ? duplicateName(obstacle) : alreadyExists(obstacle) }
      while published.count > start {
        do throws(SystemError) {
          try takeBack(published.removeLast())
        } catch {
          throw cannotName(obstacle, error)
        }
      }
      if collision == .skip, !isOurs { return obstacle }
      renumber(&item)
    }
  }

  /// Returns whether a name belongs to a folder that was created for another item, or is inside another item's folder.
  private func isOfAnotherItem(_ name: String) -> Bool {
    if madeFolders.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { return true }
    for end in name.utf8.indices where name.utf8[end] == DropFolderPath.separator {
      if folderNumber(String(name[..<end])) != nil { return true }
    }
    return false
  }

  /// Names the parts of an item in order.
  ///
  /// - Returns: The first name that is taken, else `nil`.
  private func nameParts(of item: StagedItem, _ permissions: UInt32) throws(DropStreamError) -> String? {
    for file in item.files where try !name(file, permissions) { return file.name }
    return nil
  }

  private func usualPermissions() throws(DropStreamError) -> UInt32 {
    do throws(SystemError) {
      return try SystemCalls.permissionsOfNewFiles(staging.raw, probe: "permissions")
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot create files in \(folder.shownPath)", error)
    }
  }

  /// Sets the final permissions and time of a staged file.
  func finish(_ file: StagedItem.File, _ permissions: UInt32) throws(DropStreamError) {
    // A folder and its contents already have their permissions and times.
    if file.isFolder { return }
    do throws(SystemError) {
      let name = String(file.number)
      let kept = file.attributes.permissions.map(UInt32.init)
      if !preservesAttributes {
        // Execution is allowed only where reading is, so the umask applies to both.
        let executable = (kept ?? 0) & 0o111 & (permissions & 0o444) >> 2
        return try SystemCalls.changeModeAt(staging.raw, name, permissions | executable)
      }
      if let time = file.attributes.modificationTime {
        try SystemCalls.changeTimeAt(staging.raw, name, time)
      }
      try SystemCalls.changeModeAt(staging.raw, name, kept ?? permissions)
    } catch {
      throw cannotName(file.name, error)
    }
  }

  /// Gives a part of an item its name.
  ///
  /// - Returns: False if the name is taken and must not be replaced.
  private func name(_ file: StagedItem.File, _ permissions: UInt32) throws(DropStreamError) -> Bool {
    let staged = String(file.number)
    if collision == .replace, !file.isFolder {
      published.append(
        try replace(staged, file.name) { () throws(DropStreamError) in
          if !isDurable { try finish(file, permissions) }
        })
      return true
    }
    if !isDurable { try finish(file, permissions) }
    do throws(SystemError) {
      published.append(try move(staged, to: file.name, isFolder: file.isFolder))
      return true
    } catch {
      if error.errorNumber != EEXIST { throw cannotName(file.name, error) }
    }
    guard collision == .replace else { return false }
    try merge(staged, into: file.name)
    return true
  }

  /// Moves a staged file to a free name.
  func move(_ staged: String, to name: String, isFolder: Bool) throws(SystemError) -> Published {
    let inode = try? SystemCalls.statusAt(staging.raw, staged, AT_SYMLINK_NOFOLLOW).inode
    try inFolder(of: name, makesFolders: true) { (raw, last) throws(SystemError) in
      try rename(staged, in: staging.raw, to: last, in: raw, isFolder: isFolder)
    }
    return Published(staged: staged, name: name, isFolder: isFolder, inode: inode, hasReplaced: false)
  }

  /// Moves a file or folder, and never replaces another.
  private func rename(
    _ name: String, in source: CInt, to newName: String, in target: CInt, isFolder: Bool
  ) throws(SystemError) {
    do throws(SystemError) {
      return try SystemCalls.renameExclusivelyAt(source, name, target, newName)
    } catch {
      guard isFolder, error.errorNumber == EACCES else { throw error }
    }
    // Moving a folder changes its `..` entry, which requires write permission on the folder itself.
    let folder = try OwnedDescriptor.place(name, in: source)
    let permissions = try SystemCalls.status(folder.raw).permissions
    let itself = "/proc/self/fd/\(folder.raw)"
    try SystemCalls.changeModeAt(AT_FDCWD, itself, permissions | 0o700)
    defer { try? SystemCalls.changeModeAt(AT_FDCWD, itself, permissions) }
    try SystemCalls.renameExclusivelyAt(source, name, target, newName)
  }

  /// Moves a published file back to the staging directory.
  ///
  /// A file that cannot be moved back stays, and is complete. A file that another program has put there stays as well.
  private func takeBack(_ item: Published) throws(SystemError) {
    if item.hasReplaced {
      try exchange(item.staged, item.name)
      if !isStaged(item) { try exchange(item.staged, item.name) }
    } else {
      try inFolder(of: item.name) { (raw, last) throws(SystemError) in
        try rename(last, in: raw, to: item.staged, in: staging.raw, isFolder: item.isFolder)
        if !isStaged(item) { try rename(item.staged, in: staging.raw, to: last, in: raw, isFolder: item.isFolder) }
      }
    }
  }

  private func isStaged(_ item: Published) -> Bool {
    guard let inode = item.inode,
      let status = try? SystemCalls.statusAt(staging.raw, item.staged, AT_SYMLINK_NOFOLLOW)
    else { return true }
    return status.inode == inode
  }

  func cannotName(_ name: String, _ error: SystemError) -> DropStreamError {
    DropStreamError(.destinationUnavailable, "cannot rename the temporary file to \(name.escapedForDisplay())", error)
  }
}
