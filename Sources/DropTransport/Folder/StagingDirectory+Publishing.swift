// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemCoding
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
    /// The items that are left out as their names were taken meanwhile: the name, by the item.
    var leftOut: [Int: String] = [:]
    /// How many have names now.
    var fileCount = 0
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
    var published: [Published] = []
    var outcome = Outcome()
    do throws(DropStreamError) {
      let permissions = try usualPermissions()
      if isDurable { try flushFiles(permissions) }
      for index in items.indices {
        let staged = items[index].entries.map { entries[$0]?.name }
        if let obstacle = try publish(&items[index], permissions, &published) {
          outcome.leftOut[items[index].index] = obstacle
          continue
        }
        for (number, name) in zip(items[index].entries, staged) {
          if let name, let final = entries[number]?.name, final != name { outcome.finalNames[Array(name.utf8)] = final }
        }
      }
      if isDurable { try flushNames(of: published) }
    } catch {
      for item in published.reversed() {
        do throws(SystemError) {
          try takeBack(item)
        } catch {
          if item.hasReplaced { keep(error) }
        }
      }
      removeMadeFolders()
      throw error
    }
    for item in published where !item.hasReplaced {
      if let number = Int(item.staged) { entries[number] = nil }
    }
    outcome.fileCount = published.count
    remove()
    return outcome
  }

  /// Names all parts of an item, or none.
  ///
  /// - Returns: The name that was taken, where the item is to be left out for it.
  private func publish(
    _ item: inout Item, _ permissions: UInt32, _ published: inout [Published]
  ) throws(DropStreamError) -> String? {
    while true {
      let start = published.count
      var obstacle: String?
      for number in item.entries {
        guard let entry = entries[number] else { continue }
        guard try name(entry, number, permissions, &published) else {
          obstacle = entry.name
          break
        }
      }
      guard let obstacle else { return nil }
      let isOurs = isOfAnotherItem(obstacle)
      if collision != .skip, collision != .rename { throw isOurs ? duplicateName(obstacle) : alreadyExists(obstacle) }
      while published.count > start {
        do throws(SystemError) {
          try takeBack(published[published.count - 1])
        } catch {
          throw cannotName(published[published.count - 1].name, error)
        }
        published.removeLast()
      }
      if collision == .skip, !isOurs { return obstacle }
      renumber(&item)
    }
  }

  /// Whether a name is that of a folder that was made for another item, or lies in a folder that is another item.
  private func isOfAnotherItem(_ name: String) -> Bool {
    let path = Array(name.utf8)
    return madeFolders.contains { $0.utf8.elementsEqual(path) }
      || path.indices.contains { path[$0] == DropFolderPath.separator && folderNumbers[Array(path[..<$0])] != nil }
  }

  private func usualPermissions() throws(DropStreamError) -> UInt32 {
    do throws(SystemError) {
      return try SystemCalls.permissionsOfNewFiles(staging.raw, probe: "permissions")
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot make files in \(folder.shownPath)", error)
    }
  }

  /// Gives a file what it shall have when it has its name.
  func finish(_ entry: Entry, _ number: Int, _ permissions: UInt32) throws(DropStreamError) {
    // What is in a folder has its own; the folder, too.
    if entry.isFolder { return }
    do throws(SystemError) {
      let name = String(number)
      let kept = entry.attributes.permissions.map(UInt32.init)
      if !preservesAttributes {
        // Only those may run it who may read it: so the umask, too, has its say.
        let executable = (kept ?? 0) & 0o111 & (permissions & 0o444) >> 2
        return try SystemCalls.changeModeAt(staging.raw, name, permissions | executable)
      }
      if let time = entry.attributes.modificationTime {
        try SystemCalls.changeTimeAt(staging.raw, name, seconds: time.seconds, nanoseconds: Int64(time.nanoseconds))
      }
      try SystemCalls.changeModeAt(staging.raw, name, kept ?? permissions)
    } catch {
      throw cannotName(entry.name, error)
    }
  }

  /// Gives a part of an item its name.
  ///
  /// - Returns: False where the name is taken, and not to be taken from what has it.
  private func name(
    _ entry: Entry, _ number: Int, _ permissions: UInt32, _ published: inout [Published]
  ) throws(DropStreamError) -> Bool {
    let staged = String(number)
    if collision == .replace, !entry.isFolder {
      published.append(
        try replace(staged, entry.name) { () throws(DropStreamError) in
          if !isDurable { try finish(entry, number, permissions) }
        })
      return true
    }
    if !isDurable { try finish(entry, number, permissions) }
    do throws(SystemError) {
      published.append(try move(staged, to: entry.name, isFolder: entry.isFolder))
      return true
    } catch {
      if error.errno != EEXIST { throw cannotName(entry.name, error) }
    }
    guard collision == .replace else { return false }
    try merge(staged, into: entry.name, &published)
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
      guard isFolder, error.errno == EACCES else { throw error }
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
