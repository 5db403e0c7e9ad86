// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import UniformTypes

/// Folders travel as a stored zip archive of their tree, whose bytes are those of the representation.
enum FolderContent {
  /// The archive of a folder; anything else as it is.
  ///
  /// The archive is made in a temporary file, which is removed when nobody reads it any more.
  ///
  /// - Parameters:
  ///   - content: A file that is a folder, or not; what has come from another process is an archive already.
  ///   - type: What it is; only what conforms to a directory can be a folder.
  /// - Returns: Content that is bytes.
  /// - Throws: `FolderArchiveError`, such as for a symbolic link inside; `FileError`; `CancellationError`.
  static func packed(_ content: ItemContent, of type: UTType) async throws -> ItemContent {
    guard case .file(let sent) = content, type.conforms(to: .directory) else { return content }
    let archive = try await runInterruptibly { interruption -> ItemContent? in
      guard case .folder = try LocalFile.open(sent.file.path).kind() else { return nil }
      return try Self.archive(of: sent.file.path) { interruption.isRaised }
    }
    return archive ?? content
  }

  /// The archive of a folder, as ``packed(_:of:)`` makes it; blocks.
  static func archive(of folder: String, isCancelled: () -> Bool) throws -> ItemContent {
    let archive = try TemporaryArchive(in: .standard)
    let writer = try FolderArchiveWriter(folder: folder, isCancelled: isCancelled)
    try writer.write(isCancelled: isCancelled) { try archive.output.write($0) }
    return .stream(ArchiveChunks(archive: archive))
  }

  /// Makes the folder again.
  ///
  /// - Parameters:
  ///   - bytes: The archive.
  ///   - url: The folder to make, in a directory that exists.
  ///   - progress: Told when everything has come and is being verified.
  /// - Throws: `FolderArchiveError` for what is no archive of a folder, or one that is unsafe or too large; the errors
  ///   of `bytes`; `FileError`; `CancellationError`. Nothing is left then.
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

/// A file that nobody else sees and that goes with the last reference, and how to write to it.
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

/// An archive as it is read, kept until then.
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
