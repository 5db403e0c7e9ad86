// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Extraction of archives that are available as open files.
package enum FolderUnpacking {
  /// Creates a folder from an archive.
  ///
  /// An error removes everything that was created. Blocks.
  ///
  /// - Parameters:
  ///   - archive: A descriptor for reading, which the caller owns.
  ///   - directory: A descriptor of the parent folder, which the caller owns.
  ///   - name: The name of the new folder, which must not exist.
  ///   - ignoringUmask: Whether everything gets exactly the permissions in the archive.
  ///   - durable: Whether the folder and its content are flushed to the disk.
  ///   - isCancelled: Returns whether to stop; called between steps.
  /// - Throws: The errors of the archive reader.
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

  /// Removes a folder with its content, as far as possible.
  package static func remove(_ name: String, in directory: CInt) {
    guard let descriptor = try? SystemCalls.duplicate(directory) else { return }
    OwnedDescriptor(descriptor).removeTree(name)
  }
}

/// Checks of a folder before it is sent.
package enum FolderListing {
  /// Finds the first name in a folder that an archive must not contain.
  ///
  /// Blocking. Other faults are reported when the folder is read.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - name: Its name in the archive.
  ///   - isCancelled: Returns whether to stop; called before each name. The result is `nil` once it returns true.
  /// - Returns: A message with the path and the problem, `nil` if all names are allowed.
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
