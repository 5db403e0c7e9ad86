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
    in parent: borrowing FolderDescriptor, as name: String, _ isCancelled: () -> Bool
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
      let folder = try parent.folder(name, path: top.path)
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
    _ folder: borrowing FolderDescriptor, depth: Int, next: inout Int, _ buffer: UnsafeMutableRawBufferPointer,
    _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    while next < members.count, members[next].entry.path.depth == depth {
      try checkCancellation(isCancelled)
      let member = members[next]
      let entry = member.entry
      next += 1
      if entry.isDirectory {
        try makeFolder(entry, called: entry.path.name, in: folder)
        let inside = try folder.folder(entry.path.name, path: entry.path)
        try fill(inside, depth: depth + 1, next: &next, buffer, isCancelled)
        try finish(inside, entry)
      } else {
        try makeFile(member, in: folder, buffer, isCancelled)
      }
    }
  }

  /// Its owner can work in it, whatever the archive says, until it is finished.
  private func makeFolder(
    _ entry: ZipEntry, called name: String, in folder: borrowing FolderDescriptor
  ) throws(FolderArchiveError) {
    try FolderCalls.makeDirectoryAt(folder.raw, name, entry.permissionsOfNew(0o777) | 0o700, path: entry.path)
  }

  /// What is made in a folder changes its time, and a folder may be closed to its owner: both come last.
  private func finish(_ folder: borrowing FolderDescriptor, _ entry: ZipEntry) throws(FolderArchiveError) {
    if let permissions = entry.permissions, ignoresUmask {
      try FolderCalls.changeMode(folder.raw, permissions, path: entry.path)
    } else if let permissions = entry.permissions, permissions & 0o700 != 0o700 {
      // The umask has been at work on what the folder has now, and cannot be asked for safely.
      let masked = try FolderCalls.status(folder.raw, path: entry.path).permissions & permissions
      try FolderCalls.changeMode(folder.raw, masked, path: entry.path)
    }
    if let modified = entry.modified { try FolderCalls.changeTime(folder.raw, modified, path: entry.path) }
    if isDurable { try FolderCalls.sync(folder.raw, path: entry.path) }
  }

  private func makeFile(
    _ member: ZipMember, in folder: borrowing FolderDescriptor, _ buffer: UnsafeMutableRawBufferPointer,
    _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    let entry = member.entry
    let path = entry.path
    let file = try folder.newFile(path.name, permissions: entry.permissionsOfNew(0o666), path: path)
    var crc = CRC32()
    var done: Int64 = 0
    // An archive may have had holes: they must not become more than the archive was.
    var endsInHole = false
    while done < entry.size {
      try checkCancellation(isCancelled)
      let space = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), entry.size - done))])
      let offset = member.contentOffset + done
      let count = try FolderCalls.read(archive, space, at: offset, path: path)
      guard count > 0 else {
        throw FolderArchiveError(.changedWhileRead, "the archive became shorter", path: path, at: offset)
      }
      let chunk = UnsafeRawBufferPointer(rebasing: space[..<count])
      crc.update(chunk)
      endsInHole = chunk.isHole
      if endsInHole {
        try FolderCalls.skip(file.raw, count, path: path)
      } else {
        try FolderCalls.writeAll(file.raw, chunk, path: path)
      }
      done += Int64(count)
    }
    if endsInHole { try FolderCalls.truncate(file.raw, entry.size, path: path) }
    guard crc.value == entry.crc else {
      throw FolderArchiveError(.malformed, "the content's CRC is wrong", path: path, at: member.contentOffset)
    }
    if let permissions = entry.permissions, ignoresUmask {
      try FolderCalls.changeMode(file.raw, permissions, path: path)
    }
    if let modified = entry.modified { try FolderCalls.changeTime(file.raw, modified, path: path) }
    if isDurable { try FolderCalls.sync(file.raw, path: path) }
    try file.close(path: path)
  }
}

extension ZipEntry {
  /// What a new file or folder is asked to have; the sticky bit comes only with permissions that are kept exactly.
  fileprivate func permissionsOfNew(_ usual: UInt32) -> UInt32 { (permissions ?? usual) & 0o777 }
}

extension FolderDescriptor {
  /// Removes a folder with everything in it as far as possible; there is an error to report already.
  borrowing func removeTree(_ name: String) {
    // One that is finished may be closed to its owner.
    try? FolderCalls.changeModeAt(raw, name, 0o700, path: nil)
    if let inside = try? folder(name, path: nil), let names = try? inside.names(path: nil, atMost: .max, { false }) {
      for name in names {
        let name = String(decoding: name, as: UTF8.self)
        do throws(FolderArchiveError) {
          try FolderCalls.unlinkAt(inside.raw, name, path: nil)
        } catch {
          if error.errorNumber == EISDIR || error.errorNumber == EPERM { inside.removeTree(name) }
        }
      }
    }
    try? FolderCalls.unlinkAt(raw, name, AT_REMOVEDIR, path: nil)
  }
}
