// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A file regardless of its names.
struct FileID: Hashable {
  private let device: UInt64
  private let inode: UInt64

  init(_ status: FileStatus) { (device, inode) = (status.device, status.inode) }
}

/// The files that archives of a folder contain, as they were when the archives were written.
///
/// A move removes these files and no others, once the destination has the archive.
package final class ArchivedFiles: Sendable {
  private struct Stamp: Equatable {
    let file: FileID
    let size: Int64
    let modified: FileTime?
    let changed: FileTime?

    init(_ status: FileStatus) {
      file = FileID(status)
      (size, modified, changed) = (status.size, status.modificationTime, status.changeTime)
    }
  }

  private struct Record {
    /// `nil` for a file that was different in two archives.
    var stamp: Stamp?
    /// The number of complete archives with the file.
    var archiveCount = 0
  }

  private struct State {
    /// The files by the hashes of their paths.
    var files: [Int: Record] = [:]
    /// The number of complete archives.
    var archiveCount = 0
    /// The files of which a name was removed, which changes their status.
    var reduced: [FileID: Stamp] = [:]
  }

  private let state = Lock(State())

  /// Creates an empty record.
  package init() {}

  /// An archive that is being written.
  final class Archive {
    private let files: ArchivedFiles
    private var keys: [Int] = []

    fileprivate init(_ files: ArchivedFiles) { self.files = files }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - path: The path below the top folder.
    ///   - status: The status before the entry was read.
    func add(_ path: some Collection<UInt8>, _ status: FileStatus) {
      let (key, stamp) = (ArchivedFiles.key(path), Stamp(status))
      keys.append(key)
      files.state.withLock { state in
        guard let earlier = state.files[key] else {
          state.files[key] = Record(stamp: stamp)
          return
        }
        // A destination may have either archive. The status of a folder changes with its content.
        let isSame = status.kind == .directory ? earlier.stamp?.file == stamp.file : earlier.stamp == stamp
        state.files[key]?.stamp = isSame ? stamp : nil
      }
    }

    /// Ends the archive, which a destination may have now.
    func complete() {
      files.state.withLock { state in
        state.archiveCount += 1
        for key in keys { state.files[key]?.archiveCount += 1 }
      }
      keys = []
    }
  }

  /// Begins an archive.
  func begin() -> Archive { Archive(self) }

  /// A hash with a random seed, so that no other path gets the same one on purpose.
  private static func key(_ path: some Collection<UInt8>) -> Int {
    var hasher = Hasher()
    for byte in path { hasher.combine(byte) }
    return hasher.finalize()
  }

  /// The reason to keep a file; `nil` if it is under this path in every archive, as it is now.
  private func objection(to status: FileStatus, at path: [UInt8]) -> String? {
    let (known, archiveCount, reduced) = state.withLock { state in
      (state.files[Self.key(path)], state.archiveCount, state.reduced[FileID(status)])
    }
    // Another destination may have the archive that lacks the file.
    guard let known, known.archiveCount == archiveCount else { return "it was not sent" }
    let now = Stamp(status)
    let isSame =
      status.kind == .directory
      ? known.stamp?.file == now.file : known.stamp == now || (known.stamp?.file == now.file && reduced == now)
    return isSame ? nil : "it has changed since it was sent"
  }

  /// Records that a name of the file was removed, which changes only its status.
  private func removedName(of earlier: FileStatus, _ now: FileStatus) {
    guard now.isUnchanged(since: earlier), now.linkCount == earlier.linkCount - 1 else { return }
    state.withLock { $0.reduced[FileID(now)] = Stamp(now) }
  }

  // MARK: Removal

  /// The files and folders that a removal has kept.
  package struct Kept: Sendable {
    /// The maximum number of lines.
    private static let lineLimit = 1000
    /// A line for each of the first files: the path and the reason, escaped for a terminal.
    package private(set) var lines: [String] = []
    /// The number of all kept files, without those that were excluded from the archive.
    package private(set) var count = 0
    /// Whether the folder itself was removed.
    package fileprivate(set) var removesTop = false

    fileprivate mutating func add(_ path: String, _ reason: String) {
      count += 1
      if lines.count < Self.lineLimit { lines.append("\(path) was not removed: \(reason)") }
    }
  }

  private struct Level {
    let names: [[UInt8]]
    var next = 0
    /// The status in the parent folder.
    let status: FileStatus
  }

  /// Removes the archived files of a folder, and then its folders that are empty.
  ///
  /// Blocking. Files that have changed stay, and so do files that the archive does not contain. Errors are treated as
  /// reasons to keep a file.
  ///
  /// - Parameters:
  ///   - path: The folder, which must not be a symbolic link.
  ///   - shown: Its path for messages, escaped.
  ///   - excludes: Whether a file was excluded from the archive, so that it stays without a line.
  /// - Returns: The files that stay.
  package func remove(
    folder path: String, shown: String, excludes: ((_ path: ArraySlice<UInt8>, _ isFolder: Bool) -> Bool)?
  ) -> Kept {
    var kept = Kept()
    do {
      let root = try OwnedDescriptor.openAt(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      var levels = [Level(names: try root.names(), status: try SystemCalls.status(root.raw))]
      var below: [[UInt8]] = []
      while let level = levels.last {
        if Task.isCancelled { break }
        let here = Array(below.joined(separator: [FolderEntryPath.separator]))
        let folder = try root.folder(beneath: here[...], for: nil)
        guard level.next < level.names.count else {
          levels.removeLast()
          guard let name = below.popLast() else { break }
          let parent = Array(below.joined(separator: [FolderEntryPath.separator]))
          try removeEmpty(
            name, in: root.folder(beneath: parent[...], for: nil), level.status, "\(shown)/\(Self.shown(here))", &kept)
          continue
        }
        // Visits the files of this folder up to the next folder in it.
        for index in level.next..<level.names.count {
          levels[levels.count - 1].next = index + 1
          let name = level.names[index]
          let path = here + (here.isEmpty ? [] : [FolderEntryPath.separator]) + name
          guard let inner = remove(name, in: folder.raw, path, shown, excludes, &kept) else { continue }
          below.append(name)
          levels.append(inner)
          break
        }
      }
      if !Task.isCancelled {
        try SystemCalls.unlinkAt(AT_FDCWD, path, AT_REMOVEDIR)
        kept.removesTop = true
      }
    } catch {
      // The files that stay in the folder have their own lines.
      if (error as? SystemError)?.errorNumber != ENOTEMPTY { kept.add(shown, "\(error)") }
    }
    return kept
  }

  /// Removes a file.
  ///
  /// - Returns: The level of a folder to enter.
  private func remove(
    _ name: [UInt8], in folder: CInt, _ path: [UInt8], _ shown: String,
    _ excludes: ((ArraySlice<UInt8>, Bool) -> Bool)?, _ kept: inout Kept
  ) -> Level? {
    let text = String(decoding: name, as: UTF8.self)
    do throws(SystemError) {
      let status = try SystemCalls.statusAt(folder, text, AT_SYMLINK_NOFOLLOW)
      if excludes?(path[...], status.kind == .directory) == true { return nil }
      if let objection = objection(to: status, at: path) {
        kept.add("\(shown)/\(Self.shown(path))", objection)
        return nil
      }
      if status.kind == .directory {
        let inner = try OwnedDescriptor.openAt(folder, text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        return Level(names: try inner.names(), status: status)
      }
      // Other names of the file stay removable.
      let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
      let open = status.linkCount > 1 ? try? OwnedDescriptor.openAt(folder, text, flags) : nil
      try SystemCalls.unlinkAt(folder, text)
      if let open, let now = try? SystemCalls.status(open.raw) { removedName(of: status, now) }
    } catch {
      kept.add("\(shown)/\(Self.shown(path))", "\(error)")
    }
    return nil
  }

  private func removeEmpty(
    _ name: [UInt8], in parent: consuming OwnedDescriptor, _ status: FileStatus, _ shown: String, _ kept: inout Kept
  ) {
    let text = String(decoding: name, as: UTF8.self)
    do throws(SystemError) {
      guard try SystemCalls.statusAt(parent.raw, text, AT_SYMLINK_NOFOLLOW).isSameFile(as: status) else { return }
      try SystemCalls.unlinkAt(parent.raw, text, AT_REMOVEDIR)
    } catch {
      if error.errorNumber != ENOTEMPTY { kept.add(shown, "\(error)") }
    }
  }

  private static func shown(_ path: [UInt8]) -> String { String(escapingForDisplay: path) }
}
