// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Replacing of files, which are listed before the first of them is replaced.
extension StagingDirectory {
  /// Gives a file its name, and replaces a file with that name.
  ///
  /// - Parameters:
  ///   - staged: The path in the staging directory.
  ///   - name: The path relative to the destination.
  ///   - kind: The kind of both files: a regular file or a symbolic link.
  ///   - finish: Sets the final permissions of the staged file.
  /// - Returns: The published file.
  /// - Throws: `alreadyExists` if the name belongs to something other than a file, `destinationUnavailable`.
  func replace(
    _ staged: String, _ name: String, kind: FileStatus.Kind = .regular, finish: () throws(DropStreamError) -> Void = {}
  ) throws(DropStreamError) -> Published {
    let file: OwnedDescriptor?
    do throws(SystemError) {
      // The file is opened first, because its final permissions may deny that even to its owner.
      file = isDurable || kind != .regular ? nil : try .openAt(staging.raw, staged, O_RDONLY | O_NOFOLLOW)
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
    if (try? SystemCalls.statusAt(staging.raw, staged, AT_SYMLINK_NOFOLLOW))?.kind == kind { return true }
    try? exchange(staged, name)
    throw irreplaceable(name)
  }

  func exchange(_ staged: String, _ name: String) throws(SystemError) {
    try inFolder(of: name) { (raw, last) throws(SystemError) in
      try SystemCalls.exchangeAt(staging.raw, staged, raw, last)
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
      for child in try names(inStaged: stagedFolder) { try add(stagedFolder + child, folder + child, to: &list) }
    }
    listedFolders.insert(Array(stagedFolder.utf8))
    try ReplacedFileList.append(list, in: staging.raw, named: stagingName, seal)
    // The list itself must survive a crash of the machine.
    if isFirst { try SystemCalls.syncDirectory(staging.raw) }
  }

  private func add(
    _ staged: String, _ name: String, to list: inout [ReplacedFileList.Entry]
  ) throws(SystemError) {
    do throws(SystemError) {
      let status = try SystemCalls.statusAt(staging.raw, staged, AT_SYMLINK_NOFOLLOW)
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
}
