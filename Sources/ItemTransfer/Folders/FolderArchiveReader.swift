// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// An archive of one folder, verified except for the content of its files.
///
/// Extraction verifies their CRCs.
///
/// Blocking; use it in ``runBlocking(_:)``. The central directory must agree with the local headers, entries must not
/// overlap, and every path must be unambiguous. Otherwise two programs could see different folders in one archive.
final class FolderArchiveReader: Sendable {
  /// The name of the archive's one top folder.
  let name: String
  /// The size of all files together.
  let contentByteCount: Int64
  /// All entries, each folder before its content.
  let members: [ZipMember]
  private let archive: OwnedDescriptor

  /// Opens and verifies the archive at a path.
  ///
  /// - Throws: The errors of ``init(descriptor:limits:isCancelled:)``.
  convenience init(
    path: String, limits: FolderArchive.Limits = .init(), isCancelled: () -> Bool = { false }
  ) throws(FolderArchiveError) {
    try self.init(OwnedDescriptor.open(archive: path), limits, isCancelled)
  }

  /// Verifies the archive of an open descriptor.
  ///
  /// Its offset is neither used nor changed.
  ///
  /// - Parameters:
  ///   - descriptor: A descriptor that the caller owns and may close after the call.
  ///   - limits: The limits of the archive.
  ///   - isCancelled: Returns whether to stop; called before each entry.
  /// - Throws: `malformed`, `unsupported`, `limitExceeded`, `unsafeName`, `specialFile`, `system`, `cancelled`.
  convenience init(
    descriptor: CInt, limits: FolderArchive.Limits = .init(), isCancelled: () -> Bool = { false }
  ) throws(FolderArchiveError) {
    let duplicate = try FolderArchiveError.wrapping(nil) { () throws(SystemError) in
      OwnedDescriptor(try SystemCalls.duplicate(descriptor))
    }
    try self.init(duplicate, limits, isCancelled)
  }

  private init(
    _ archive: consuming OwnedDescriptor, _ limits: FolderArchive.Limits, _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    let status = try archive.status(for: nil)
    guard status.kind == .regular else {
      throw FolderArchiveError(.unsupported, "the archive must be a file, not a \(status.kind)")
    }
    let all = ZipWindow(archive.raw, size: status.size, readAhead: 0)
    let end = try ZipEnd(all)
    var members = try Self.directory(archive, end, limits, isCancelled)
    contentByteCount = try Self.contentByteCount(members, limits)
    try Self.locate(&members, archive, end, isCancelled)
    self.members = try Self.walk(members, limits, isCancelled)
    name = self.members.first?.entry.path.name ?? ""
    self.archive = archive
  }

  private static func directory(
    _ archive: borrowing OwnedDescriptor, _ end: ZipEnd, _ limits: FolderArchive.Limits, _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) -> [ZipMember] {
    guard end.entryCount <= limits.entries else {
      throw FolderArchiveError(.limitExceeded, "there are more than \(limits.entries) entries")
    }
    guard end.directoryLength <= limits.directoryBytes else {
      throw FolderArchiveError(.limitExceeded, "the list of files is longer than \(limits.directoryBytes) bytes")
    }
    guard Int64(end.entryCount) <= end.directoryLength / Int64(ZipFormat.Length.centralHeader) else {
      throw FolderArchiveError(.malformed, "there are fewer entries than stated", at: end.directoryOffset)
    }
    let directoryEnd = end.directoryOffset + end.directoryLength
    let input = ZipWindow(archive.raw, size: directoryEnd, readAhead: FolderArchive.chunkSize)
    var offset = end.directoryOffset
    var members: [ZipMember] = []
    members.reserveCapacity(end.entryCount)
    for _ in 0..<end.entryCount {
      try checkCancellation(isCancelled)
      members.append(try ZipMember(input, at: &offset, limits: limits))
    }
    guard offset == directoryEnd else {
      throw FolderArchiveError(.malformed, "there is more in the central directory than entries", at: offset)
    }
    return members
  }

