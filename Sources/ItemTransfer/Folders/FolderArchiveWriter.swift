// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import Glibc

/// The choices of a source for the archive of a folder.
package struct FolderArchiveOptions: Sendable {
  /// Whether the archive has the extended attributes of files and folders; only attributes of users (`user.*`).
  package var hasAttributes = false
  /// Whether the archive has owners and groups; otherwise both are 0.
  package var hasOwners = false
  /// Called with a message about each device, socket or pipe, which is left out; `nil` makes it an error.
  package var leaveOut: (@Sendable (String) -> Void)?
  /// Whether a regular file with this path in the archive is left out; `nil` leaves none out.
  package var isLeftOut: (@Sendable (String, FileStatus) -> Bool)?
  /// Whether a file with this path below the top folder is left out, or a folder with all its content; `nil` leaves none
  /// out.
  package var excludes: (@Sendable (_ path: ArraySlice<UInt8>, _ isFolder: Bool) -> Bool)?

  /// The record that gets the entries of the archive; `nil` for none.
  package var record: ArchivedFiles?

  /// Creates the default choices.
  package init() {}
}

/// The archive of a folder, produced chunk by chunk.
///
/// Blocking. It holds the lists of the names in the folders from the top to the current entry, and the first names of
/// hard-linked files. Each file is read once, and a file that changes meanwhile is an error. A folder comes before its
/// content, and names are sorted by their bytes.
///
/// ```
/// Tales/           header
/// Tales/a.txt      (pax records ·) header · content · padding
/// …
/// two blocks of zeros
/// ```
final class FolderArchiveWriter {
  private struct Level {
    let path: FolderEntryPath
    let names: FolderNames
    var next = 0
  }

  struct File: ~Copyable {
    let descriptor: OwnedDescriptor
    let path: FolderEntryPath
    let status: FileStatus
    /// The parts to read; one for a file without holes.
    let parts: [TarSegment]
    var part = 0
    /// The number of bytes read of the current part.
    var done: Int64 = 0
  }

  let options: FolderArchiveOptions
  let limits: FolderArchive.Limits
  private let archive: ArchivedFiles.Archive?
  /// Open while the writer exists, so that it writes the same folder even if the folder is moved.
  private let root: OwnedDescriptor
  private let top: FolderEntryPath
  private var levels: [Level] = []
  /// The folder of the last level; `nil` if it must be opened again.
  private var folder: OwnedDescriptor?
  var file: File?
  /// Bytes to write before anything else, their position, and the number of zeros after them.
  var head: [UInt8] = []
  private var headPosition = 0
  var zeros = 0
  private var isEnded = false
  var entries = 0
  private var contentBytes: Int64 = 0
  /// The first names of files with several names, and the number of names to come.
  private var firstNames: [FileID: (path: [UInt8], rest: UInt64)] = [:]
  private var tableBytes = 0

  /// Opens a folder.
  ///
  /// - Parameters:
  ///   - path: The folder, or a symbolic link to it.
  ///   - name: The folder's name in the archive; `nil` means the last component of the path.
  ///   - options: The choices of the source.
  ///   - limits: The limits of the archive.
  /// - Throws: `unsafeName`, `limitExceeded`, `system`.
  init(
    folder path: String, name: String? = nil, options: FolderArchiveOptions = .init(),
    limits: FolderArchive.Limits = .init()
  ) throws(FolderArchiveError) {
    let name = name ?? path.utf8.split(separator: FolderEntryPath.separator).last.flatMap { String($0) } ?? ""
    root = try OwnedDescriptor.open(folder: path)
    top = try FolderEntryPath(top: name, limits)
    self.options = options
    self.limits = limits
    archive = options.record?.begin()
    try addFolder(top, root.folder(beneath: [], for: top))
  }

