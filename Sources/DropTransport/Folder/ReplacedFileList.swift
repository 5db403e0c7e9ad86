// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A list of the files that are exchanged with staged files, stored in the staging directory.
///
/// It is on the disk before the first exchange. If the receiver is killed, the list distinguishes the user's former
/// files from the staged files.
enum ReplacedFileList {
  struct Entry: Hashable {
    /// The inode number of the staged file.
    ///
    /// A different inode at ``staged`` belongs to the former file.
    let inode: UInt64
    /// The path relative to the staging directory.
    let staged: String
    /// The path relative to the destination.
    let name: String
  }

  static let fileName = "replaced"
  /// The maximum length of a list to read, in bytes.
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
    try SystemCalls.writeAll(file.raw, bytes)
    try SystemCalls.sync(file.raw)
  }

  /// Reads the list.
  ///
  /// - Parameter staging: The staging directory.
  /// - Returns: The complete entries; empty if there is no list.
  /// - Throws: The system error; `EFBIG` for a list longer than ``maximumLength``, `EILSEQ` for a malformed list.
  static func entries(in staging: CInt) throws(SystemError) -> [Entry] {
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try .openAt(staging, fileName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      guard error.errorNumber == ENOENT else { throw error }
      return []
    }
    let bytes = try file.contents(limit: maximumLength)
    var entries: [Entry] = []
    // Names are bytes: two names that differ only in their Unicode normalization are two files.
    var listed: Set<[UInt8]> = []
    var fields: [String] = []
    var start = bytes.startIndex
    // After the last separator, a killed receiver may have left an incomplete field.
    while let end = bytes[start...].firstIndex(of: separator) {
      guard let field = String(validating: bytes[start..<end], as: UTF8.self) else { throw malformed }
      fields.append(field)
      start = end + 1
      guard fields.count == 3 else { continue }
      guard let inode = UInt64(fields[0]) else { throw malformed }
      // Publishing lists each file once, so later entries for the same file are ignored.
      if listed.insert(Array(fields[1].utf8)).inserted { entries.append(Entry(inode: inode, staged: fields[1], name: fields[2])) }
      fields = []
    }
    return entries
  }

  private static var malformed: SystemError { SystemError(EILSEQ, in: "read") }
}
