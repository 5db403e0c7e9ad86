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

  /// Appends entries.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - staging: The staging directory.
  ///   - name: Its name.
  ///   - seal: The proof at the start of the list; `nil` if there is none, so that a later receiver only reports the
  ///     directory.
  /// - Throws: The system error.
  static func append(
    _ entries: [Entry], in staging: CInt, named name: String, _ seal: StagingSeal?
  ) throws(SystemError) {
    let file = try OwnedDescriptor.openAt(staging, fileName, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
    var bytes: [UInt8] = []
    if try SystemCalls.status(file.raw).size == 0 {
      bytes = try seal?.code(of: staging, named: name) ?? [UInt8](repeating: 0, count: StagingSeal.length)
    }
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
  /// - Parameters:
  ///   - staging: The staging directory.
  ///   - name: Its name.
  ///   - seal: Returns the proof that the list must have.
  /// - Returns: The complete entries; empty if there is no list.
  /// - Throws: The system error; `EFBIG` for a list longer than ``maximumLength``, `EILSEQ` for a malformed list,
  ///   `EPERM` for a list that another program may have written.
  static func entries(
    in staging: CInt, named name: String, _ seal: () throws(SystemError) -> StagingSeal
  ) throws(SystemError) -> [Entry] {
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try .openAt(staging, fileName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      guard error.errorNumber == ENOENT else { throw error }
      return []
    }
    let bytes = try file.contents(limit: maximumLength)
    if bytes.isEmpty { return [] }
    guard try seal().confirms(bytes, of: staging, named: name) else { throw SystemError(EPERM, in: "open") }
    // Without the complete proof, no file was replaced yet.
    if bytes.count < StagingSeal.length { return [] }
    var entries: [Entry] = []
    // Names are bytes: two names that differ only in their Unicode normalization are two files.
    var listed: Set<[UInt8]> = []
    var fields: [String] = []
    var start = StagingSeal.length
    // After the last separator, a killed receiver may have left an incomplete field.
    while let end = bytes[start...].firstIndex(of: separator) {
      guard let field = String(validating: bytes[start..<end], as: UTF8.self) else { throw malformed }
      fields.append(field)
      start = end + 1
      guard fields.count == 3 else { continue }
      guard let inode = UInt64(fields[0]) else { throw malformed }
      // Publishing lists each file once, so later entries for the same file are ignored.
      if listed.insert(Array(fields[1].utf8)).inserted {
        entries.append(Entry(inode: inode, staged: fields[1], name: fields[2]))
      }
      fields = []
    }
    return entries
  }

  private static var malformed: SystemError { SystemError(EILSEQ, in: "read") }
}
