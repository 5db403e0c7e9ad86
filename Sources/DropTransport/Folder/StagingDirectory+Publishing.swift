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
    /// The items that are left out as their names were taken meanwhile.
    var leftOut: [(index: Int, name: String, note: [UInt8])] = []
    /// How many parts of items have names now.
    var fileCount = 0
    /// How many bytes came for them.
    var byteCount: UInt64 = 0
  }

  /// Gives every file its name and its permissions: those of a new file, unless the source's are to be kept.
  ///
  /// - Returns: What was decided meanwhile.
  /// - Throws: `alreadyExists` for what has come there meanwhile, `destinationUnavailable`; nothing is there then, and
  ///   what was to be replaced is.
  func publish() throws(DropStreamError) -> Outcome {
    let published = PublishedFiles(in: staging.raw)
    var outcome = Outcome()
    do throws(DropStreamError) {
      let permissions = try usualPermissions()
      try forEachItem { (item) throws(DropStreamError) in
        let staged = item.names
        if let obstacle = try publish(&item, permissions, published) {
          outcome.leftOut.append((item.index, obstacle, item.note))
          return
        }
        for (name, final) in zip(staged, item.names) where final != name {
          outcome.finalNames[Array(name.utf8)] = final
        }
        for case let part? in item.parts {
          outcome.fileCount += 1
          outcome.byteCount += part.byteCount
        }
      }
    } catch {
      // What cannot be taken back any more stays, and is complete.
      while let item = (try? published.popLast()) ?? nil { try? takeBack(item) }
      removeMadeFolders()
      throw error
    }
    remove()
    return outcome
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
      if collision != .skip, collision != .rename { throw alreadyExists(obstacle) }
      while published.count > start {
        do throws(SystemError) {
          if let file = try published.popLast() { try takeBack(file) }
        } catch {
          throw cannotName(obstacle, error)
        }
      }
      if collision == .skip { return obstacle }
      renumber(&item)
    }
  }

  /// - Returns: The first name that is taken.
  private func nameParts(
    of item: StagedItem, _ permissions: UInt32, _ published: PublishedFiles
  ) throws(DropStreamError) -> String? {
    for (offset, part) in item.parts.enumerated() {
      guard let part else { continue }
      let entry = Entry(
        number: item.firstFile + offset, name: part.wish.name(item.number), isFolder: part.isFolder,
        attributes: item.attributes)
      guard try name(entry, permissions, published) else { return entry.name }
    }
    return nil
  }

  /// A part of an item and the name that it is to get.
  private struct Entry {
    let number: Int
    let name: String
    let isFolder: Bool
    let attributes: ItemFileAttributes
  }

  private func usualPermissions() throws(DropStreamError) -> UInt32 {
    do throws(SystemError) {
      return try SystemCalls.permissionsOfNewFiles(staging.raw, probe: "permissions")
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot make files in \(folder.shownPath)", error)
    }
  }

  /// Gives a file what it shall have when it has its name.
  private func finish(_ entry: Entry, _ permissions: UInt32) throws(DropStreamError) {
    // What is in a folder has its own; the folder, too.
    if entry.isFolder { return }
    do throws(SystemError) {
      let name = String(entry.number)
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
    _ entry: Entry, _ permissions: UInt32, _ published: PublishedFiles
  ) throws(DropStreamError) -> Bool {
    let staged = String(entry.number)
    if collision == .replace, !entry.isFolder {
      published.append(
        try replace(staged, entry.name) { () throws(DropStreamError) in try finish(entry, permissions) })
      return true
    }
    try finish(entry, permissions)
    do throws(SystemError) {
      published.append(try move(staged, to: entry.name, isFolder: entry.isFolder))
      return true
    } catch {
      if error.errno != EEXIST { throw cannotName(entry.name, error) }
    }
    guard collision == .replace else { return false }
    try merge(staged, into: entry.name, published)
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

  /// Gives a file a name that may be another one's.
  ///
  /// - Parameters:
  ///   - staged: Where it waits.
  ///   - name: Relative to the destination.
  ///   - finish: Gives it its permissions.
  /// - Returns: How it has got its name.
  /// - Throws: `alreadyExists` where something else than a file has the name, `destinationUnavailable`.
  func replace(
    _ staged: String, _ name: String, finish: () throws(DropStreamError) -> Void = {}
  ) throws(DropStreamError) -> Published {
    let file: OwnedDescriptor
    do throws(SystemError) {
      // While it can be read: with the permissions that it will have, perhaps not even its owner may.
      file = try .openAt(staging.raw, staged, O_RDONLY | O_NOFOLLOW)
    } catch {
      throw cannotName(name, error)
    }
    try finish()
    let inode = try? SystemCalls.status(file.raw).inode
    while true {
      do throws(SystemError) {
        return try move(staged, to: name, isFolder: false)
      } catch {
        guard error.errno == EEXIST else { throw cannotName(name, error) }
      }
      if try exchange(name, staged, file) {
        return Published(staged: staged, name: name, isFolder: false, inode: inode, hasReplaced: true)
      }
    }
  }

  /// Lets two files change places: at every instant the name leads to the one or the other, and nothing is lost that has
  /// to be taken back.
  ///
  /// - Returns: Whether there was something to be replaced.
  private func exchange(
    _ name: String, _ staged: String, _ file: borrowing OwnedDescriptor
  ) throws(DropStreamError) -> Bool {
    do throws(SystemError) {
      // After a power failure there must be the one or the other, with all that belongs to it.
      try SystemCalls.sync(file.raw)
      try exchange(staged, name)
    } catch {
      if error.errno == ENOENT { return false }
      throw cannotName(name, error)
    }
    // What was there is looked at now that nobody can put anything else in its place.
    if (try? SystemCalls.statusAt(staging.raw, staged, AT_SYMLINK_NOFOLLOW))?.kind == .regular { return true }
    try? exchange(staged, name)
    throw irreplaceable(name)
  }

  private func exchange(_ staged: String, _ name: String) throws(SystemError) {
    try inFolder(of: name) { (raw, last) throws(SystemError) in
      try SystemCalls.exchangeAt(staging.raw, staged, raw, last)
    }
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
