// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemCoding
internal import ItemTransfer

/// A directory inside the destination in which files wait, under numbers, for the end of the stream.
///
/// Everything is done relative to the two directories' descriptors: whatever happens to their paths meanwhile, nothing
/// is written elsewhere.
final class StagingDirectory {
  /// What waits for its name.
  struct Entry {
    var name: String
    let isFolder: Bool
    let attributes: ItemFileAttributes
  }

  let folderPath: String
  let folder: OwnedDescriptor
  let staging: OwnedDescriptor
  private let stagingName: String
  let collision: DropFolder.Collision
  /// By the number of the file; `nil` of one that was given up.
  var entries: [Entry?] = []
  /// Bytes, as for the file system: two strings may be equal and yet be two names.
  var taken: Set<[UInt8]> = []
  private var isRemoved = false

  init(in destination: DropFolder) throws(DropStreamError) {
    folderPath = destination.path.escapedForDisplay()
    collision = destination.collision
    folder = try Self.openFolder(destination)
    stagingName = ".dragpipe-" + RandomName.text()
    staging = try Self.makeStaging(stagingName, in: folder.raw, of: folderPath)
  }

  deinit {
    remove()
  }

  private static func openFolder(_ destination: DropFolder) throws(DropStreamError) -> OwnedDescriptor {
    do throws(SystemError) {
      if destination.isCreatedWhenMissing {
        do throws(SystemError) {
          try SystemCalls.makeDirectory(destination.path, 0o777)
        } catch {
          if error.errno != EEXIST { throw error }
        }
      }
      return try .open(destination.path, O_RDONLY | O_DIRECTORY)
    } catch {
      let path = destination.path.escapedForDisplay()
      throw DropStreamError(.destinationUnavailable, "cannot use the directory \(path)", error)
    }
  }

