// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Makes folders of the archives that they travel as, for those who have such an archive as a file.
package enum FolderUnpacking {
  /// Makes a folder anew; whatever has been made is removed again where it cannot be finished.
  ///
  /// Blocking.
  ///
  /// - Parameters:
  ///   - archive: Open for reading; remains the caller's.
  ///   - directory: In which the folder is made; remains the caller's.
  ///   - name: What it is called there; must not be there.
  ///   - ignoringUmask: Whether everything gets exactly the permissions that the archive says.
  ///   - durable: Whether everything in the folder, and the folder, is flushed to the disk.
  ///   - isCancelled: Asked between steps.
  /// - Throws: As the reader of archives says.
  package static func unpack(
    archive: CInt, into directory: CInt, as name: String, ignoringUmask: Bool = false, durable: Bool = false,
    isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    let reader = try FolderArchiveReader(descriptor: archive, isCancelled: isCancelled)
    try reader.extract(
      into: "/proc/self/fd/\(directory)", as: name, ignoringUmask: ignoringUmask, durable: durable,
      isCancelled: isCancelled)
  }

  /// Returns the names in a folder that start with `prefix`, sorted by their bytes.
  package static func names(
    in directory: CInt, _ path: String, startingWith prefix: String = ""
  ) throws(FolderArchiveError) -> [String] {
    let folder = try OwnedDescriptor.open(folder: path, in: directory)
    return try folder.names(for: nil, atMost: .max, startingWith: Array(prefix.utf8)) { false }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Removes a folder with everything in it, as far as possible.
  package static func remove(_ name: String, in directory: CInt) {
    guard let descriptor = try? SystemCalls.duplicate(directory) else { return }
    OwnedDescriptor(descriptor).removeTree(name)
  }
}

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
      let root = try OwnedDescriptor.open(folder: path)
      _ = try FolderTree(root, name: name, limits: FolderArchive.Limits(), isCancelled: isCancelled)
      return nil
    } catch {
      return error.code == .unsafeName ? error.description : nil
    }
  }
}
