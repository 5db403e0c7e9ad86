// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Giving files their names; all of them, or none.
extension StagingDirectory {
  /// How a file has got its name.
  struct Published {
    /// Where it waited: a number, or the path of a part of a folder that waited under a number.
    let staged: String
    /// Relative to the destination.
    let name: String
    let isFolder: Bool
    /// Of what has the name, unless somebody has put something else there since; all is on one file system.
    let inode: UInt64?
    /// The file that had the name before waits where this one did.
    let hasReplaced: Bool
  }

  /// What was decided at the last moment.
  struct Outcome {
    /// What is called otherwise than was said, by the bytes of what was said.
    var finalNames: [[UInt8]: String] = [:]
    /// The items that are left out as their names were taken meanwhile.
    var leftOut: [(index: Int, name: String, note: [UInt8])] = []
    /// How many parts of items have names now.
    var fileCount = 0
    /// How many bytes came for them.
    var byteCount: UInt64 = 0
  }

  /// Gives every file its name and its permissions: those of a new file, unless the source's are to be kept.
  ///
  /// With ``isDurable`` the files are on the disk before the first of them gets its name, and the names before this
  /// returns.
  ///
  /// - Returns: What was decided meanwhile.
  /// - Throws: `alreadyExists` for what has come there meanwhile, `duplicateName`, `destinationUnavailable`; nothing is
  ///   there then, and what was to be replaced is. With ``isDurable`` also `systemCall`, and `cancelled` before the
  ///   first name.
  func publish() throws(DropStreamError) -> Outcome {
    let published = PublishedFiles(in: staging.raw)
    var outcome = Outcome()
    do throws(DropStreamError) {
      let permissions = try usualPermissions()
      if isDurable { try flushFiles(permissions) }
      var offset: UInt64 = 0
      while var item = try nextItem(&offset) {
        let staged = item.names
        if let obstacle = try publish(&item, permissions, published) {
          outcome.leftOut.append((item.index, obstacle, item.note))
          continue
        }
        for (name, final) in zip(staged, item.names) where final != name {
          outcome.finalNames[Array(name.utf8)] = final
        }
        for file in item.files { originals?.add(file.name, number: file.number) }
        for case let part? in item.parts {
          outcome.fileCount += 1
          outcome.byteCount += part.byteCount
        }
      }
      if isDurable { try flushNames(of: published) }
    } catch {
      takeBack(published)
      removeMadeFolders()
      throw error
    }
    remove()
    return outcome
  }

  /// Takes everything back; what cannot be taken back any more stays, and is complete.
  private func takeBack(_ published: PublishedFiles) {
    do throws(SystemError) {
      while let file = try published.popLast() {
        do throws(SystemError) {
          try takeBack(file)
        } catch {
          if file.hasReplaced { keep(error) }
        }
      }
    } catch {
      // Which files are former ones is not known any more.
      keep(error)
    }
  }

  /// Names all parts of an item, or none.
  ///
  /// - Returns: The name that was taken, where the item is to be left out for it.
  private func publish(
    _ item: inout StagedItem, _ permissions: UInt32, _ published: PublishedFiles
  ) throws(DropStreamError) -> String? {
    while true {
      let start = published.count
      guard let obstacle = try nameParts(of: item, permissions, published) else { return nil }
      let isOurs = try isOfAnotherItem(obstacle)
      if collision != .skip, collision != .rename { throw isOurs ? duplicateName(obstacle) : alreadyExists(obstacle) }
      while published.count > start {
        do throws(SystemError) {
          if let file = try published.popLast() { try takeBack(file) }
        } catch {
          throw cannotName(obstacle, error)
        }
      }
      if collision == .skip, !isOurs { return obstacle }
      renumber(&item)
    }
  }

  /// Whether a name is that of a folder that was made for another item, or lies in a folder that is another item.
  private func isOfAnotherItem(_ name: String) throws(DropStreamError) -> Bool {
    if madeFolders.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { return true }
    for end in name.utf8.indices where name.utf8[end] == DropFolderPath.separator {
      if try folderNumber(String(name[..<end])) != nil { return true }
    }
    return false
  }

  /// - Returns: The first name that is taken.
  private func nameParts(
    of item: StagedItem, _ permissions: UInt32, _ published: PublishedFiles
  ) throws(DropStreamError) -> String? {
    for file in item.files where try !name(file, permissions, published) { return file.name }
    return nil
  }

  private func usualPermissions() throws(DropStreamError) -> UInt32 {
    do throws(SystemError) {
      return try SystemCalls.permissionsOfNewFiles(staging.raw, probe: "permissions")
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot make files in \(folder.shownPath)", error)
    }
  }

  /// Gives a file what it shall have when it has its name.
  func finish(_ file: StagedItem.File, _ permissions: UInt32) throws(DropStreamError) {
    // What is in a folder has its own; the folder, too. An original file may still be the source's.
    if file.isFolder || originals?.isStaged(file.number) == true { return }
    do throws(SystemError) {
      let name = String(file.number)
      let kept = file.attributes.permissions.map(UInt32.init)
      if !preservesAttributes {
        // Only those may run it who may read it: so the umask, too, has its say.
        let executable = (kept ?? 0) & 0o111 & (permissions & 0o444) >> 2
        return try SystemCalls.changeModeAt(staging.raw, name, permissions | executable)
      }
      if let time = file.attributes.modificationTime {
        try SystemCalls.changeTimeAt(staging.raw, name, seconds: time.seconds, nanoseconds: Int64(time.nanoseconds))
      }
      try SystemCalls.changeModeAt(staging.raw, name, kept ?? permissions)
    } catch {
      throw cannotName(file.name, error)
    }
  }

  /// Gives a part of an item its name.
  ///
  /// - Returns: False where the name is taken, and not to be taken from what has it.
  private func name(
    _ file: StagedItem.File, _ permissions: UInt32, _ published: PublishedFiles
  ) throws(DropStreamError) -> Bool {
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
    try merge(staged, into: file.name, published)
    return true
  }

  /// Moves what was staged to a name that nothing has.
  func move(_ staged: String, to name: String, isFolder: Bool) throws(SystemError) -> Published {
    let inode = try? SystemCalls.statusAt(staging.raw, staged, AT_SYMLINK_NOFOLLOW).inode
    try inFolder(of: name, makesFolders: true) { (raw, last) throws(SystemError) in
      try rename(staged, in: staging.raw, to: last, in: raw, isFolder: isFolder)
    }
    return Published(staged: staged, name: name, isFolder: isFolder, inode: inode, hasReplaced: false)
  }

  /// Moves what must not take the place of anything.
  private func rename(
    _ name: String, in source: CInt, to newName: String, in target: CInt, isFolder: Bool
  ) throws(SystemError) {
    do throws(SystemError) {
      return try SystemCalls.renameExclusivelyAt(source, name, target, newName)
    } catch {
      guard isFolder, error.errorNumber == EACCES else { throw error }
    }
    // A folder can be moved by who may write to it: it says inside where it is.
    let folder = try OwnedDescriptor.place(name, in: source)
    let permissions = try SystemCalls.status(folder.raw).permissions
    let itself = "/proc/self/fd/\(folder.raw)"
    try SystemCalls.changeModeAt(AT_FDCWD, itself, permissions | 0o700)
    defer { try? SystemCalls.changeModeAt(AT_FDCWD, itself, permissions) }
    try SystemCalls.renameExclusivelyAt(source, name, target, newName)
  }

  /// What cannot be taken back is at least whole; what somebody else has put in its place since is left to them.
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
    DropStreamError(.destinationUnavailable, "cannot name \(name.escapedForDisplay())", error)
  }
}
