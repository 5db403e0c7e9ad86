// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// What is in a folder, in the order of a walk: each folder before its content, names by their bytes.
struct FolderTree: Sendable {
  struct Node: Sendable {
    let path: FolderEntryPath
    let status: FileStatus
  }

  private(set) var nodes: [Node] = []
  private(set) var contentBytes: Int64 = 0
  private var pathBytes: Int64 = 0
  private let limits: FolderArchive.Limits

  /// Lists the folder that `root` is open on; `name` is what it is called in the archive.
  init(
    _ root: borrowing FolderDescriptor, name: String, limits: FolderArchive.Limits, isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    self.limits = limits
    let path = FolderEntryPath(name.utf8)
    // Of a name with a slash the path would be several names.
    guard path.depth == 1 else { throw FolderArchiveError(.unsafeName, "the folder's name is a path", path: path) }
    try add(path, try FolderCalls.status(root.raw, path: path))
    try list(root, path, isCancelled)
  }

  private mutating func add(_ path: FolderEntryPath, _ status: FileStatus) throws(FolderArchiveError) {
    try path.validate(limits)
    pathBytes += Int64(path.bytes.count)
    guard nodes.count < limits.entries, pathBytes <= limits.directoryBytes else {
      throw FolderArchiveError(.limitExceeded, "there are too many files and folders", path: path)
    }
    if status.kind == .regular {
      let (sum, overflow) = contentBytes.addingReportingOverflow(status.size)
      // Half of all numbers at most, so that no sum with the headers of an archive can overflow.
      guard !overflow, sum <= min(limits.contentBytes, .max / 2) else {
        throw FolderArchiveError(.limitExceeded, "the files are larger than \(limits.contentBytes) bytes", path: path)
      }
      contentBytes = sum
    }
    nodes.append(Node(path: path, status: status))
  }

  /// As deep as the limits of a path let it call itself.
  private mutating func list(
    _ folder: borrowing FolderDescriptor, _ path: FolderEntryPath, _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    for name in try folder.names(path: path, atMost: limits.entries - nodes.count, isCancelled) {
      try checkCancellation(isCancelled)
      let inside = path.appending(name)
      // Before anything is asked of the system about it: a name that is not UTF-8 would be another as a `String`.
      try inside.validate(limits)
      let status = try FolderCalls.statusAt(folder.raw, inside.name, path: inside)
      switch status.kind {
      case .regular: try add(inside, status)
      case .directory:
        let opened = try folder.folder(inside.name, path: inside)
        try add(inside, try FolderCalls.status(opened.raw, path: inside))
        try list(opened, inside, isCancelled)
      case .symbolicLink, .pipe, .socket, .characterDevice, .blockDevice:
        throw FolderArchiveError(.specialFile, "a folder with a \(status.kind) cannot be handed over", path: inside)
      }
    }
  }
}

extension FolderDescriptor {
  /// The names in the folder, sorted by their bytes.
  borrowing func names(
    path: FolderEntryPath?, atMost limit: Int, startingWith prefix: [UInt8] = [], _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) -> [[UInt8]] {
    // A description of its own: the one of `raw` would stay where the reading has ended.
    let listed = try FolderCalls.openAt(raw, ".", O_RDONLY | O_DIRECTORY, path: path)
    guard let stream = fdopendir(listed) else {
      let code = errno
      _ = Glibc.close(listed)
      throw .system(code, in: "fdopendir", path: path)
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      try checkCancellation(isCancelled)
      errno = 0
      guard let entry = readdir(stream) else { break }
      guard let field = entry.pointer(to: \.d_name) else { break }
      let text = UnsafeRawPointer(field)
      let length = strlen(text.assumingMemoryBound(to: CChar.self))
      let bytes = UnsafeRawBufferPointer(start: text, count: length)
      guard bytes.starts(with: prefix) else { continue }
      let name = [UInt8](bytes)
      if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { continue }
      guard names.count < limit else {
        throw FolderArchiveError(.limitExceeded, "there are too many files and folders", path: path)
      }
      names.append(name)
    }
    if errno != 0 { throw .system(errno, in: "readdir", path: path) }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
