// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Lends pieces of an archive, reading somewhat ahead so that neighbouring records cost one system call.
///
/// The file must stay as long as it was: a window says what was true when it was read.
final class ZipWindow {
  /// How long the archive is.
  let size: Int64
  private let descriptor: CInt
  private let readAhead: Int
  private var start: Int64 = 0
  private var content: [UInt8] = []

  /// Borrows the descriptor.
  init(_ descriptor: CInt, size: Int64, readAhead: Int) {
    self.descriptor = descriptor
    self.size = size
    self.readAhead = readAhead
  }

  func bytes(at offset: Int64, count: Int) throws(FolderArchiveError) -> [UInt8] {
    guard offset >= 0, offset <= size, Int64(count) <= size - offset else {
      throw FolderArchiveError(.malformed, "a record reaches beyond the archive's end", at: offset)
    }
    if offset < start || offset + Int64(count) > start + Int64(content.count) {
      try fill(at: offset, count: Int(min(Int64(max(count, readAhead)), size - offset)))
    }
    let first = Int(offset - start)
    return Array(content[first..<first + count])
  }

  private func fill(at offset: Int64, count: Int) throws(FolderArchiveError) {
    let fresh = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { fresh.deallocate() }
    var filled = 0
    while filled < count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: fresh[filled...])
      let read = try FolderCalls.read(descriptor, rest, at: offset + Int64(filled), path: nil)
      guard read > 0 else {
        throw FolderArchiveError(.changedWhileRead, "the archive became shorter", at: offset + Int64(filled))
      }
      filled += read
    }
    start = offset
    content = Array(fresh)
  }
}