  private static func makeStaging(
    _ name: String, in folder: CInt, of path: String
  ) throws(DropStreamError) -> OwnedDescriptor {
    do throws(SystemError) {
      try SystemCalls.makeDirectoryAt(folder, name, 0o700)
      do throws(SystemError) {
        return try .openAt(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      } catch {
        try? SystemCalls.unlinkAt(folder, name, AT_REMOVEDIR)
        throw error
      }
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot write to the directory \(path)", error)
    }
  }

  // MARK: Files

  /// Makes the file that will be called `name`, or is the archive of the folder that will be.
  ///
  /// - Parameters:
  ///   - name: What is wished for.
  ///   - isFolder: Whether it becomes a folder when it is finished.
  ///   - attributes: What it gets in the end.
  ///   - collision: What becomes of it where the name is taken.
  /// - Returns: The file, which may have another name; `nil` where it is to be left out.
  /// - Throws: `duplicateName`, `alreadyExists`, `systemCall`.
  func makeFile(
    named name: String, isFolder: Bool = false, attributes: ItemFileAttributes = ItemFileAttributes(),
    _ collision: DropFolder.Collision = .refuse
  ) throws(DropStreamError) -> StagedFile? {
    guard let name = try freeName(name, isFolder: isFolder, collision) else { return nil }
    taken.insert(Array(name.utf8))
    let number = entries.count
    do throws(SystemError) {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      let staged = isFolder ? Self.archiveName(number) : String(number)
      let descriptor = try OwnedDescriptor.openAt(staging.raw, staged, flags, 0o600)
      entries.append(Entry(name: name, isFolder: isFolder, attributes: attributes))
      return StagedFile(descriptor, name: name, number: number)
    } catch {
      throw DropStreamError(.systemCall, "cannot make \(name.escapedForDisplay())", error)
    }
  }

  private func freeName(
    _ name: String, isFolder: Bool, _ collision: DropFolder.Collision
  ) throws(DropStreamError) -> String? {
    let isTaken = taken.contains(Array(name.utf8))
    let status = try? SystemCalls.statusAt(folder.raw, name, AT_SYMLINK_NOFOLLOW)
    if !isTaken, status == nil { return name }
    switch collision {
    case .skip: return nil
    case .rename: return try numberedName(name)
    case .replace where !isTaken:
      guard status?.kind == .regular, !isFolder else { throw irreplaceable(name) }
      return name
    case .replace, .refuse:
      if isTaken {
        throw DropStreamError(.duplicateName, "two items have the name \"\(name.escapedForDisplay())\"")
      }
      throw alreadyExists(name)
    }
  }

  /// The name with the first number that makes it free.
  func numberedName(_ name: String) throws(DropStreamError) -> String {
    for number in 2..<100_000 {
      let candidate = DropFileName.numbered(name, number)
      if !taken.contains(Array(candidate.utf8)),
        (try? SystemCalls.statusAt(folder.raw, candidate, AT_SYMLINK_NOFOLLOW)) == nil
      {
        return candidate
      }
    }
    throw alreadyExists(name)
  }

  static func archiveName(_ number: Int) -> String { "\(number).zip" }

  /// Ends a file of which all has come, and makes the folder that it is the archive of.
  ///
  /// - Throws: `systemCall`; of an archive also `damaged`, `unsafeName`, `limitExceeded`; `cancelled`.
  func finish(_ file: StagedFile, isCancelled: () -> Bool) throws(DropStreamError) {
    try file.close()
    guard entries[file.number]?.isFolder == true else { return }
    let archiveName = Self.archiveName(file.number)
    let archive: OwnedDescriptor
    do throws(SystemError) {
      archive = try OwnedDescriptor.openAt(staging.raw, archiveName, O_RDONLY | O_NOFOLLOW)
    } catch {
      throw DropStreamError(.systemCall, "cannot unpack \(file.name.escapedForDisplay())", error)
    }
    do throws(FolderArchiveError) {
      try FolderUnpacking.unpack(
        archive: archive.raw, into: staging.raw, as: String(file.number), isCancelled: isCancelled)
    } catch {
      throw DropStreamError(unpacking: file.name, error)
    }
    try? SystemCalls.unlinkAt(staging.raw, archiveName)
  }

  /// Takes back a file that will not be whole.
  func remove(_ file: StagedFile) {
    guard let entry = entries[file.number].take() else { return }
    taken.remove(Array(entry.name.utf8))
    try? SystemCalls.unlinkAt(staging.raw, entry.isFolder ? Self.archiveName(file.number) : String(file.number))
  }

  /// Removes the files that are still waiting, and the directory.
  func remove() {
    guard !isRemoved else { return }
    isRemoved = true
    for (number, entry) in entries.enumerated() {
      guard let entry else { continue }
      try? SystemCalls.unlinkAt(staging.raw, entry.isFolder ? Self.archiveName(number) : String(number))
      if entry.isFolder { FolderUnpacking.remove(String(number), in: staging.raw) }
    }
    try? SystemCalls.unlinkAt(folder.raw, stagingName, AT_REMOVEDIR)
  }

  func alreadyExists(_ name: String) -> DropStreamError {
    DropStreamError(.alreadyExists, "\"\(name.escapedForDisplay())\" is in \(folderPath) already")
  }

  func irreplaceable(_ name: String) -> DropStreamError {
    DropStreamError(
      .alreadyExists,
      "\"\(name.escapedForDisplay())\" is in \(folderPath) already, and only a file can take the place of a file")
  }
}

extension DropStreamError {
  /// Why an archive is no folder.
  fileprivate init(unpacking name: String, _ error: FolderArchiveError) {
    let reason = "cannot make the folder \(name.escapedForDisplay()): \("\(error)".escapedForDisplay())"
    let code: Code =
      switch error.code {
      case .malformed, .unsupported, .specialFile, .changedWhileRead: .damaged
      case .limitExceeded: .limitExceeded
      case .unsafeName: .unsafeName
      case .alreadyExists, .system: .systemCall
      case .cancelled: .cancelled
      }
    self = error.code == .cancelled ? .cancelled : DropStreamError(code, reason, errno: error.errno)
  }
}
