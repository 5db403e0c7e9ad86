// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemCoding
internal import ItemTransfer

/// Flushing to the disk, for a destination that is durable.
extension StagingDirectory {
  /// Flushes the files with the attributes that they are to have; a folder was flushed when it was unpacked.
  ///
  /// - Parameter permissions: Of a new file.
  /// - Throws: `systemCall`, `destinationUnavailable`; `cancelled` between two files.
  func flushFiles(_ permissions: UInt32) throws(DropStreamError) {
    for number in entries.indices {
      guard let entry = entries[number], !entry.isFolder else { continue }
      if Task.isCancelled { throw .cancelled }
      let file: OwnedDescriptor
      do throws(SystemError) {
        // Opened before it gets its permissions, which may deny that even to its owner.
        file = try .openAt(staging.raw, String(number), O_RDONLY | O_NOFOLLOW)
      } catch {
        throw cannotFlush(entry.name, error)
      }
      try finish(entry, number, permissions)
      do throws(SystemError) { try SystemCalls.sync(file.raw) } catch { throw cannotFlush(entry.name, error) }
    }
  }

  /// Flushes every directory in which something was named, or a folder was made for it.
  ///
  /// - Parameter published: What was named.
  /// - Throws: `systemCall`.
  func flushNames(of published: [Published]) throws(DropStreamError) {
    var flushed: Set<[UInt8]> = []
    for name in published.map(\.name) + madeFolders {
      let slash = name.utf8.lastIndex(of: DropFolderPath.separator) ?? name.startIndex
      guard flushed.insert(Array(name.utf8[..<slash])).inserted else { continue }
      do throws(SystemError) {
        try inFolder(of: name) { (raw, _) throws(SystemError) in try SystemCalls.syncDirectory(raw) }
      } catch {
        throw cannotFlush(name, error)
      }
    }
    do throws(SystemError) { try folder.flushOwnName() } catch { throw cannotFlush(folder.shownPath, error) }
  }

  private func cannotFlush(_ name: String, _ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot flush \(name.escapedForDisplay()) to the disk", error)
  }
}
