// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The entries of a folder in the order of a walk: each folder before its content, names by their bytes.
struct FolderTree: Sendable {
  struct Node: Sendable {
    let path: FolderEntryPath
    let status: FileStatus
  }

  private(set) var nodes: [Node] = []
  private(set) var contentBytes: Int64 = 0
  private var pathBytes: Int64 = 0
  private let limits: FolderArchive.Limits

  /// Lists an open folder; `name` is its name in the archive.
  init(
    _ root: borrowing OwnedDescriptor, name: String, limits: FolderArchive.Limits, isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    self.limits = limits
    let path = FolderEntryPath(name.utf8)
    // A name with a slash would count as several names.
    guard path.depth == 1 else { throw FolderArchiveError(.unsafeName, "the folder's name is a path", path: path) }
    try add(path, try root.status(for: path))
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
      // The limit of half the range prevents an overflow when the sizes of headers are added.
      guard !overflow, sum <= min(limits.contentBytes, .max / 2) else {
        throw FolderArchiveError(.limitExceeded, "the files are larger than \(limits.contentBytes) bytes", path: path)
      }
      contentBytes = sum
    }
    nodes.append(Node(path: path, status: status))
  }

  /// The limit on paths bounds the recursion.
  private mutating func list(
    _ folder: borrowing OwnedDescriptor, _ path: FolderEntryPath, _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) {
    for name in try folder.names(for: path, atMost: limits.entries - nodes.count, isCancelled) {
      try checkCancellation(isCancelled)
      let inside = path.appending(name)
      // The check precedes system calls: a name that is not UTF-8 would change as a `String`.
      try inside.validate(limits)
      let directory = folder.raw
      let status = try FolderArchiveError.wrapping(inside) { () throws(SystemError) in
        try SystemCalls.statusAt(directory, inside.name, AT_SYMLINK_NOFOLLOW)
      }
      switch status.kind {
      case .regular: try add(inside, status)
      case .directory:
        let opened = try folder.folder(inside.name, for: inside)
        try add(inside, try opened.status(for: inside))
        try list(opened, inside, isCancelled)
      case .symbolicLink, .pipe, .socket, .characterDevice, .blockDevice:
        throw FolderArchiveError(.specialFile, "a folder with a \(status.kind) cannot be sent", path: inside)
      }
    }
  }
}
