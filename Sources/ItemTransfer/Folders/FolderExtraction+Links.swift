// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

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
