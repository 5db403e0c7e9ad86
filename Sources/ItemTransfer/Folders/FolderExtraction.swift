// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// A new folder that the members of an archive fill.
///
/// Every entry is created by name in an open folder, never through a symbolic link. Symbolic links are created last, so
/// that no member can be below one. A folder gets its time when the extraction leaves it, and access is denied last.
///
/// ```
/// mkdir · open · (create · write · time · close)… · time    each folder
/// links · permissions without access, deepest first         at the end
/// ```
final class FolderExtraction: TarSink {
  /// A folder that later members may still fill.
  private struct Level {
    /// The length of its path below the top folder.
    let length: Int
    /// Its status when it was opened, which identifies it; `nil` for the top folder, which stays open.
    var status: FileStatus?
    var modified: FileTime?
  }

  let options: FolderUnpacker.Options
  let limits: FolderArchive.Limits
  let top: OwnedDescriptor
  private var topName: [UInt8] = []
  /// The folders from the top folder to the current folder.
  private var levels: [Level] = []
  private var path: [UInt8] = []
  /// The current folder; `nil` for the top folder.
  private var folder: OwnedDescriptor?
  private var member: TarMember?
  private var file: OwnedDescriptor?
  /// The offset of the open file.
  private var position: Int64 = 0
  private var entries = 0
  /// The folders that only paths imply.
  ///
  /// The archive may have entries for them later.
  private var implied: Set<[UInt8]> = []
  var links = LinkTable()
  /// The folders whose permissions in the archive deny their owner to read, write or search.
  private var closed: [(path: [UInt8], permissions: UInt32)] = []
  private var tableBytes = 0

  /// Starts with a new empty folder.
  init(
    _ top: consuming OwnedDescriptor, _ options: FolderUnpacker.Options, _ limits: FolderArchive.Limits = .init()
  ) {
    self.top = top
    self.options = options
    self.limits = limits
    levels = [Level(length: 0)]
    // The archive may have an entry for the top folder, and may begin without one.
    implied = [[]]
  }

  var current: CInt {
    switch folder {
    case .some(let folder): folder.raw
    case .none: top.raw
    }
  }

  // MARK: Members

