// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemTransfer

/// A list in a staging directory of the files that change places with staged ones.
///
/// It is on the disk before the first of them does. Should the receiver be killed, it tells the former files of the user
/// from what was staged.
enum ReplacedFileList {
  struct Entry: Hashable {
    /// Of the file that was staged: what has its place and another number is the former file.
    let inode: UInt64
    /// Relative to the staging directory.
    let staged: String
    /// Relative to the destination.
    let name: String
  }

  static let fileName = "replaced"
  /// A longer list is not read.
  static let maximumLength = 1 << 28
  private static let separator: UInt8 = 0

  static func append(_ entries: [Entry], in staging: CInt) throws(SystemError) {
    let file = try OwnedDescriptor.openAt(staging, fileName, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
    var bytes: [UInt8] = []
    for entry in entries {
      for field in [String(entry.inode), entry.staged, entry.name] {
        bytes += field.utf8
        bytes.append(separator)
      }
    }
    let written = bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try SystemCalls.writeAll(file.raw, bytes) }
    }
    try written.get()
    try SystemCalls.sync(file.raw)
  }

  /// Reads the list.
  ///
  /// - Parameter staging: The staging directory.
  /// - Returns: The entries that are complete; none where there is no list.
  /// - Throws: What the system says; `EFBIG` for a list beyond ``maximumLength``, `EILSEQ` for what is not a list.
  static func entries(in staging: CInt) throws(SystemError) -> [Entry] {
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try .openAt(staging, fileName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return []
    }
    let fields = try contents(of: file).split(separator: separator, omittingEmptySubsequences: false)
    var entries: [Entry] = []
    // Behind the last separator there is nothing, or what a kill has left of a field.
    for start in stride(from: 0, to: (fields.count - 1) / 3 * 3, by: 3) {
      let texts = fields[start..<start + 3].compactMap { String(validating: $0, as: UTF8.self) }
      guard texts.count == 3, let inode = UInt64(texts[0]) else { throw SystemError(EILSEQ, in: "read") }
      let (staged, name) = (texts[1], texts[2])
      entries.append(Entry(inode: inode, staged: staged, name: name))
    }
    return entries
  }

  private static func contents(of file: borrowing OwnedDescriptor) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { chunk in
        Result { () throws(SystemError) in try SystemCalls.read(file.raw, chunk) }
      }
      let read = try count.get()
      if read == 0 { return bytes }
      guard bytes.count + read <= maximumLength else { throw SystemError(EFBIG, in: "read") }
      bytes += chunk[..<read]
    }
  }
}
