// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Merging a folder with one that is in the destination already.
extension StagingDirectory {
  /// Gives everything in a staged folder its name in a folder that exists.
  ///
  /// Files are replaced, folders merged, and what has other names stays. The folder that exists keeps its permissions.
  ///
  /// - Parameters:
  ///   - staged: The path of the staged folder.
  ///   - name: The folder, relative to the destination.
  ///   - published: Gets what has its name, in order, to be taken back if anything fails later.
  /// - Throws: `alreadyExists` where a file is in the place of a folder, or the other way round; `duplicateName` where
  ///   another item has a name in the folder; `destinationUnavailable`.
  func merge(_ staged: String, into name: String, _ published: PublishedFiles) throws(DropStreamError) {
    guard try statusInFolder(of: name)?.kind == .directory else { throw irreplaceable(name) }
    let children: [(name: String, status: FileStatus)]
    do throws(SystemError) {
      // Its files are moved out of it, which the source's permissions may not allow.
      try SystemCalls.changeModeAt(staging.raw, staged, 0o700)
      children = try names(inStaged: staged).map { (child) throws(SystemError) in
        (child, try SystemCalls.statusAt(staging.raw, staged + "/" + child, AT_SYMLINK_NOFOLLOW))
      }
    } catch {
      throw cannotName(name, error)
    }
    for child in children {
      let (from, to) = (staged + "/" + child.name, name + "/" + child.name)
      guard try !isTaken(to) else { throw duplicateName(to) }
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
        try merge(from, into: to, published)
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
    do throws(FolderArchiveError) {
      return try FolderUnpacking.names(in: staging.raw, path)
    } catch {
      throw SystemError(error.errorNumber ?? EIO, in: "readdir")
    }
  }
}