  func begin(_ member: TarMember) throws(FolderArchiveError) {
    if self.member == nil { topName = member.path.bytes.prefix { $0 != FolderEntryPath.separator } }
    self.member = member
    guard member.path.depth > 1 || member.kind == .folder else {
      throw FolderArchiveError(.malformed, "the entry at the top of the archive is not a folder", path: member.path)
    }
    if member.kind == .folder { return try makeFolder(member, member.path.belowTop) }
    try enter(member.path.parentBelowTop, isParent: true)
    try count(member.path)
    switch member.kind {
    case .file: try makeFile(member)
    case .symbolicLink: try addLink(member)
    case .hardLink:
      // The first name may be a symbolic link, which does not exist yet.
      if try !makeHardLink(member, isLast: false) { try keep(member) }
    case .folder: break
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FolderArchiveError) {
    guard let descriptor = file?.raw, !bytes.isHole else { return }
    let isElsewhere = offset != position
    try wrapping { () throws(SystemError) in
      if isElsewhere { _ = try SystemCalls.seek(descriptor, offset, SEEK_SET) }
      try SystemCalls.writeAll(descriptor, bytes)
    }
    position = offset + Int64(bytes.count)
  }

  func end() throws(FolderArchiveError) {
    guard let member, let file = file.take() else { return }
    let (position, options) = (position, options)
    do throws(SystemError) {
      if position < member.size { try SystemCalls.truncate(file.raw, member.size) }
      if options.setsOwners { try SystemCalls.changeOwner(file.raw, member.owner, member.group) }
      if options.ignoresUmask { try SystemCalls.changeMode(file.raw, member.permissions) }
      try Self.setAttributes(of: member, file.raw, options)
      if let modified = member.modified { try SystemCalls.changeTime(file.raw, modified) }
      if options.isDurable { try SystemCalls.sync(file.raw) }
      try file.close()
    } catch {
      throw FolderArchiveError(error, for: member.path)
    }
  }

  /// Creates the links, and sets the remaining attributes of folders.
  func finish() throws(FolderArchiveError) {
    guard member != nil else { throw FolderArchiveError(.malformed, "there is no folder in the archive") }
    // Links have their final targets only once all files and folders exist.
    let links = links
    try links.readAll { (link) throws(FolderArchiveError) in
      member = link
      try enter(link.path.parentBelowTop, isParent: false)
      if link.kind == .symbolicLink { try makeSymbolicLink(link) } else { _ = try makeHardLink(link, isLast: true) }
    }
    while !levels.isEmpty { try leave() }
    for (path, permissions) in closed.sorted(by: { $1.path.lexicographicallyPrecedes($0.path) }) {
      let opened = try top.folder(beneath: path[...], for: FolderEntryPath(path))
      let (raw, options) = (opened.raw, options)
      try wrapping { () throws(SystemError) in
        // The folder has the archive's permissions less the umask, which no thread-safe call returns.
        let mode = options.ignoresUmask ? permissions : try SystemCalls.status(raw).permissions & permissions
        try SystemCalls.changeMode(raw, mode)
        if options.isDurable { try SystemCalls.syncOpenDirectory(raw) }
      }
    }
  }

  // MARK: Folders

  private func makeFolder(_ member: TarMember, _ below: ArraySlice<UInt8>) throws(FolderArchiveError) {
    let isImplied = implied.remove(Array(below)) != nil
    if isImplied {
      try enter(below, isParent: false)
    } else {
      guard !below.isEmpty else { throw taken(member.path, SystemError(EEXIST, in: "mkdirat")) }
      try enter(member.path.parentBelowTop, isParent: true)
      try makeFolder(member.path, member.permissions)
    }
    let (raw, options) = (current, options)
    try wrapping { () throws(SystemError) in
      if options.setsOwners { try SystemCalls.changeOwner(raw, member.owner, member.group) }
      if options.ignoresUmask {
        try SystemCalls.changeMode(raw, member.permissions | 0o700)
      } else if isImplied {
        try SystemCalls.changeMode(raw, try SystemCalls.status(raw).permissions & member.permissions | 0o700)
      }
      try Self.setAttributes(of: member, raw, options)
    }
    levels[levels.count - 1].modified = member.modified
    if member.permissions & 0o700 != 0o700 {
      try count(bytes: below.count, member.path)
      closed.append((Array(below), member.permissions))
    }
  }

  /// Creates a folder in the current folder, and makes it the current folder.
  ///
  /// Its owner has access until the end.
  private func makeFolder(
    _ path: FolderEntryPath, _ permissions: UInt32
  ) throws(FolderArchiveError) {
    try count(path)
    let (directory, name) = (current, path.name)
    try mapError(SystemCalls.makeDirectoryAt(directory, name, permissions & 0o777 | 0o700)) { taken(path, $0) }
    let opened = try OwnedDescriptor.open(folder: name, in: directory, for: path)
    let status = try opened.status(for: path)
    folder = consume opened
    self.path = Array(path.belowTop)
    levels.append(Level(length: self.path.count, status: status))
  }

  /// Makes a folder the current folder.
  ///
  /// - Parameters:
  ///   - below: Its path below the top folder.
  ///   - isParent: Whether to create it and the folders above it, if they do not exist.
  /// - Throws: `malformed` if a path above leads through a file; `limitExceeded`, `system`.
  private func enter(_ below: ArraySlice<UInt8>, isParent: Bool) throws(FolderArchiveError) {
    if below.elementsEqual(path) { return }
    while !Self.isPrefix(path, of: below) { try leave() }
    while path.count < below.count {
      let start = path.isEmpty ? below.startIndex : below.startIndex + path.count + 1
      let end = below[start...].firstIndex(of: FolderEntryPath.separator) ?? below.endIndex
      let entry = FolderEntryPath(topName).appending(below[..<end])
      do throws(FolderArchiveError) {
        let opened = try OwnedDescriptor.open(folder: entry.name, in: current, for: entry)
        let status = try opened.status(for: entry)
        folder = consume opened
        path = Array(below[..<end])
        // New entries change the modification time, which is already restored.
        levels.append(Level(length: path.count, status: status, modified: status.modificationTime))
      } catch {
        switch error.errorNumber {
        case ENOENT where isParent:
          try makeFolder(entry, 0o777)
          try count(bytes: path.count, entry)
          implied.insert(path)
        case ENOTDIR, ELOOP:
          throw FolderArchiveError(.malformed, "\(entry), which is above it, is not a folder", path: member?.path)
        default: throw error
        }
      }
    }
  }

  /// Sets the time of the current folder, and returns to the folder above it.
  private func leave() throws(FolderArchiveError) {
    guard let level = levels.popLast() else { return }
    let (raw, options) = (current, options)
    try wrapping { () throws(SystemError) in
      if let modified = level.modified { try SystemCalls.changeTime(raw, modified) }
      if options.isDurable { try SystemCalls.syncOpenDirectory(raw) }
    }
    path.removeSubrange((levels.last?.length ?? 0)...)
    guard let status = levels.last?.status else {
      folder = nil
      return
    }
    // The folder above is opened from here, which takes the same time at any depth.
    let opened = try OwnedDescriptor.open(folder: "..", in: raw, for: member?.path)
    guard try opened.status(for: member?.path).isSameFile(as: status) else {
      throw FolderArchiveError(.changedWhileRead, "a folder was moved while it was extracted", path: member?.path)
    }
    folder = consume opened
  }

  private static func isPrefix(_ folder: [UInt8], of path: ArraySlice<UInt8>) -> Bool {
    guard !folder.isEmpty, folder.count < path.count else { return folder.isEmpty || folder.elementsEqual(path) }
    return path[path.startIndex + folder.count] == FolderEntryPath.separator && path.starts(with: folder)
  }

  // MARK: Files

  private func makeFile(_ member: TarMember) throws(FolderArchiveError) {
    position = 0
    let (directory, flags) = (current, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    file = try mapError(OwnedDescriptor.openAt(directory, member.path.name, flags, member.permissions & 0o777)) {
      taken(member.path, $0)
    }
  }

  // MARK: Helpers

  private static func setAttributes(
    of member: TarMember, _ raw: CInt, _ options: FolderUnpacker.Options
  ) throws(SystemError) {
    guard options.setsAttributes else { return }
    for attribute in member.attributes where attribute.name.hasPrefix(FolderArchive.attributePrefix) {
      try SystemCalls.setAttribute(raw, attribute.name, attribute.value)
    }
  }

  func taken(_ path: FolderEntryPath, _ error: SystemError) -> FolderArchiveError {
    guard error.errorNumber == EEXIST else { return FolderArchiveError(error, for: path) }
    return FolderArchiveError(
      .malformed, "two entries have this name, or names that the file system does not distinguish", path: path)
  }

  private func count(_ path: FolderEntryPath) throws(FolderArchiveError) {
    entries += 1
    guard entries <= limits.entries else { throw FolderArchive.tooManyEntries(path) }
  }

  func count(bytes: Int, _ path: FolderEntryPath) throws(FolderArchiveError) {
    tableBytes += bytes + 64
    guard tableBytes <= limits.tableBytes else { throw FolderArchive.tooManyEntries(path) }
  }

  private func wrapping(_ calls: () throws(SystemError) -> Void) throws(FolderArchiveError) {
    try mapError(calls()) { FolderArchiveError($0, for: member?.path) }
  }
}

/// Symbolic and hard links.
extension FolderExtraction {
  /// Gives an earlier file of the archive another name.
  ///
  /// - Returns: False if there is no such file yet; with `isLast`, an error is thrown instead.
  func makeHardLink(_ member: TarMember, isLast: Bool) throws(FolderArchiveError) -> Bool {
    let target = FolderEntryPath(member.target)
    do throws(FolderArchiveError) {
      let parent = try top.folder(beneath: target.parentBelowTop, for: member.path)
      let (raw, directory) = (parent.raw, current)
      do throws(SystemError) {
        let kind = try SystemCalls.statusAt(raw, target.name, AT_SYMLINK_NOFOLLOW).kind
        guard kind == .regular || isLast && kind == .symbolicLink else {
          throw SystemError(kind == .symbolicLink ? ENOENT : EISDIR, in: "linkat")
        }
        try SystemCalls.linkAt(raw, target.name, directory, member.path.name)
        return true
      } catch {
        throw taken(member.path, error)
      }
    } catch {
      switch error.errorNumber {
      case ENOENT where !isLast: return false
      case ENOENT, ENOTDIR, ELOOP, EISDIR:
        throw FolderArchiveError(
          .malformed, "it is a link to \(target), which is not a file of the archive before it",
          path: member.path)
      default: throw error
      }
    }
  }

  func keep(_ link: TarMember) throws(FolderArchiveError) {
    try count(bytes: links.append(link), link.path)
  }

  /// Checks a symbolic link, and keeps it for the end.
  func addLink(_ link: TarMember) throws(FolderArchiveError) {
    guard !link.target.isEmpty, link.target.count < limits.pathBytes, !link.target.contains(0),
      String(validating: link.target, as: UTF8.self) != nil
    else { throw FolderArchiveError(.unsafeName, "the text of the link is not a path", path: link.path) }
    if !options.allowsAllLinks, !staysInside(link, { _ in true }) { throw leaving(link) }
    try keep(link)
  }

  func makeSymbolicLink(_ link: TarMember) throws(FolderArchiveError) {
    let (directory, name, options) = (current, link.path.name, options)
    // Each name before a `..` must be a folder, since a symbolic link would lead somewhere else.
    let isInside =
      options.allowsAllLinks || staysInside(link) { path in (try? top.folder(beneath: path, for: nil)) != nil }
    guard isInside else { throw leaving(link) }
    do throws(SystemError) {
      try SystemCalls.symbolicLinkAt(String(decoding: link.target, as: UTF8.self), directory, name)
      if options.setsOwners { try SystemCalls.changeOwnerAt(directory, name, link.owner, link.group) }
      if let time = link.modified { try SystemCalls.changeTimeAt(directory, name, time) }
    } catch {
      throw taken(link.path, error)
    }
  }

  /// Returns whether a link stays in the top folder.
  ///
  /// Each name of the link's target before a `..` must be a folder. `isFolder` is called with the path of that folder
  /// below the top folder.
  private func staysInside(_ link: TarMember, _ isFolder: (ArraySlice<UInt8>) -> Bool) -> Bool {
    let separator = FolderEntryPath.separator
    guard link.target.first != separator else { return false }
    var names = link.path.belowTop.split(separator: separator).dropLast()
    var isBelowName = false
    for name in link.target.split(separator: separator) where !name.elementsEqual(".".utf8) {
      guard name.elementsEqual("..".utf8) else {
        names.append(name)
        isBelowName = true
        continue
      }
      if isBelowName, !isFolder(Array(names.joined(separator: [separator]))[...]) { return false }
      guard names.popLast() != nil else { return false }
    }
    return true
  }

  private func leaving(_ link: TarMember) -> FolderArchiveError {
    let target = String(escapingForDisplay: link.target)
    return FolderArchiveError(.unsafeName, "the link leads to \"\(target)\", outside the folder", path: link.path)
  }
}

/// Links to create at the end, in little memory.
struct LinkTable {
  private var bytes: [UInt8] = []

  /// Appends a link, and returns the number of its bytes.
  mutating func append(_ link: TarMember) -> Int {
    let start = bytes.count
    func add(_ number: Int64) { withUnsafeBytes(of: number) { bytes += $0 } }
    add(Int64(link.path.bytes.count))
    add(Int64(link.target.count))
    add(link.modified?.seconds ?? 0)
    add(Int64(link.modified?.nanoseconds ?? 0))
    add(Int64(link.owner) << 32 | Int64(link.group))
    bytes.append(link.kind == .symbolicLink ? 1 : 0)
    bytes += link.path.bytes
    bytes += link.target
    return bytes.count - start
  }

  func readAll(_ body: (TarMember) throws(FolderArchiveError) -> Void) throws(FolderArchiveError) {
    var offset = 0
    func next() -> Int64 {
      defer { offset += 8 }
      return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Int64.self) }
    }
    while offset < bytes.count {
      let (pathCount, targetCount) = (Int(next()), Int(next()))
      let modified = FileTime(seconds: next(), nanoseconds: UInt32(next()))
      let owners = next()
      let kind = bytes[offset] == 1 ? TarMember.Kind.symbolicLink : .hardLink
      let path = bytes[(offset + 1)...].prefix(pathCount)
      var link = TarMember(path: FolderEntryPath(path), kind: kind)
      link.modified = modified
      link.owner = UInt32(truncatingIfNeeded: owners >> 32)
      link.group = UInt32(truncatingIfNeeded: owners)
      link.target = Array(bytes[path.endIndex..<(path.endIndex + targetCount)])
      offset = path.endIndex + targetCount
      try body(link)
    }
  }
}
