// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// Creates the files and folders of an archive's entries inside a new folder.
///
/// Every entry is created, and opened by name in a folder that is open already, never through a symbolic link.
struct FolderExtraction {
  /// The descriptor of the archive, which the caller owns.
  let archive: CInt
  let members: [ZipMember]
  /// Whether permissions are exactly those of the archive.
  var ignoresUmask = false
  /// Whether every file and folder is flushed to the disk.
  var isDurable = false

  func run(
    in parent: borrowing OwnedDescriptor, as name: String, _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    guard let top = members.first?.entry else { return }
    try checkCancellation(isCancelled)
    do throws(FolderArchiveError) {
      try makeFolder(top, called: name, in: parent)
    } catch {
      guard error.errorNumber == EEXIST else { throw error }
      throw error.meaning(.alreadyExists, "the name exists already")
    }
    do throws(FolderArchiveError) {
      let folder = try parent.folder(name, for: top.path)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FolderArchive.chunkSize, alignment: 16)
      defer { buffer.deallocate() }
      var next = 1
      try fill(folder, depth: 2, next: &next, buffer, isCancelled)
      try finish(folder, top)
    } catch {
      parent.removeTree(name)
      throw error
    }
  }

  /// Creates the content of one folder and of its subfolders; `next` is the index of the first entry.
  private func fill(
    _ folder: borrowing OwnedDescriptor, depth: Int, next: inout Int, _ buffer: UnsafeMutableRawBufferPointer,
    _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    while next < members.count, members[next].entry.path.depth == depth {
      try checkCancellation(isCancelled)
      let member = members[next]
      let entry = member.entry
      next += 1
      if entry.isDirectory {
        try makeFolder(entry, called: entry.path.name, in: folder)
        let inside = try folder.folder(entry.path.name, for: entry.path)
        try fill(inside, depth: depth + 1, next: &next, buffer, isCancelled)
        try finish(inside, entry)
      } else {
        try makeFile(member, in: folder, buffer, isCancelled)
      }
    }
  }

  /// The owner has access to the new folder until it is finished, whatever the archive says.
  private func makeFolder(
    _ entry: ZipEntry, called name: String, in folder: borrowing OwnedDescriptor
  ) throws(FolderArchiveError) {
    let directory = folder.raw
    try FolderArchiveError.wrapping(entry.path) { () throws(SystemError) in
      try SystemCalls.makeDirectoryAt(directory, name, entry.permissionsOfNew(0o777) | 0o700)
    }
  }

  /// Sets the permissions and the time last: creating entries changes the time, and the permissions may deny the owner
  /// access.
  private func finish(_ folder: borrowing OwnedDescriptor, _ entry: ZipEntry) throws(FolderArchiveError) {
    let descriptor = folder.raw
    try FolderArchiveError.wrapping(entry.path) { () throws(SystemError) in
      if let permissions = entry.permissions, ignoresUmask {
        try SystemCalls.changeMode(descriptor, permissions)
      } else if let permissions = entry.permissions, permissions & 0o700 != 0o700 {
        // The folder has the archive's permissions less the umask, which no thread-safe call returns.
        try SystemCalls.changeMode(descriptor, try SystemCalls.status(descriptor).permissions & permissions)
      }
      try setTimeAndSync(descriptor, entry)
    }
  }

  private func setTimeAndSync(_ descriptor: CInt, _ entry: ZipEntry) throws(SystemError) {
    if let modified = entry.modified { try SystemCalls.changeTimes(descriptor, seconds: modified) }
    guard isDurable else { return }
    do throws(SystemError) { try SystemCalls.sync(descriptor) } catch {
      // Some file systems cannot flush a folder.
      guard error.errorNumber == EINVAL else { throw error }
    }
  }

  private func makeFile(
    _ member: ZipMember, in folder: borrowing OwnedDescriptor, _ buffer: UnsafeMutableRawBufferPointer,
    _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    let entry = member.entry
    let path = entry.path
    let file = try folder.newFile(path.name, permissions: entry.permissionsOfNew(0o666), for: path)
    let descriptor = file.raw
    var crc = CRC32()
    var done: Int64 = 0
    // A hole must not make the file longer than the entry.
    var endsInHole = false
    while done < entry.size {
      try checkCancellation(isCancelled)
      let space = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), entry.size - done))])
      let offset = member.contentOffset + done
      let count = try FolderArchiveError.wrapping(path) { () throws(SystemError) in
        try SystemCalls.read(archive, space, at: offset)
      }
      guard count > 0 else {
        throw FolderArchiveError(.changedWhileRead, "the archive became shorter", path: path, at: offset)
      }
      let chunk = UnsafeRawBufferPointer(rebasing: space[..<count])
      crc.update(chunk)
      endsInHole = chunk.isHole
      try FolderArchiveError.wrapping(path) { () throws(SystemError) in
        if endsInHole {
          _ = try SystemCalls.seek(descriptor, Int64(count), SEEK_CUR)
        } else {
          try SystemCalls.writeAll(descriptor, chunk)
        }
      }
      done += Int64(count)
    }
    if endsInHole {
      try FolderArchiveError.wrapping(path) { () throws(SystemError) in
        try SystemCalls.truncate(descriptor, entry.size)
      }
    }
    guard crc.value == entry.crc else {
      throw FolderArchiveError(.malformed, "the content's CRC is wrong", path: path, at: member.contentOffset)
    }
    do throws(SystemError) {
      if let permissions = entry.permissions, ignoresUmask { try SystemCalls.changeMode(descriptor, permissions) }
      try setTimeAndSync(descriptor, entry)
      try file.close()
    } catch {
      throw FolderArchiveError(error, for: path)
    }
  }
}

extension ZipEntry {
  /// Returns the permissions to create a file or folder with.
  ///
  /// The sticky bit is set only with exact permissions.
  fileprivate func permissionsOfNew(_ usual: UInt32) -> UInt32 { (permissions ?? usual) & 0o777 }
}
