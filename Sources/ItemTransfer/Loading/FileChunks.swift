// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import Glibc

/// A sequence of the chunks of a file.
///
/// The sequence fails at its end if the file was modified since it was opened.
struct FileChunks: AsyncSequence, Sendable {
  let file: SentTransferredFile

  func makeAsyncIterator() -> Iterator { Iterator(source: .closed(path: file.file.path, owner: file.owner)) }

  struct Iterator: AsyncIteratorProtocol {
    enum Source: Sendable {
      /// The owner keeps the file accessible until it is open.
      case closed(path: String, owner: (any AnyObject & Sendable)?)
      case open(OpenFile)

      func opened() throws(FileError) -> OpenFile {
        switch self {
        case .open(let file): return file
        case .closed(let path, let owner):
          defer { withExtendedLifetime(owner) {} }
          return try OpenFile(LocalFile.open(path))
        }
      }
    }

    var source: Source
    /// The number of bytes of a skipped hole that are not returned as zeros yet.
    private var zeros: UInt64 = 0

    init(source: Source) {
      self.source = source
    }

    mutating func next() async throws -> Data? {
      if zeros == 0 {
        let (file, hole, chunk) = try await runBlocking { [source] in
          var file = try source.opened()
          let hole = try file.skipHole()
          let chunk = hole > 0 ? nil : try file.read()
          return (file, hole, chunk)
        }
        source = .open(file)
        if let chunk { return chunk.isEmpty ? nil : chunk }
        zeros = hole
      }
      let chunk = ZeroBytes.chunk(of: zeros)
      zeros -= UInt64(chunk.count)
      return chunk
    }

    struct OpenFile: Sendable {
      private let file: LocalFile
      private let before: FileStatus
      private var position: UInt64 = 0
      private var holes: FileHoles

      init(_ file: LocalFile) throws(FileError) {
        self.file = file
        before = try file.status()
        holes = FileHoles(size: UInt64(before.statedSize ?? 0))
      }

      /// Skips the hole at the current position.
      ///
      /// - Returns: The length of the hole in bytes; 0 if there is none.
      mutating func skipHole() throws(FileError) -> UInt64 {
        let found = try holes.length(at: position) { (offset, target) throws(FileError) in
          try file.seek(offset, target)
        }
        guard let length = found else { return 0 }
        position += length
        try file.seek(to: position)
        return length
      }

      /// Reads a chunk that does not extend into the next hole.
      ///
      /// - Returns: The chunk; empty at the end of an unmodified file.
      mutating func read() throws -> Data {
        let rest = holes.dataLength(at: position)
        let chunk = try file.read(upTo: Int(Swift.min(UInt64(LocalFile.chunkLength), rest)))
        position += UInt64(chunk.count)
        if chunk.isEmpty, try file.hasChanged(since: before) { throw FileChangedError(path: file.path) }
        return chunk
      }
    }
  }
}

/// Zero bytes in memory that the chunks of all holes share.
///
/// Code recognizes such a chunk by its address, without reading its bytes.
package enum ZeroBytes {
  /// The maximum length of a chunk, in bytes.
  package static let maximumCount = 4 << 20

  /// Memory that is never written, so that the system can back all of it with one page of zeros.
  private nonisolated(unsafe) static let memory: UnsafeMutableRawPointer = {
    guard let memory = calloc(1, maximumCount) else { fatalError("no memory for \(maximumCount) bytes") }
    return memory
  }()

  /// Returns a chunk of `count` zeros, or of ``maximumCount`` zeros if `count` is larger.
  package static func chunk(of count: UInt64) -> Data {
    Data(bytesNoCopy: memory, count: Int(min(count, UInt64(maximumCount))), deallocator: .none)
  }

  fileprivate static func contain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    return start >= memory && start + bytes.count <= memory + maximumCount
  }
}

extension Data {
  /// Whether the chunk came from ``ZeroBytes``.
  package var isOfHole: Bool { withUnsafeBytes { ZeroBytes.contain($0) } }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes should be written as a hole: at least 4096 bytes that are all zero.
  package var isHole: Bool {
    // Skipping a shorter run takes longer than writing it. All bytes are zero if the first is, and each equals its
    // predecessor.
    guard count >= 4096, let start = baseAddress, self[0] == 0 else { return false }
    return ZeroBytes.contain(self) || memcmp(start, start + 1, count - 1) == 0
  }
}