  private static func contentByteCount(
    _ members: [ZipMember], _ limits: FolderArchive.Limits
  ) throws(FolderArchiveError) -> Int64 {
    var total: Int64 = 0
    for member in members {
      let (sum, overflow) = total.addingReportingOverflow(member.entry.size)
      guard !overflow, sum <= limits.contentBytes else {
        let reason = "the files are larger than \(limits.contentBytes) bytes"
        throw FolderArchiveError(.limitExceeded, reason, path: member.entry.path)
      }
      total = sum
    }
    return total
  }

  /// Reads the local headers in the order of their offsets.
  ///
  /// Each entry must end before the next.
  private static func locate(
    _ members: inout [ZipMember], _ archive: borrowing OwnedDescriptor, _ end: ZipEnd, _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    let input = ZipWindow(archive.raw, size: end.directoryOffset, readAhead: 4096)
    members.sort { $0.entry.headerOffset < $1.entry.headerOffset }
    var earliest: Int64 = 0
    for index in members.indices {
      try checkCancellation(isCancelled)
      let entry = members[index].entry
      guard entry.headerOffset >= earliest else {
        throw FolderArchiveError(.malformed, "it overlaps another entry", path: entry.path, at: entry.headerOffset)
      }
      try members[index].locate(input)
      earliest = members[index].endOffset
    }
  }

  /// Sorts the entries into the order of a walk, and adds the folders that only paths imply.
  ///
  /// Rejects a repeated path and a second top folder.
  private static func walk(
    _ members: [ZipMember], _ limits: FolderArchive.Limits, _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) -> [ZipMember] {
    var walked: [ZipMember] = []
    var open: [FolderEntryPath] = []
    var pathBytes: Int64 = 0
    func add(_ member: ZipMember) throws(FolderArchiveError) {
      try checkCancellation(isCancelled)
      let path = member.entry.path
      pathBytes += Int64(path.bytes.count)
      guard walked.count < limits.entries, pathBytes <= limits.directoryBytes else {
        throw FolderArchiveError(.limitExceeded, "there are too many files and folders", path: path)
      }
      // In this order, entries with the same path are neighbours.
      guard walked.last?.entry.path != path else {
        throw FolderArchiveError(.malformed, "two entries have this path", path: path)
      }
      guard path.depth > 1 || (walked.isEmpty && member.entry.isDirectory) else {
        throw FolderArchiveError(.malformed, "there is more than one folder at the top of the archive", path: path)
      }
      walked.append(member)
      if member.entry.isDirectory { open.append(path) }
    }
    for member in members.sorted(by: { $0.entry.path < $1.entry.path }) {
      let path = member.entry.path
      while let folder = open.last, !folder.isAncestor(of: path) { open.removeLast() }
      while open.count < path.depth - 1 { try add(ZipMember(implied: path.prefix(depth: open.count + 1))) }
      try add(member)
    }
    guard !walked.isEmpty else { throw FolderArchiveError(.malformed, "there is no folder in the archive") }
    return walked
  }

  /// Creates the folder in a parent folder.
  ///
  /// An error removes everything that was created.
  ///
  /// - Parameters:
  ///   - directory: The parent folder; may be a symbolic link.
  ///   - name: The name of the new folder, which must not exist; `nil` stands for ``name``.
  ///   - ignoringUmask: Whether everything gets exactly the permissions in the archive.
  ///   - durable: Whether the folder and its content are flushed to the disk.
  ///   - isCancelled: Returns whether to stop; called before each entry and each chunk.
  /// - Throws: `alreadyExists`, `malformed` for a wrong CRC, `unsafeName`, `changedWhileRead`, `system`, `cancelled`.
  func extract(
    into directory: String, as name: String? = nil, ignoringUmask: Bool = false, durable: Bool = false,
    isCancelled: () -> Bool = { false }
  ) throws(FolderArchiveError) {
    let name = name ?? self.name
    let path = FolderEntryPath(name.utf8)
    guard path.depth == 1 else { throw FolderArchiveError(.unsafeName, "the folder's name is a path", path: path) }
    try path.validate(.init())
    let parent = try OwnedDescriptor.open(folder: directory)
    let extraction = FolderExtraction(
      archive: archive.raw, members: members, ignoresUmask: ignoringUmask, isDurable: durable)
    try extraction.run(in: parent, as: name, isCancelled)
  }
}