  /// Writes the next bytes of the archive.
  ///
  /// - Parameter buffer: The space to fill, more than 64 KiB.
  /// - Returns: The number of bytes, which may be less than the space; 0 at the end.
  /// - Throws: `specialFile`, `unsafeName`, `limitExceeded`, `changedWhileRead`, `system`. The writer must not be used
  ///   after an error.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(FolderArchiveError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let space = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      if headPosition < head.count {
        let count = min(space.count, head.count - headPosition)
        space.copyBytes(from: head[headPosition..<headPosition + count])
        headPosition += count
        filled += count
      } else if zeros > 0 {
        let count = min(space.count, zeros)
        UnsafeMutableRawBufferPointer(rebasing: space[..<count]).initializeMemory(as: UInt8.self, repeating: 0)
        zeros -= count
        filled += count
      } else if file != nil {
        guard let count = try readContent(into: space, mayWait: filled > 0) else { break }
        filled += count
      } else {
        head.removeAll(keepingCapacity: true)
        headPosition = 0
        guard try advance() else { break }
      }
    }
    return filled
  }

  // MARK: Entries

  /// Prepares the next entry or the end.
  ///
  /// - Returns: False after the end.
  private func advance() throws(FolderArchiveError) -> Bool {
    while let level = levels.last {
      guard level.next < level.names.count else {
        levels.removeLast()
        folder = nil
        continue
      }
      levels[levels.count - 1].next += 1
      let (name, kind) = level.names[level.next]
      let path = level.path.appending(name)
      if try isExcluded(path, kind, in: level.path) { continue }
      // The check comes before system calls, which take a `String`: a name that is not UTF-8 would change in the
      // conversion.
      try path.validate(limits)
      do throws(FolderArchiveError) {
        if try add(path, kind, in: level.path) { return true }
      } catch {
        switch error.errorNumber {
        case ENOENT: throw error.meaning(.changedWhileRead, "it was removed after the folder was listed")
        // The entry is a symbolic link, a socket, or a file in place of a folder now.
        case ELOOP, ENOTDIR, ENXIO, EINVAL: throw replaced(path)
        default: throw error
        }
      }
    }
    guard !isEnded else { return false }
    isEnded = true
    archive?.complete()
    zeros = 2 * TarFormat.blockSize
    return true
  }

  private func isExcluded(
    _ path: FolderEntryPath, _ kind: FileStatus.Kind?, in parent: FolderEntryPath
  ) throws(FolderArchiveError) -> Bool {
    guard let excludes = options.excludes else { return false }
    var kind = kind
    if kind == nil {
      try open(parent)
      kind = (try? SystemCalls.statusAt(current, path.name, AT_SYMLINK_NOFOLLOW))?.kind
    }
    return excludes(path.belowTop, kind == .directory)
  }

  private func open(_ parent: FolderEntryPath) throws(FolderArchiveError) {
    if folder == nil { folder = try root.folder(beneath: parent.belowTop, for: parent) }
  }

  /// - Returns: Whether the entry is in the archive.
  private func add(
    _ path: FolderEntryPath, _ kind: FileStatus.Kind?, in parent: FolderEntryPath
  ) throws(FolderArchiveError) -> Bool {
    try open(parent)
    let (name, directory) = (path.name, current)
    func status() throws(FolderArchiveError) -> FileStatus {
      try FolderArchiveError.wrapping(path) { () throws(SystemError) in
        try SystemCalls.statusAt(directory, name, AT_SYMLINK_NOFOLLOW)
      }
    }
    let kind = if let kind { kind } else { try status().kind }
    switch kind {
    case .regular: return try addFile(path, OwnedDescriptor.open(file: name, in: directory, for: path))
    case .directory: try addFolder(path, OwnedDescriptor.open(folder: name, in: directory, for: path))
    case .symbolicLink:
      let status = try status()
      if try addLink(path, status) { return true }
      let target = try FolderArchiveError.wrapping(path) { () throws(SystemError) in
        try SystemCalls.readLinkAt(directory, name)
      }
      try writeHead(path, TarFormat.Kind.symbolicLink, status, target: target)
    case .pipe, .socket, .characterDevice, .blockDevice:
      let error = FolderArchiveError(.specialFile, "a \(kind) cannot be sent", path: path)
      guard let leaveOut = options.leaveOut else { throw error }
      leaveOut(error.description)
      return false
    }
    return true
  }

  private var current: CInt {
    switch folder {
    case .some(let folder): folder.raw
    case .none: root.raw
    }
  }

  private func addFolder(
    _ path: FolderEntryPath, _ opened: consuming OwnedDescriptor
  ) throws(FolderArchiveError) {
    let status = try opened.status(for: path)
    try writeHead(path, TarFormat.Kind.folder, status, attributes: attributes(opened.raw, path))
    levels.append(Level(path: path, names: try FolderNames(opened.raw, for: path, atMost: limits.entries)))
    folder = consume opened
  }

  /// - Returns: Whether the file is in the archive.
  private func addFile(
    _ path: FolderEntryPath, _ opened: consuming OwnedDescriptor
  ) throws(FolderArchiveError) -> Bool {
    let status = try opened.status(for: path)
    guard status.kind == .regular else { throw replaced(path) }
    if let isLeftOut = options.isLeftOut, isLeftOut(String(decoding: path.bytes, as: UTF8.self), status) {
      return false
    }
    if try addLink(path, status) { return true }
    try limits.add(status.size, to: &contentBytes, for: path)
    let attributes = try attributes(opened.raw, path)
    var parts = [TarSegment(offset: 0, count: status.size)]
    if status.allocatedSize < status.size { parts = try self.parts(of: opened.raw, status.size, path) }
    let isSparse = parts != [TarSegment(offset: 0, count: status.size)]
    try writeHead(
      path, TarFormat.Kind.file, status, attributes: attributes, size: status.size, parts: isSparse ? parts : nil)
    file = File(descriptor: opened, path: path, status: status, parts: parts)
    return true
  }

  /// Writes a second or later name of a file.
  ///
  /// - Returns: False if this is the first or the only name, for which nothing was written.
  private func addLink(_ path: FolderEntryPath, _ status: FileStatus) throws(FolderArchiveError) -> Bool {
    guard status.linkCount > 1 else { return false }
    let id = FileID(status)
    guard let first = firstNames[id] else {
      tableBytes += path.bytes.count + 64
      guard tableBytes <= limits.tableBytes else {
        throw FolderArchiveError(.limitExceeded, "too many files have several names", path: path)
      }
      firstNames[id] = (path.bytes, status.linkCount - 1)
      return false
    }
    if first.rest > 1 {
      firstNames[id]?.rest -= 1
    } else {
      firstNames[id] = nil
      tableBytes -= first.path.count + 64
    }
    try writeHead(path, TarFormat.Kind.hardLink, status, target: first.path)
    return true
  }

  /// Returns the parts of a file that have data.
  private func parts(
    of descriptor: CInt, _ size: Int64, _ path: FolderEntryPath
  ) throws(FolderArchiveError) -> [TarSegment] {
    var holes = FileHoles(size: UInt64(size))
    var parts: [TarSegment] = []
    var position: UInt64 = 0
    do throws(SystemError) {
      while position < UInt64(size) {
        let hole = try holes.length(at: position) { (offset, target) throws(SystemError) in
          try SystemCalls.seek(descriptor, offset, target)
        }
        position += hole ?? 0
        if hole ?? 0 > 0 { continue }
        let end = holes.dataEnd > position ? holes.dataEnd : UInt64(size)
        parts.append(TarSegment(offset: Int64(position), count: Int64(end - position)))
        position = end
      }
    } catch {
      throw FolderArchiveError(error, for: path)
    }
    guard parts.count < limits.segments else { throw FolderArchive.tooManySegments(limits).located(path, at: nil) }
    return parts
  }

  private func replaced(_ path: FolderEntryPath) -> FolderArchiveError {
    changed(path, "it was replaced after the folder was listed")
  }

  func changed(_ path: FolderEntryPath, _ reason: String) -> FolderArchiveError {
    FolderArchiveError(.changedWhileRead, reason, path: path)
  }
}

