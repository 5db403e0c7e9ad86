// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

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
