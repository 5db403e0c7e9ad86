// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import UniformTypes

/// The content of folders: a stored zip archive of the tree.
enum FolderContent {
  /// Returns the archive of a folder; returns other content unchanged.
  ///
  /// The archive is in a temporary file, which is removed with its last reader.
  ///
  /// - Parameters:
  ///   - content: A file, a folder or other content. Content from another process is an archive already.
  ///   - type: The type of the content. Only a type that conforms to `directory` can be a folder.
  /// - Returns: Content that consists of bytes.
  /// - Throws: `FolderArchiveError`, for example for a symbolic link inside; `FileError`; `CancellationError`.
  static func packed(_ content: ItemContent, of type: UTType) async throws -> ItemContent {
    guard case .file(let sent) = content, type.conforms(to: .directory) else { return content }
    let archive = try await runInterruptibly { interruption -> ItemContent? in
      guard case .folder = try LocalFile.open(sent.file.path).kind() else { return nil }
      return try Self.archive(of: sent.file.path) { interruption.isRaised }
    }
    return archive ?? content
  }

  /// Returns the archive of a folder, as ``packed(_:of:)`` does.
  ///
  /// Blocks.
  static func archive(of folder: String, isCancelled: () -> Bool) throws -> ItemContent {
    let archive = try TemporaryArchive(in: .standard)
    let writer = try FolderArchiveWriter(folder: folder, isCancelled: isCancelled)
    try writer.write(isCancelled: isCancelled) { try archive.output.write($0) }
    return .stream(ArchiveChunks(archive: archive))
  }

  /// Extracts a folder.
  ///
  /// An error leaves nothing behind.
  ///
  /// - Parameters:
  ///   - bytes: The archive.
  ///   - url: The folder to create, in an existing directory.
  ///   - progress: Enters the phase `verifying` when all bytes have arrived.
  /// - Throws: `FolderArchiveError` for bytes that are not an archive of a folder, are unsafe or exceed a limit; the
  ///   errors of `bytes`; `FileError`; `CancellationError`.
  static func unpack(_ bytes: ItemByteStream, to url: URL, progress: ItemProgress) async throws {
    let parent = url.deletingLastPathComponent()
    let archive = try await runBlocking { try TemporaryArchive(in: TemporaryLocation(hiddenIn: parent)) }
    for try await chunk in bytes { try await runBlocking { try archive.output.write(chunk) } }
    progress.enter(.verifying)
    try await runInterruptibly { interruption in
      let isCancelled = { interruption.isRaised }
      let reader = try FolderArchiveReader(path: archive.path, isCancelled: isCancelled)
      try reader.extract(into: parent.path, as: url.lastPathComponent, isCancelled: isCancelled)
    }
  }
}

/// A private file for an archive, removed with the last reference.
private final class TemporaryArchive: Sendable {
  let output: LocalFile
  private let file: TransientFile

  var path: String { file.path }

  init(in place: TemporaryLocation) throws(FileError) {
    let descriptor: CInt
    (file, descriptor) = try place.makeFile()
    output = LocalFile(OwnedDescriptor(descriptor), path: file.path)
  }
}

/// The chunks of an archive, which exists until they are read.
private struct ArchiveChunks: AsyncSequence, Sendable {
  let archive: TemporaryArchive

  func makeAsyncIterator() -> Iterator { Iterator(archive: archive) }

  struct Iterator: AsyncIteratorProtocol {
    let archive: TemporaryArchive
    var file: LocalFile?

    mutating func next() async throws -> Data? {
      let (opened, chunk) = try await runBlocking { [archive, file] in
        let opened = if let file { file } else { try LocalFile.open(archive.path) }
        return (opened, try opened.read())
      }
      file = opened
      return chunk.isEmpty ? nil : chunk
    }
  }
}
