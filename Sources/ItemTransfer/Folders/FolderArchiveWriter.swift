// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// Archives a folder.
///
/// It lists everything first, so the archive's size is known before its first byte.
///
/// Blocking; use it in ``runBlocking(_:)``. Each file is read once. A file that changed since it was listed is an
/// error.
///
/// ```
/// Tales/           local header
/// Tales/a.txt      local header · content · CRC
/// …
/// central directory · (zip64 end record · its locator) · end record
/// ```
final class FolderArchiveWriter: Sendable {
  /// The name of the archive's one top folder.
  let name: String
  /// The exact size of the archive, in bytes.
  let byteCount: Int64
  /// The size of all files together, in bytes.
  let contentByteCount: Int64
  /// Open while the writer exists, so that it writes the folder that it listed even if the folder is moved.
  private let root: OwnedDescriptor
  private let nodes: [FolderTree.Node]
  private let entries: [ZipEntry]
  private let end: ZipEnd

  /// Lists a folder.
  ///
  /// - Parameters:
  ///   - path: The folder, or a symbolic link to it. Links inside the folder are errors.
  ///   - name: The folder's name in the archive; `nil` stands for the last component of the path.
  ///   - limits: The limits of the archive.
  ///   - isCancelled: Returns whether to stop; called before each entry.
  /// - Throws: `specialFile`, `unsafeName`, `limitExceeded`, `system`, `cancelled`.
  init(
    folder path: String, name: String? = nil, limits: FolderArchive.Limits = .init(),
    isCancelled: () -> Bool = { false }
  ) throws(FolderArchiveError) {
    let name = name ?? path.utf8.split(separator: FolderEntryPath.separator).last.flatMap { String($0) } ?? ""
    let root = try OwnedDescriptor.open(folder: path)
    let tree = try FolderTree(root, name: name, limits: limits, isCancelled: isCancelled)
    var offset: Int64 = 0
    var directoryLength: Int64 = 0
    var entries: [ZipEntry] = []
    entries.reserveCapacity(tree.nodes.count)
    for node in tree.nodes {
      let status = node.status
      var entry = ZipEntry(
        path: node.path, isDirectory: status.kind == .directory, permissions: status.permissions & 0o1777,
        modified: status.modificationTime?.seconds)
      if status.kind == .regular { entry.size = status.size }
      entry.headerOffset = offset
      offset += entry.localHeaderLength + entry.size + entry.descriptorLength
      directoryLength += entry.centralHeaderLength
      entries.append(entry)
    }
    guard directoryLength <= limits.directoryBytes else {
      throw FolderArchiveError(.limitExceeded, "the list of files is longer than \(limits.directoryBytes) bytes")
    }
    let end = ZipEnd(entryCount: entries.count, directoryOffset: offset, directoryLength: directoryLength)
    self.name = name
    self.root = root
    self.nodes = tree.nodes
    self.entries = entries
    self.end = end
    contentByteCount = tree.contentBytes
    byteCount = offset + directoryLength + end.length
  }

  /// Writes the archive, exactly ``byteCount`` bytes unless it throws.
  ///
  /// - Parameters:
  ///   - isCancelled: Returns whether to stop; called before each entry and each chunk.
  ///   - output: Takes the next bytes, at most ``FolderArchive/chunkSize``. They are valid until it returns.
  /// - Throws: `changedWhileRead`, `system`, `cancelled`, and the errors of `output`.
  func write(
    isCancelled: () -> Bool = { false }, to output: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try withoutActuallyEscaping(isCancelled) { isCancelled in
      try withoutActuallyEscaping(output) { output in
        let sink = FolderArchiveSink(isCancelled: isCancelled, output: output)
        var checks = [UInt32](repeating: 0, count: entries.count)
        var next = 0
        try write(root, depth: 1, next: &next, &checks, to: sink)
        for (entry, crc) in zip(entries, checks) {
          var entry = entry
          entry.crc = crc
          try sink.append(entry.centralHeader)
        }
        try sink.append(end.bytes)
        try sink.flush()
      }
    }
  }

  /// Writes the entries of one folder and of its subfolders; `next` is the index of the first.
  private func write(
    _ folder: borrowing OwnedDescriptor, depth: Int, next: inout Int, _ checks: inout [UInt32],
    to sink: FolderArchiveSink
  ) throws {
    while next < entries.count, entries[next].path.depth == depth {
      try sink.checkCancellation()
      let index = next
      next += 1
      try sink.append(entries[index].localHeader)
      if entries[index].isDirectory {
        let inside = try opened(index, in: folder)
        try write(inside, depth: depth + 1, next: &next, &checks, to: sink)
      } else {
        checks[index] = try writeContent(index, in: folder, to: sink)
      }
    }
  }

