// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemTransfer

/// Listing the files that are to be replaced, before the first of them is.
extension StagingDirectory {
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
    if stagedFolder.isEmpty {
      for (number, entry) in entries.enumerated() {
        if let entry, !entry.isFolder { try add(String(number), entry.name, to: &list) }
      }
    } else {
      let folder = Self.folder(of: name)
      for child in try names(inStaged: stagedFolder) { try add(stagedFolder + child, folder + child, to: &list) }
    }
    let isFirst = listedFolders.isEmpty
    listedFolders.insert(Array(stagedFolder.utf8))
    try ReplacedFileList.append(list, in: staging.raw)
    // The list, too, must be found after a crash of the machine.
    if isFirst { try SystemCalls.syncDirectory(staging.raw) }
  }

  private func add(
    _ staged: String, _ name: String, to list: inout [ReplacedFileList.Entry]
  ) throws(SystemError) {
    do throws(SystemError) {
      let status = try SystemCalls.statusAt(staging.raw, staged, AT_SYMLINK_NOFOLLOW)
      if status.kind == .regular { list.append(.init(inode: status.inode, staged: staged, name: name)) }
    } catch {
      // It has its name already, and has replaced nothing.
      guard error.errno == ENOENT else { throw error }
    }
  }

  /// The folder of a path, with a slash at its end; empty for the first one.
  private static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: DropFolderPath.separator).map { String(path[...$0]) } ?? ""
  }
}
