// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Replacing files, which are listed before the first of them is replaced.
extension StagingDirectory {
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
    let file: OwnedDescriptor?
    do throws(SystemError) {
      // While it can be read: with the permissions that it will have, perhaps not even its owner may.
      file = isDurable ? nil : try .openAt(staging.raw, staged, O_RDONLY | O_NOFOLLOW)
    } catch {
      throw cannotName(name, error)
    }
    try finish()
    let inode = try? SystemCalls.statusAt(staging.raw, staged, AT_SYMLINK_NOFOLLOW).inode
    while true {
      do throws(SystemError) {
        return try move(staged, to: name, isFolder: false)
      } catch {
        guard error.errorNumber == EEXIST else { throw cannotName(name, error) }
      }
      if try exchange(name, staged, file) {
        return Published(staged: staged, name: name, isFolder: false, inode: inode, hasReplaced: true)
      }
    }
  }

  /// Lets two files change places: at every instant the name leads to the one or the other, and nothing is lost that has
  /// to be taken back.
  ///
  /// - Parameters:
  ///   - name: The file that is replaced, relative to the destination.
  ///   - staged: The file that replaces it.
  ///   - file: The same, open, unless it was flushed before.
  /// - Returns: Whether there was something to be replaced.
  /// - Throws: `alreadyExists` for what is not a file, `destinationUnavailable`.
  private func exchange(
    _ name: String, _ staged: String, _ file: borrowing OwnedDescriptor?
  ) throws(DropStreamError) -> Bool {
    do throws(SystemError) {
      try listReplacement(of: name, by: staged)
      // After a power failure there must be the one or the other, with all that belongs to it.
      switch file {
      case .some(let file): try SystemCalls.sync(file.raw)
      case .none: break
      }
      try exchange(staged, name)
    } catch {
      if error.errorNumber == ENOENT { return false }
      throw cannotName(name, error)
    }
    // The former file is checked here, where no other process can replace it.
    if (try? SystemCalls.statusAt(staging.raw, staged, AT_SYMLINK_NOFOLLOW))?.kind == .regular { return true }
    try? exchange(staged, name)
    throw irreplaceable(name)
  }

  func exchange(_ staged: String, _ name: String) throws(SystemError) {
    try inFolder(of: name) { (raw, last) throws(SystemError) in
      try SystemCalls.exchangeAt(staging.raw, staged, raw, last)
    }
  }

  /// Lists a file that is to change places with another, together with those beside it.
  ///
  /// - Parameters:
  ///   - name: The file that is replaced, relative to the destination.
  ///   - staged: The file that replaces it, relative to the staging directory.
  /// - Throws: What the system says; nothing may be replaced then.
  func listReplacement(of name: String, by staged: String) throws(SystemError) {
    let stagedFolder = Self.folder(of: staged)
    guard !listedFolders.contains(Array(stagedFolder.utf8)) else { return }
    var list: [ReplacedFileList.Entry] = []
    let isFirst = listedFolders.isEmpty
    if stagedFolder.isEmpty {
      var offset: UInt64 = 0
      while let item = try nextItemToList(&offset) {
        for file in item.files where !file.isFolder { try add(String(file.number), file.name, to: &list) }
        // All of a long list need not be in memory.
        guard list.count >= 1000 else { continue }
        try ReplacedFileList.append(list, in: staging.raw)
        list = []
      }
    } else {
      let folder = Self.folder(of: name)
      for child in try names(inStaged: stagedFolder) { try add(stagedFolder + child, folder + child, to: &list) }
    }
    listedFolders.insert(Array(stagedFolder.utf8))
    try ReplacedFileList.append(list, in: staging.raw)
    // The list, too, must be found after a crash of the machine.
    if isFirst { try SystemCalls.syncDirectory(staging.raw) }
  }

  private func nextItemToList(_ offset: inout UInt64) throws(SystemError) -> StagedItem? {
    do throws(DropStreamError) { return try nextItem(&offset) } catch {
      throw SystemError(error.errorNumber ?? EIO, in: "pread")
    }
  }

  private func add(
    _ staged: String, _ name: String, to list: inout [ReplacedFileList.Entry]
  ) throws(SystemError) {
    do throws(SystemError) {
      let status = try SystemCalls.statusAt(staging.raw, staged, AT_SYMLINK_NOFOLLOW)
      if status.kind == .regular { list.append(.init(inode: status.inode, staged: staged, name: name)) }
    } catch {
      // It has its name already, and has replaced nothing.
      guard error.errorNumber == ENOENT else { throw error }
    }
  }

  /// The folder of a path, with a slash at its end; empty for the first one.
  private static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: DropFolderPath.separator).map { String(path[...$0]) } ?? ""
  }
}
