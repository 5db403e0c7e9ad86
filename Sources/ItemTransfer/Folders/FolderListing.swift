// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Looks at a folder before it is sent.
package enum FolderListing {
  /// Returns the first name in a folder that no archive may have, with what is wrong with it, or `nil`.
  ///
  /// Blocking. Other faults are not reported here: reading the folder reports them.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - name: Its name in the archive.
  ///   - isCancelled: Asked before each name; the result is `nil` once it returns true.
  /// - Returns: A sentence that names the path.
  package static func unsafeName(
    inFolder path: String, called name: String, isCancelled: () -> Bool
  ) -> String? {
    do throws(FolderArchiveError) {
      let root = try FolderDescriptor.open(folder: path)
      _ = try FolderTree(root, name: name, limits: FolderArchive.Limits(), isCancelled: isCancelled)
      return nil
    } catch {
      return error.code == .unsafeName ? error.description : nil
    }
  }
}