/// Headers, and the values that they cannot hold.
extension FolderArchiveWriter {
  /// Appends the header of an entry, after pax records for everything that it cannot hold.
  ///
  /// The map of a sparse file follows the header.
  func writeHead(
    _ path: FolderEntryPath, _ kind: UInt8, _ status: FileStatus, target: [UInt8] = [],
    attributes: [PaxAttributes.Extended] = [], size: Int64 = 0, parts: [TarSegment]? = nil
  ) throws(FolderArchiveError) {
    entries += 1
    guard entries <= limits.entries else { throw FolderArchive.tooManyEntries(path) }
    archive?.add(path.belowTop, status)
    var records: [UInt8] = []
    var map: [UInt8] = []
    var header = TarHeader(kind: kind, permissions: status.permissions & 0o1777, size: size)
    var name = path.bytes[...]
    if kind == TarFormat.Kind.folder { name.append(FolderEntryPath.separator) }
    if let parts {
      map = Self.text(of: parts, size)
      header.size = parts.reduce(Int64(map.count)) { $0 + $1.count }
      PaxAttributes.append("GNU.sparse.major", "1".utf8, to: &records)
      PaxAttributes.append("GNU.sparse.minor", "0".utf8, to: &records)
      PaxAttributes.append("GNU.sparse.name", name, to: &records)
      PaxAttributes.append("GNU.sparse.realsize", "\(size)".utf8, to: &records)
      header.name = Array("GNUSparseFile.0/\(path.name)".utf8)[...]
    } else if let split = TarHeader.split(name) {
      (header.name, header.prefix) = split
    } else {
      PaxAttributes.append("path", name, to: &records)
      header.name = name
    }
    if let time = status.modificationTime {
      header.modified = (0...TarFormat.largestOctal).contains(time.seconds) ? time.seconds : 0
      if time.nanoseconds > 0 || header.modified != time.seconds {
        PaxAttributes.append("mtime", PaxAttributes.text(time).utf8, to: &records)
      }
    }
    if header.size > TarFormat.largestOctal { PaxAttributes.append("size", "\(header.size)".utf8, to: &records) }
    if options.hasOwners {
      (header.owner, header.group) = (status.owner, status.group)
      for (key, number) in [("uid", status.owner), ("gid", status.group)] where number > TarFormat.largestShortOctal {
        PaxAttributes.append(key, "\(number)".utf8, to: &records)
      }
    }
    header.target = target[...]
    if target.count > TarFormat.target.count || !target.allSatisfy({ $0 < 0x80 }) {
      PaxAttributes.append("linkpath", target, to: &records)
    }
    for attribute in attributes {
      PaxAttributes.append(PaxAttributes.extendedPrefix + attribute.name, attribute.value, to: &records)
    }
    if !records.isEmpty {
      guard records.count <= limits.recordBytes else {
        throw FolderArchiveError(.limitExceeded, "its attributes exceed \(limits.recordBytes) bytes", path: path)
      }
      TarHeader(
        name: Array("PaxHeaders/\(path.name)".utf8)[...], kind: TarFormat.Kind.pax, permissions: 0o644,
        size: Int64(records.count), modified: header.modified
      ).append(to: &head)
      head += records
      head += TarFormat.zeroBlock.prefix(TarFormat.padding(Int64(records.count)))
    }
    header.append(to: &head)
    head += map
  }

