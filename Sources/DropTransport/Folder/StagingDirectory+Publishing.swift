// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemCoding
internal import ItemTransfer

/// Giving files their names; all of them, or none.
extension StagingDirectory {
  /// How a file has got its name.
  private struct Published {
    let number: Int
    let name: String
    /// The file that had the name before waits under the number now.
    let hasReplaced: Bool
  }

  /// Gives every file its name and its permissions: those of a new file, unless the source's are to be kept.
  ///
  /// - Returns: What is called otherwise than was said, by what was said.
  /// - Throws: `alreadyExists` for what has come there meanwhile, `destinationUnavailable`; nothing is there then, and
  ///   what was to be replaced is.
  func publish() throws(DropStreamError) -> [String: String] {
    var published: [Published] = []
    var renamed: [String: String] = [:]
    do throws(DropStreamError) {
      let permissions = try usualPermissions()
      for (number, entry) in entries.enumerated() {
        guard let entry else { continue }
        try finish(entry, number, permissions)
        published.append(try name(entry, number))
        if let name = published.last?.name, name != entry.name { renamed[entry.name] = name }
      }
    } catch {
      for item in published.reversed() { takeBack(item) }
      throw error
    }
    for item in published where !item.hasReplaced { entries[item.number] = nil }
    remove()
    return renamed
  }

  private func usualPermissions() throws(DropStreamError) -> UInt32 {
    do throws(SystemError) {
      return try SystemCalls.permissionsOfNewFiles(staging.raw, probe: "permissions")
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot make files in \(folderPath)", error)
    }
  }

  /// Gives a file what it shall have when it has its name.
  private func finish(_ entry: Entry, _ number: Int, _ permissions: UInt32) throws(DropStreamError) {
    // What is in a folder has its own; the folder, too.
    if entry.isFolder { return }
    do throws(SystemError) {
      let name = String(number)
      if let time = entry.attributes.modificationTime {
        try SystemCalls.changeTimeAt(staging.raw, name, seconds: time.seconds, nanoseconds: Int64(time.nanoseconds))
      }
      try SystemCalls.changeModeAt(staging.raw, name, entry.attributes.permissions.map(UInt32.init) ?? permissions)
    } catch {
      throw cannotName(entry.name, error)
    }
  }

  private func name(_ entry: Entry, _ number: Int) throws(DropStreamError) -> Published {
    var name = entry.name
    while true {
      do throws(SystemError) {
        try SystemCalls.renameExclusivelyAt(staging.raw, String(number), folder.raw, name)
        return Published(number: number, name: name, hasReplaced: false)
      } catch {
        guard error.errno == EEXIST else { throw cannotName(name, error) }
      }
      switch collision {
      case .refuse, .skip: throw alreadyExists(name)
      case .rename:
        name = try numberedName(entry.name)
        taken.insert(Array(name.utf8))
      case .replace:
        if try replace(name, by: number, isFolder: entry.isFolder) {
          return Published(number: number, name: name, hasReplaced: true)
        }
      }
    }
  }

  /// Lets two files change places: at every instant the name leads to the one or the other, and nothing is lost that has
  /// to be taken back.
  ///
  /// - Returns: Whether there was something to be replaced.
  private func replace(_ name: String, by number: Int, isFolder: Bool) throws(DropStreamError) -> Bool {
    let staged = String(number)
    if isFolder { throw irreplaceable(name) }
    do throws(SystemError) {
      // After a power failure there must be the one or the other.
      let file = try OwnedDescriptor.openAt(staging.raw, staged, O_RDONLY | O_NOFOLLOW)
      try SystemCalls.sync(file.raw)
      try SystemCalls.exchangeAt(staging.raw, staged, folder.raw, name)
    } catch {
      if error.errno == ENOENT { return false }
      throw cannotName(name, error)
    }
    // What was there is looked at now that nobody can put anything else in its place.
    if (try? SystemCalls.statusAt(staging.raw, staged, AT_SYMLINK_NOFOLLOW))?.kind == .regular { return true }
    try? SystemCalls.exchangeAt(staging.raw, staged, folder.raw, name)
    throw irreplaceable(name)
  }

  /// Best effort: what cannot be taken back is at least whole.
  private func takeBack(_ item: Published) {
    let staged = String(item.number)
    if item.hasReplaced {
      try? SystemCalls.exchangeAt(staging.raw, staged, folder.raw, item.name)
    } else {
      try? SystemCalls.renameAt(folder.raw, item.name, staging.raw, staged)
    }
  }

  private func cannotName(_ name: String, _ error: SystemError) -> DropStreamError {
    DropStreamError(.destinationUnavailable, "cannot name \(name.escapedForDisplay())", error)
  }
}
