// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// Makes files and folders of an archive's members, in a folder of their own.
///
/// Everything is made anew and opened by its name in a folder that is open already, never through a link.
struct FolderExtraction {
  /// Borrowed.
  let archive: CInt
  let members: [ZipMember]
  /// Whether permissions are exactly what the archive says.
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
      throw error.meaning(.alreadyExists, "something is there already")
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

  /// Makes what is in one folder, and in folders in it; `next` is the first of that.
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

  /// Its owner can work in it, whatever the archive says, until it is finished.
  private func makeFolder(
    _ entry: ZipEntry, called name: String, in folder: borrowing OwnedDescriptor
  ) throws(FolderArchiveError) {
    let directory = folder.raw
    try FolderArchiveError.wrapping(entry.path) { () throws(SystemError) in
      try SystemCalls.makeDirectoryAt(directory, name, entry.permissionsOfNew(0o777) | 0o700)
    }
  }

  /// What is made in a folder changes its time, and a folder may be closed to its owner: both come last.
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
    // An archive may have had holes: they must not become more than the archive was.
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
  /// What a new file or folder is asked to have; the sticky bit comes only with permissions that are kept exactly.
  fileprivate func permissionsOfNew(_ usual: UInt32) -> UInt32 { (permissions ?? usual) & 0o777 }
}
