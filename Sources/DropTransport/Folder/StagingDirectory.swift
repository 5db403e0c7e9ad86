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
  private let folderPath: String
  private let folder: OwnedDescriptor
  private let staging: OwnedDescriptor
  private let stagingName: String
  /// The final names, by the number of the file.
  private var names: [String] = []
  /// Bytes, as for the file system: two strings may be equal and yet be two names.
  private var taken: Set<[UInt8]> = []
  private var isRemoved = false

  init(in destination: DropFolder) throws(DropStreamError) {
    folderPath = destination.path.escapedForDisplay()
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

  /// Makes the file that will be called `name`.
  ///
  /// - Throws: `duplicateName`, `alreadyExists`, `systemCall`.
  func makeFile(named name: String) throws(DropStreamError) -> StagedFile {
    let shown = name.escapedForDisplay()
    guard taken.insert(Array(name.utf8)).inserted else {
      throw DropStreamError(.duplicateName, "two items have the name \"\(shown)\"")
    }
    if (try? SystemCalls.statusAt(folder.raw, name, AT_SYMLINK_NOFOLLOW)) != nil { throw alreadyExists(name) }
    do throws(SystemError) {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      let descriptor = try OwnedDescriptor.openAt(staging.raw, String(names.count), flags, 0o600)
      names.append(name)
      return StagedFile(descriptor, name: name)
    } catch {
      throw DropStreamError(.systemCall, "cannot make \(shown)", error)
    }
  }

  /// Takes back the file that was made last.
  func removeLastFile() {
    guard let name = names.popLast() else { return }
    taken.remove(Array(name.utf8))
    try? SystemCalls.unlinkAt(staging.raw, String(names.count))
  }

  /// Gives every file its name and the permissions a new file gets; all, or none.
  func publish() throws(DropStreamError) {
    var published = 0
    do throws(SystemError) {
      let permissions = try SystemCalls.permissionsOfNewFiles(staging.raw, probe: "permissions")
      for (number, name) in names.enumerated() {
        try SystemCalls.changeModeAt(staging.raw, String(number), permissions)
        try SystemCalls.renameExclusivelyAt(staging.raw, String(number), folder.raw, name)
        published += 1
      }
    } catch {
      for number in (0..<published).reversed() {
        // Best effort: what cannot be taken back is at least whole.
        try? SystemCalls.renameAt(folder.raw, names[number], staging.raw, String(number))
      }
      guard published < names.count else {
        throw DropStreamError(.destinationUnavailable, "cannot make files in \(folderPath)", error)
      }
      if error.errno == EEXIST { throw alreadyExists(names[published]) }
      throw DropStreamError(.destinationUnavailable, "cannot name \(names[published].escapedForDisplay())", error)
    }
    names = []
    remove()
  }

  /// Removes the files that are still waiting, and the directory.
  func remove() {
    guard !isRemoved else { return }
    isRemoved = true
    for number in names.indices { try? SystemCalls.unlinkAt(staging.raw, String(number)) }
    try? SystemCalls.unlinkAt(folder.raw, stagingName, AT_REMOVEDIR)
  }

  private func alreadyExists(_ name: String) -> DropStreamError {
    DropStreamError(.alreadyExists, "\"\(name.escapedForDisplay())\" is in \(folderPath) already")
  }
}
