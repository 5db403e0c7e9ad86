// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
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
  /// A longer list, in bytes, is not read.
  static let maximumLength = 1 << 24
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
      guard error.errorNumber == ENOENT else { throw error }
      return []
    }
    let bytes = try contents(of: file)
    var entries: [Entry] = []
    var listed: Set<String> = []
    var fields: [String] = []
    var start = bytes.startIndex
    // Behind the last separator there is nothing, or what a kill has left of a field.
    while let end = bytes[start...].firstIndex(of: separator) {
      guard let field = String(validating: bytes[start..<end], as: UTF8.self) else { throw malformed }
      fields.append(field)
      start = end + 1
      guard fields.count == 3 else { continue }
      guard let inode = UInt64(fields[0]) else { throw malformed }
      // Publishing lists a file once: what else is said of it is not from there.
      if listed.insert(fields[1]).inserted { entries.append(Entry(inode: inode, staged: fields[1], name: fields[2])) }
      fields = []
    }
    return entries
  }

  private static var malformed: SystemError { SystemError(EILSEQ, in: "read") }

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
