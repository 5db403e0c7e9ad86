// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A stack of the files that have their names, for a rollback in reverse order.
final class PublishedFiles {
  private let records: RecordFile
  private var last: UInt64?
  private(set) var count = 0

  /// Creates an empty stack.
  ///
  /// - Parameter directory: A directory for the temporary record file. It must stay open.
  init(in directory: CInt) {
    records = RecordFile(in: directory)
  }

  func append(_ file: StagingDirectory.Published) {
    var writer = RecordWriter()
    writer.add(last) { $0.add($1) }
    writer.add(file.staged)
    writer.add(file.name)
    writer.add(file.isFolder)
    writer.add(file.inode) { $0.add($1) }
    writer.add(file.hasReplaced)
    last = records.append(writer.bytes)
    count += 1
  }

  /// Removes and returns the last file; `nil` if the stack is empty.
  func popLast() throws(SystemError) -> StagingDirectory.Published? {
    guard let offset = last else { return nil }
    let (file, previous) = try read(at: offset)
    last = previous
    count -= 1
    return file
  }

  /// Calls `body` with each file, in reverse order.
  func readAll(_ body: (StagingDirectory.Published) throws(SystemError) -> Void) throws(SystemError) {
    var next = last
    while let offset = next {
      let (file, previous) = try read(at: offset)
      try body(file)
      next = previous
    }
  }

  private func read(at offset: UInt64) throws(SystemError) -> (StagingDirectory.Published, previous: UInt64?) {
    var reader = RecordReader(try records.record(at: offset).bytes)
    let previous: UInt64? = reader.optional { $0.integer() }
    let file = StagingDirectory.Published(
      staged: reader.string(), name: reader.string(), isFolder: reader.bool(), inode: reader.optional { $0.integer() },
      hasReplaced: reader.bool())
    return (file, previous)
  }
}
