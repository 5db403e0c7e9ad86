// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Collects an archive's bytes and hands them on a chunk at a time.
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

  /// A place for up to `limit` of the next bytes, never empty; ``advance(by:)`` says how many there are.
  ///
  /// Content goes here straight from the file.
  func space(atMost limit: Int64) throws -> UnsafeMutableRawBufferPointer {
    if filled == buffer.count { try flush() }
    let end = filled + Int(min(limit, Int64(buffer.count - filled)))
    return UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<end])
  }

  func advance(by count: Int) {
    precondition(count <= buffer.count - filled, "more than there is space for")
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