  private func writeContent(
    _ index: Int, in folder: borrowing OwnedDescriptor, to sink: FolderArchiveSink
  ) throws -> UInt32 {
    var entry = entries[index]
    let file = try opened(index, in: folder)
    var crc = CRC32()
    var rest = entry.size
    while rest > 0 {
      let space = try sink.space(atMost: rest)
      let count = try read(file, into: space, entry.path)
      guard count > 0 else { throw changed(index, "the file became shorter while it was read") }
      crc.update(UnsafeRawBufferPointer(rebasing: space[..<count]))
      sink.advance(by: count)
      rest -= Int64(count)
    }
    let space = try sink.space(atMost: 1)
    guard try read(file, into: space, entry.path) == 0 else {
      throw changed(index, "the file became longer while it was read")
    }
    guard try file.status(for: entry.path).isUnchanged(since: nodes[index].status) else {
      throw changed(index, "the file was modified while it was read")
    }
    entry.crc = crc.value
    try sink.append(entry.descriptor)
    return crc.value
  }

  private func read(
    _ file: borrowing OwnedDescriptor, into space: UnsafeMutableRawBufferPointer, _ entry: FolderEntryPath
  ) throws(FolderArchiveError) -> Int {
    let descriptor = file.raw
    return try FolderArchiveError.wrapping(entry) { () throws(SystemError) in try SystemCalls.read(descriptor, space) }
  }

  /// Opens a listed file or folder, and checks that it is still the same.
  private func opened(
    _ index: Int, in folder: borrowing OwnedDescriptor
  ) throws(FolderArchiveError) -> OwnedDescriptor {
    let (path, listed) = (nodes[index].path, nodes[index].status)
    do throws(FolderArchiveError) {
      let isTop = path.depth == 1
      let opened =
        listed.kind == .directory
        ? try folder.folder(isTop ? "." : path.name, for: path) : try folder.file(path.name, for: path)
      let status = try opened.status(for: path)
      guard status.isSameFile(as: listed) else {
        throw changed(index, "it was replaced after the folder was listed")
      }
      guard listed.kind == .directory || status.isUnchanged(since: listed) else {
        throw changed(index, "the file was modified after the folder was listed")
      }
      return opened
    } catch {
      switch error.errorNumber {
      case ENOENT: throw error.meaning(.changedWhileRead, "it was removed after the folder was listed")
      // The entry is a symbolic link, a socket, or a file in place of a folder now.
      case ELOOP, ENOTDIR, ENXIO:
        throw error.meaning(.changedWhileRead, "it was replaced after the folder was listed")
      default: throw error
      }
    }
  }

  private func changed(_ index: Int, _ reason: String) -> FolderArchiveError {
    FolderArchiveError(.changedWhileRead, reason, path: nodes[index].path)
  }
}

/// A buffer that collects an archive's bytes and passes them on a chunk at a time.
final class FolderArchiveSink {
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FolderArchive.chunkSize, alignment: 16)
  private var filled = 0
  private let isCancelled: () -> Bool
  private let output: (UnsafeRawBufferPointer) throws -> Void

  init(isCancelled: @escaping () -> Bool, output: @escaping (UnsafeRawBufferPointer) throws -> Void) {
    self.isCancelled = isCancelled
    self.output = output
  }

  deinit {
    buffer.deallocate()
  }

  func checkCancellation() throws(FolderArchiveError) {
    if isCancelled() { throw .cancelled }
  }

  /// Returns room for up to `limit` of the next bytes, never empty.
  ///
  /// ``advance(by:)`` then reports how many were filled.
  ///
  /// Content is read straight into it.
  func space(atMost limit: Int64) throws -> UnsafeMutableRawBufferPointer {
    if filled == buffer.count { try flush() }
    let end = filled + Int(min(limit, Int64(buffer.count - filled)))
    return UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<end])
  }

  func advance(by count: Int) {
    precondition(count <= buffer.count - filled, "advanced beyond the end of the buffer")
    filled += count
  }

  func append(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let space = try space(atMost: Int64(rest.count))
      space.copyBytes(from: rest.prefix(space.count))
      advance(by: space.count)
      rest = rest.dropFirst(space.count)
    }
  }

  func flush() throws {
    guard filled > 0 else { return }
    try checkCancellation()
    try output(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
    filled = 0
  }
}
