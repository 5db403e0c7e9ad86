// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The names in one folder, sorted by their bytes, in little memory.
struct FolderNames {
  private struct Entry {
    let start: UInt32
    let count: UInt16
    let kind: FileStatus.Kind?
  }

  private var bytes: [UInt8] = []
  private var entries: [Entry] = []

  /// Reads the names in an open folder, with the kinds of their files if the file system reports them.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - path: Its path, for errors.
  ///   - limit: The maximum number of names.
  /// - Throws: `limitExceeded`, `system`.
  init(_ folder: CInt, for path: FolderEntryPath, atMost limit: Int) throws(FolderArchiveError) {
    do throws(SystemError) {
      var reader = try DirectoryReader(folder)
      while entries.count <= limit, let name = try reader.next() {
        entries.append(Entry(start: UInt32(bytes.count), count: UInt16(name.count), kind: reader.kind))
        bytes += name
      }
    } catch {
      throw FolderArchiveError(error, for: path)
    }
    guard entries.count <= limit else { throw FolderArchive.tooManyEntries(path) }
    bytes.withUnsafeBytes { bytes in
      entries.sort { left, right in
        let (one, other) = (Int(left.count), Int(right.count))
        guard let start = bytes.baseAddress else { return false }
        let order = memcmp(start + Int(left.start), start + Int(right.start), min(one, other))
        return order == 0 ? one < other : order < 0
      }
    }
  }

  var count: Int { entries.count }

  subscript(index: Int) -> (name: ArraySlice<UInt8>, kind: FileStatus.Kind?) {
    let entry = entries[index]
    return (bytes[Int(entry.start)..<Int(entry.start) + Int(entry.count)], entry.kind)
  }
}

/// Checks of a folder before it is sent.
package enum FolderListing {
  /// Finds the first name in a folder that an archive must not contain.
  ///
  /// Blocking. It reads names only; other faults are reported when the folder is sent.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - name: Its name in the archive.
  ///   - options: The choices for the archive, which may leave out files.
  /// - Returns: A message with the path and the problem; `nil` if no such name was found, or if the task is cancelled.
  ///   Folders below the top folder that cannot be opened are skipped.
  package static func unsafeName(
    inFolder path: String, called name: String, _ options: FolderArchiveOptions = FolderArchiveOptions()
  ) -> String? {
    do throws(FolderArchiveError) {
      let root = try OwnedDescriptor.open(folder: path)
      let limits = FolderArchive.Limits()
      var levels: [(names: FolderNames, next: Int, path: FolderEntryPath)] = []
      let top = try FolderEntryPath(top: name, limits)
      levels.append((try FolderNames(root.raw, for: top, atMost: limits.entries), 0, top))
      while let level = levels.last {
        guard level.next < level.names.count else {
          levels.removeLast()
          continue
        }
        levels[levels.count - 1].next += 1
        if Task.isCancelled { return nil }
        let (name, kind) = level.names[level.next]
        let path = level.path.appending(name)
        let mayBeFolder = kind == .directory || kind == nil
        if options.excludes?(path.belowTop, mayBeFolder) == true { continue }
        try path.validate(limits)
        guard mayBeFolder else { continue }
        guard let folder = try? root.folder(beneath: path.belowTop, for: path) else { continue }
        levels.append((try FolderNames(folder.raw, for: path, atMost: limits.entries), 0, path))
      }
    } catch {
      return error.code == .unsafeName ? error.description : nil
    }
    return nil
  }
}