  /// Returns the map of a sparse file, padded to a block.
  ///
  /// A last part without bytes marks the end of a last hole.
  private static func text(of parts: [TarSegment], _ size: Int64) -> [UInt8] {
    var parts = parts
    if parts.last.map({ $0.offset + $0.count < size }) ?? true { parts.append(TarSegment(offset: size, count: 0)) }
    var text = Array("\(parts.count)\n".utf8)
    for part in parts { text += "\(part.offset)\n\(part.count)\n".utf8 }
    return text + TarFormat.zeroBlock.prefix(TarFormat.padding(Int64(text.count)))
  }

  /// Returns the extended attributes of an open file that the archive carries.
  func attributes(
    _ descriptor: CInt, _ path: FolderEntryPath
  ) throws(FolderArchiveError) -> [PaxAttributes.Extended] {
    guard options.hasAttributes else { return [] }
    var attributes: [PaxAttributes.Extended] = []
    do throws(SystemError) {
      for name in try SystemCalls.attributeNames(descriptor).sorted()
      where name.hasPrefix(FolderArchive.attributePrefix) {
        attributes.append(.init(name: name, value: try SystemCalls.attribute(descriptor, name)))
      }
    } catch {
      // The file system has no attributes.
      guard error.errorNumber == EOPNOTSUPP else { throw FolderArchiveError(error, for: path) }
    }
    return attributes
  }
}

