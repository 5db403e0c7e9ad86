// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Merging of a staged folder with a folder in the destination.
extension StagingDirectory {
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
  func merge(_ staged: String, into name: String) throws(DropStreamError) {
    guard try statusInFolder(of: name)?.kind == .directory else { throw irreplaceable(name) }
    let children: [(name: String, status: FileStatus)]
    do throws(SystemError) {
      // The files are moved out of the folder, which the source's permissions may not allow.
      try SystemCalls.changeModeAt(staging.raw, staged, 0o700)
      children = try names(inStaged: staged).map { (child) throws(SystemError) in
        (child, try SystemCalls.statusAt(staging.raw, staged + "/" + child, AT_SYMLINK_NOFOLLOW))
      }
    } catch {
      throw cannotName(name, error)
    }
    for child in children {
      let (from, to) = (staged + "/" + child.name, name + "/" + child.name)
      guard !isTaken(to) else { throw duplicateName(to) }
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

  private func changeMode(_ staged: String, _ permissions: UInt32, _ name: String) throws(DropStreamError) {
    do throws(SystemError) {
      try SystemCalls.changeModeAt(staging.raw, staged, permissions)
    } catch {
      throw cannotName(name, error)
    }
  }

  func names(inStaged path: String) throws(SystemError) -> [String] {
    try FolderUnpacking.names(in: staging.raw, path)
  }
}
