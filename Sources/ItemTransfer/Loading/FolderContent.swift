// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Synchronization
internal import UniformTypes

/// The content of folders: a tar stream of the tree.
enum FolderContent {
  /// Whether a folder of a type becomes an archive.
  static func mayHold(_ type: UTType) -> Bool { type.conforms(to: .directory) || type == .tarArchive }

  /// Returns the archive of a folder; returns other content unchanged.
  ///
  /// The folder is read while the archive is read.
  ///
  /// - Parameters:
  ///   - content: A file, a folder or other content. A folder from another process is an archive already.
  ///   - type: The type of the content. A folder of a type that does not conform to `directory`, other than
  ///     `tarArchive`, is returned unchanged.
  /// - Returns: The archive or `content`. Reading the archive throws `fileUnavailable`, for example for a pipe inside.
  /// - Throws: `FileError` if the file or folder cannot be opened.
  static func packed(_ content: ItemContent, of type: UTType) async throws -> ItemContent {
    guard case .file(let sent) = content, mayHold(type) else { return content }
    let isFolder = try await runBlocking {
      guard case .folder = try LocalFile.open(sent.file.path).kind() else { return false }
      return true
    }
    return isFolder ? .stream(FolderChunks(source: FolderSource(sent), type: type)) : content
  }

  /// Returns the archive of a folder in a temporary file, which is removed with its last reader.
  ///
  /// Blocks.
  static func archive(of folder: SentTransferredFile, isCancelled: () -> Bool) throws -> ItemContent {
    let (file, descriptor) = try TemporaryLocation.standard.makeFile()
    let output = LocalFile(OwnedDescriptor(descriptor), path: file.path)
    let writer = try FolderArchiveWriter(folder: folder.file.path, options: folder.folderOptions)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FolderArchive.chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try writer.fill(buffer), count > 0 {
      if isCancelled() { throw CancellationError() }
      try output.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    let archive = SentTransferredFile(
      URL(filePath: file.path, directoryHint: .notDirectory), allowAccessingOriginalFile: false, keepingAlive: file)
    return .stream(FileChunks(file: archive))
  }

  /// Creates a folder from its archive.
  ///
  /// After an error, no part of the folder remains.
  ///
  /// - Parameters:
  ///   - bytes: The archive.
  ///   - url: The folder to create, in an existing directory.
  ///   - progress: Enters the phase `verifying` when all bytes have arrived.
  /// - Throws: `FolderArchiveError` for bytes that are not an archive of a folder, are unsafe or exceed a limit; the
  ///   errors of `bytes`; `FileError`; `CancellationError`.
  static func unpack(_ bytes: ItemByteStream, to url: URL, progress: ItemProgress) async throws {
    try await withTaskExecutorPreference(BlockingExecutor.shared) {
      let parent = try OwnedDescriptor.open(folder: url.deletingLastPathComponent().path)
      let unpacker = try FolderUnpacker(into: parent.raw, as: url.lastPathComponent)
      do {
        for try await chunk in bytes { try chunk.withUnsafeBytes { try unpacker.append($0) } }
        progress.enter(.verifying)
        try Task.checkCancellation()
        try unpacker.finish()
      } catch {
        unpacker.discard()
        throw error
      }
    }
  }
}

/// A reader of a folder.
private final class FolderSource: Sendable {
  /// The folder, with an owner that keeps it accessible.
  private let sent: SentTransferredFile
  private let writer = Lock<FolderArchiveWriter?>(nil)

  init(_ sent: SentTransferredFile) {
    self.sent = sent
  }

  func next() async throws -> Data? {
    try await runBlocking {
      try writer.withLock { shared in
        let writer = try shared ?? FolderArchiveWriter(folder: sent.file.path, options: sent.folderOptions)
        shared = writer
        var chunk = Data(count: FolderArchive.chunkSize)
        let count = try chunk.withUnsafeMutableBytes { try writer.fill($0) }
        return count == 0 ? nil : count == chunk.count ? chunk : chunk.prefix(count)
      }
    }
  }
}

/// The chunks of a folder's archive, produced on request.
private struct FolderChunks: AsyncSequence, Sendable {
  let source: FolderSource
  let type: UTType

  func makeAsyncIterator() -> Iterator { Iterator(source: source, type: type) }

  struct Iterator: AsyncIteratorProtocol {
    let source: FolderSource
    let type: UTType

    mutating func next() async throws -> Data? {
      do { return try await source.next() } catch {
        throw ItemProviderError(caught: error, contentType: type, as: .fileUnavailable)
      }
    }
  }
}