/// The content of files.
extension FolderArchiveWriter {
  /// The size below which a file is read in one call, and starts in a new chunk if the current chunk has too little
  /// space.
  private static let smallFile = 64 << 10

  /// Reads content of the current file, and ends it at its end.
  ///
  /// - Parameters:
  ///   - space: The space for the bytes.
  ///   - mayWait: Whether the file may start in the next chunk.
  /// - Returns: The number of bytes; `nil` if the file starts in the next chunk.
  /// - Throws: `changedWhileRead`, `system`.
  func readContent(
    into space: UnsafeMutableRawBufferPointer, mayWait: Bool
  ) throws(FolderArchiveError) -> Int? {
    guard var file = file.take() else { return 0 }
    let size = file.status.size
    if file.parts.count == 1, file.done == 0, size < Self.smallFile {
      // One call reads a small file, and finds its end.
      guard size < space.count else {
        self.file = consume file
        guard mayWait else { return 0 }
        return nil
      }
      let count = try read(file, into: UnsafeMutableRawBufferPointer(rebasing: space[...Int(size)]), at: 0)
      guard count <= size else { throw changed(file.path, "the file became longer while it was read") }
      if count == size {
        zeros = TarFormat.padding(size)
        return count
      }
    }
    while file.part < file.parts.count, file.done == file.parts[file.part].count {
      file.part += 1
      file.done = 0
    }
    guard file.part < file.parts.count else {
      try end(file, space)
      return 0
    }
    let part = file.parts[file.part]
    let wanted = Int(min(part.count - file.done, Int64(space.count)))
    let count = try read(
      file, into: UnsafeMutableRawBufferPointer(rebasing: space[..<wanted]), at: part.offset + file.done)
    guard count > 0 else { throw changed(file.path, "the file became shorter while it was read") }
    file.done += Int64(count)
    self.file = consume file
    return count
  }

  private func end(
    _ file: borrowing File, _ space: UnsafeMutableRawBufferPointer
  ) throws(FolderArchiveError) {
    guard try read(file, into: UnsafeMutableRawBufferPointer(rebasing: space[..<1]), at: file.status.size) == 0 else {
      throw changed(file.path, "the file became longer while it was read")
    }
    guard try file.descriptor.status(for: file.path).isUnchanged(since: file.status) else {
      throw changed(file.path, "the file was modified while it was read")
    }
    zeros = TarFormat.padding(file.parts.reduce(0) { $0 + $1.count })
  }

  private func read(
    _ file: borrowing File, into space: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(FolderArchiveError) -> Int {
    try mapError(SystemCalls.read(file.descriptor.raw, space, at: offset)) {
      FolderArchiveError($0, for: file.path)
    }
  }
}
