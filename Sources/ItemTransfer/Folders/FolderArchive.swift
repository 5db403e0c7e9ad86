// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What writers and readers of folder archives have in common: a folder's tree as a stored (not compressed) zip.
enum FolderArchive {
  /// How much content is held at a time, and the longest stretch of work between two looks at a cancellation.
  static let chunkSize = 256 << 10

  /// What an archive may ask for; held against every number before memory is reserved for it.
  ///
  /// The same for both directions, so that whatever is written with the defaults can be read with them.
  struct Limits: Sendable, Hashable {
    /// Files and folders, the top one and those that only the paths of others name included.
    var entries = 65_536
    /// Bytes of all files together.
    var contentBytes: Int64 = 64 << 30
    /// Bytes of one name.
    var nameBytes = 255
    /// Names in a path.
    var depth = 64
    /// Bytes of a path, from the top folder's name on.
    var pathBytes = 4096
    /// Bytes of the central directory, and of all paths together.
    var directoryBytes: Int64 = 64 << 20
  }
}
