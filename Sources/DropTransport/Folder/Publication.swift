// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// The publication of all staged items, which gives all their files their names or none.
final class Publication {
  /// A file or folder that has its name.
  private struct Published {
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

  private let items: [StagedItem]
  private let directory: StagingDirectory
  /// The files that have their names, in this order.
  private var published: [Published] = []
  /// The paths of created folders, relative to the destination, in the order of creation.
  private var madeFolders: [String] = []
  /// The folders of the destination that this user owns and could not write to, with their permissions.
  private var openedFolders: [(name: String, permissions: UInt32)] = []
  /// The folders in the staging directory whose files are in the ``ReplacedFileList``.
  private var listedFolders: Set<[UInt8]> = []

  init(of items: [StagedItem], in directory: StagingDirectory) {
    self.items = items
    self.directory = directory
  }

  private var folder: DestinationDirectory { directory.folder }
  private var staging: CInt { directory.staging.raw }
  private var collision: DropFolder.Collision { directory.collision }
  private var isDurable: Bool { directory.isDurable }

  /// Gives every file its name and its permissions: the permissions of a new file, or of the source.
  ///
  /// If the destination is durable, the files are on the disk before the first of them gets its name. The names are on
  /// the disk before this method returns.
  ///
  /// - Returns: The final names, and the items that were left out.
  /// - Throws: `alreadyExists` for a name that was taken meanwhile, `duplicateName`, `destinationUnavailable`,
  ///   `systemCall`. If the destination is durable, also `cancelled` before the first name. After an error no file is published,
  ///   and all former files are in place, except files that can no longer be moved back.
  func run() throws(DropStreamError) -> Outcome {
    var outcome = Outcome()
    do throws(DropStreamError) {
      let permissions = try usualPermissions()
      if isDurable { try flushFiles(permissions) }
      for var item in items {
        let staged = item.names
        if let conflict = try publish(&item, permissions) {
          if var leftOut = item.description {
            leftOut.takenName = conflict
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
      closeFolders()
      throw error
    }
    closeFolders()
    directory.remove()
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
        if file.hasReplaced { directory.keep(error) }
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
      guard let conflict = try nameParts(of: item, permissions) else { return nil }
      let isOurs = isOfAnotherItem(conflict)
      if collision != .skip, collision != .rename {
        throw isOurs ? directory.duplicateName(conflict) : directory.alreadyExists(conflict)
      }
      while published.count > start {
        try mapError(takeBack(published.removeLast())) { cannotName(conflict, $0) }
      }
      if collision == .skip, !isOurs { return conflict }
      directory.renumber(&item)
    }
  }

  /// Returns whether a name belongs to a folder that was created for another item, or is inside another item's folder.
  private func isOfAnotherItem(_ name: String) -> Bool {
    if madeFolders.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { return true }
    for end in name.utf8.indices where name.utf8[end] == DropFolderPath.separator {
      if directory.folderNumber(String(name[..<end])) != nil { return true }
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
    try mapError(SystemCalls.permissionsOfNewFiles(staging, probe: "permissions")) {
      DropStreamError(.destinationUnavailable, "cannot create files in \(folder.shownPath)", $0)
    }
  }

  /// Sets the final permissions and time of a staged file.
  private func finish(_ file: StagedItem.File, _ permissions: UInt32) throws(DropStreamError) {
    // A folder and its contents already have their permissions and times.
    if file.isFolder { return }
    do throws(SystemError) {
      let name = String(file.number)
      let kept = file.attributes.permissions.map(UInt32.init)
      if !directory.preservesAttributes {
        // Execution is allowed only where reading is, so the umask applies to both.
        let executable = (kept ?? 0) & 0o111 & (permissions & 0o444) >> 2
        return try SystemCalls.changeModeAt(staging, name, permissions | executable)
      }
      if let time = file.attributes.modificationTime {
        try SystemCalls.changeTimeAt(staging, name, time)
      }
      try SystemCalls.changeModeAt(staging, name, kept ?? permissions)
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
  private func move(_ staged: String, to name: String, isFolder: Bool) throws(SystemError) -> Published {
    let inode = try? SystemCalls.statusAt(staging, staged, AT_SYMLINK_NOFOLLOW).inode
    try inFolder(of: name, makesFolders: true) { (raw, last) throws(SystemError) in
      try rename(staged, in: staging, to: last, in: raw, isFolder: isFolder)
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
        try rename(last, in: raw, to: item.staged, in: staging, isFolder: item.isFolder)
        if !isStaged(item) { try rename(item.staged, in: staging, to: last, in: raw, isFolder: item.isFolder) }
      }
    }
  }

  private func isStaged(_ item: Published) -> Bool {
    guard let inode = item.inode,
      let status = try? SystemCalls.statusAt(staging, item.staged, AT_SYMLINK_NOFOLLOW)
    else { return true }
    return status.inode == inode
  }

  private func cannotName(_ name: String, _ error: SystemError) -> DropStreamError {
    DropStreamError(.destinationUnavailable, "cannot rename the temporary file to \(name.escapedForDisplay())", error)
  }

  // MARK: Flushing to the disk, for a durable destination

  /// Flushes the files with their final attributes.
  ///
  /// Folders were flushed when they were completed.
  ///
  /// - Parameter permissions: The permissions of a new file.
  /// - Throws: `systemCall`, `destinationUnavailable`; `cancelled` between two files.
  private func flushFiles(_ permissions: UInt32) throws(DropStreamError) {
    for item in items {
      for file in item.files where !file.isFolder { try flush(file, permissions) }
    }
  }

  private func flush(_ file: StagedItem.File, _ permissions: UInt32) throws(DropStreamError) {
    if Task.isCancelled { throw .cancelled }
    let opened: OwnedDescriptor
    do throws(SystemError) {
      // The file is opened first, because its permissions may deny that even to its owner.
      opened = try .openAt(staging, String(file.number), O_RDONLY | O_NOFOLLOW)
    } catch {
      throw cannotFlush(file.name, error)
    }
    try finish(file, permissions)
    do throws(SystemError) { try SystemCalls.sync(opened.raw) } catch { throw cannotFlush(file.name, error) }
  }

  /// Flushes every directory in which a file got its name or a folder was created.
  ///
  /// - Throws: `systemCall`.
  private func flushNames() throws(DropStreamError) {
    var flushed: Set<[UInt8]> = []
    do throws(SystemError) {
      for file in published { try flushFolder(of: file.name, &flushed) }
      for folder in madeFolders { try flushFolder(of: folder, &flushed) }
      try folder.flushOwnName()
    } catch {
      throw DropStreamError(.systemCall, "cannot flush names in \(folder.shownPath) to the disk", error)
    }
  }

  private func flushFolder(of name: String, _ flushed: inout Set<[UInt8]>) throws(SystemError) {
    let slash = name.utf8.lastIndex(of: DropFolderPath.separator) ?? name.startIndex
    guard flushed.insert(Array(name.utf8[..<slash])).inserted else { return }
    try inFolder(of: name) { (raw, _) throws(SystemError) in try SystemCalls.syncDirectory(raw) }
  }

  private func cannotFlush(_ name: String, _ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot flush \(name.escapedForDisplay()) to the disk", error)
  }

  // MARK: Replacing of files, which are listed before the first of them is replaced

  /// Gives a file its name, and replaces a file with that name.
  ///
  /// - Parameters:
  ///   - staged: The path in the staging directory.
  ///   - name: The path relative to the destination.
  ///   - kind: The kind of both files: a regular file or a symbolic link.
  ///   - finish: Sets the final permissions of the staged file.
  /// - Returns: The published file.
  /// - Throws: `alreadyExists` if the name belongs to something other than a file, `destinationUnavailable`.
  private func replace(
    _ staged: String, _ name: String, kind: FileStatus.Kind = .regular, finish: () throws(DropStreamError) -> Void = {}
  ) throws(DropStreamError) -> Published {
    let file: OwnedDescriptor?
    do throws(SystemError) {
      // The file is opened first, because its final permissions may deny that even to its owner.
      file = isDurable || kind != .regular ? nil : try .openAt(staging, staged, O_RDONLY | O_NOFOLLOW)
    } catch {
      throw cannotName(name, error)
    }
    try finish()
    let inode = try? SystemCalls.statusAt(staging, staged, AT_SYMLINK_NOFOLLOW).inode
    while true {
      do throws(SystemError) {
        return try move(staged, to: name, isFolder: false)
      } catch {
        guard error.errorNumber == EEXIST else { throw cannotName(name, error) }
      }
      if try exchange(name, staged, file, kind) {
        return Published(staged: staged, name: name, isFolder: false, inode: inode, hasReplaced: true)
      }
    }
  }

  /// Exchanges two files atomically, and keeps both for a rollback.
  ///
  /// At every instant the name leads to one of the two files.
  ///
  /// - Parameters:
  ///   - name: The path of the replaced file, relative to the destination.
  ///   - staged: The path of the new file in the staging directory.
  ///   - file: A descriptor of the new file; `nil` if it was flushed before, or is a link.
  ///   - kind: The kind of both files.
  /// - Returns: Whether there was a file to replace.
  /// - Throws: `alreadyExists` if the name does not belong to a file, `destinationUnavailable`.
  private func exchange(
    _ name: String, _ staged: String, _ file: borrowing OwnedDescriptor?, _ kind: FileStatus.Kind
  ) throws(DropStreamError) -> Bool {
    do throws(SystemError) {
      try listReplacement(of: name, by: staged)
      // After a power failure the name must lead to one of the two files, with its complete contents.
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
    if (try? SystemCalls.statusAt(staging, staged, AT_SYMLINK_NOFOLLOW))?.kind == kind { return true }
    try? exchange(staged, name)
    throw directory.irreplaceable(name)
  }

  private func exchange(_ staged: String, _ name: String) throws(SystemError) {
    try inFolder(of: name) { (raw, last) throws(SystemError) in
      try SystemCalls.exchangeAt(staging, staged, raw, last)
    }
  }

  /// Lists a file that is about to be exchanged, together with its siblings.
  ///
  /// - Parameters:
  ///   - name: The path of the replaced file, relative to the destination.
  ///   - staged: The path of the new file, relative to the staging directory.
  /// - Throws: The system error. No file may be replaced then.
  func listReplacement(of name: String, by staged: String) throws(SystemError) {
    let stagedFolder = Self.folder(of: staged)
    guard !listedFolders.contains(Array(stagedFolder.utf8)) else { return }
    var list: [ReplacedFileList.Entry] = []
    let isFirst = listedFolders.isEmpty
    if stagedFolder.isEmpty {
      for file in items.flatMap(\.files) where !file.isFolder { try add(String(file.number), file.name, to: &list) }
    } else {
      let folder = Self.folder(of: name)
      for child in try FolderUnpacking.names(in: staging, stagedFolder) {
        try add(stagedFolder + child, folder + child, to: &list)
      }
    }
    listedFolders.insert(Array(stagedFolder.utf8))
    try ReplacedFileList.append(list, in: staging, named: directory.staging.name, directory.seal)
    // The list itself must survive a crash of the machine.
    if isFirst { try SystemCalls.syncDirectory(staging) }
  }

  private func add(
    _ staged: String, _ name: String, to list: inout [ReplacedFileList.Entry]
  ) throws(SystemError) {
    do throws(SystemError) {
      let status = try SystemCalls.statusAt(staging, staged, AT_SYMLINK_NOFOLLOW)
      if status.kind == .regular || status.kind == .symbolicLink {
        list.append(.init(inode: status.inode, staged: staged, name: name))
      }
    } catch {
      // The file has its name already, and has replaced no other file.
      guard error.errorNumber == ENOENT else { throw error }
    }
  }

  /// Returns the parent folder of a path with a trailing slash; empty at the top level.
  private static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: DropFolderPath.separator).map { String(path[...$0]) } ?? ""
  }

  // MARK: Merging of a staged folder with a folder in the destination

  /// Moves the contents of a staged folder to an existing folder.
  ///
  /// Files replace files, links replace links, folders are merged, and other files stay. The existing folder keeps its
  /// permissions.
  ///
  /// - Parameters:
  ///   - staged: The path of the staged folder.
  ///   - name: The path of the existing folder, relative to the destination.
  /// - Throws: `alreadyExists` if a file would replace a folder, or a folder a file. `duplicateName` if another item
  ///   has a name in the folder. `destinationUnavailable`.
  private func merge(_ staged: String, into name: String) throws(DropStreamError) {
    guard try directory.statusInFolder(of: name)?.kind == .directory else { throw directory.irreplaceable(name) }
    let children: [(name: String, status: FileStatus)]
    do throws(SystemError) {
      // The files are moved out of the folder, which the source's permissions may not allow.
      try SystemCalls.changeModeAt(staging, staged, 0o700)
      children = try FolderUnpacking.names(in: staging, staged).map { (child) throws(SystemError) in
        (child, try SystemCalls.statusAt(staging, staged + "/" + child, AT_SYMLINK_NOFOLLOW))
      }
    } catch {
      throw cannotName(name, error)
    }
    openFolder(name)
    for child in children {
      let (from, to) = (staged + "/" + child.name, name + "/" + child.name)
      guard !directory.isTaken(to) else { throw directory.duplicateName(to) }
      if child.status.kind == .symbolicLink {
        published.append(try replace(from, to, kind: .symbolicLink))
        continue
      }
      guard child.status.kind == .directory else {
        // Replacing opens the file, which its own permissions may not allow.
        try changeMode(from, child.status.permissions | 0o400, to)
        published.append(
          try replace(from, to) { () throws(DropStreamError) in
            try changeMode(from, child.status.permissions, to)
          })
        continue
      }
      do throws(SystemError) {
        published.append(try move(from, to: to, isFolder: true))
      } catch {
        guard error.errorNumber == EEXIST else { throw cannotName(to, error) }
        try merge(from, into: to)
      }
    }
  }

  /// Lets this user write to a folder of the destination, if it is the owner's and denies that.
  ///
  /// A failure is reported when a file gets its name in the folder.
  private func openFolder(_ name: String) {
    try? inFolder(of: name + "/.") { (raw, _) throws(SystemError) in
      let status = try SystemCalls.status(raw)
      guard status.owner == geteuid(), status.permissions & 0o300 != 0o300 else { return }
      try SystemCalls.changeModeAt(AT_FDCWD, "/proc/self/fd/\(raw)", status.permissions | 0o300)
      openedFolders.append((name, status.permissions))
    }
  }

  /// Restores the permissions of these folders.
  private func closeFolders() {
    for (name, permissions) in openedFolders.reversed() {
      try? inFolder(of: name + "/.") { (raw, _) throws(SystemError) in
        try SystemCalls.changeModeAt(AT_FDCWD, "/proc/self/fd/\(raw)", permissions)
        if isDurable { try SystemCalls.syncDirectory(raw) }
      }
    }
    openedFolders = []
  }

  private func changeMode(_ staged: String, _ permissions: UInt32, _ name: String) throws(DropStreamError) {
    try mapError(SystemCalls.changeModeAt(staging, staged, permissions)) { cannotName(name, $0) }
  }

  /// Calls `body` as ``DestinationDirectory/inFolder(of:created:_:)`` does, and lists created folders.
  private func inFolder<Value>(
    of name: String, makesFolders: Bool = false, _ body: (CInt, String) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    try folder.inFolder(of: name, created: makesFolders ? { self.madeFolders.append($0) } : nil, body)
  }

  /// Removes the created folders that are empty.
  private func removeMadeFolders() {
    for path in madeFolders.reversed() {
      try? inFolder(of: path) { (raw, last) throws(SystemError) in
        try SystemCalls.unlinkAt(raw, last, AT_REMOVEDIR)
      }
    }
  }
}
