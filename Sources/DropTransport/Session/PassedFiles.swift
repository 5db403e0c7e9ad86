// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// A shared descriptor that is closed with its last reference.
final class SharedDescriptor: Sendable {
  private let owned: OwnedDescriptor

  init(_ owned: consuming OwnedDescriptor) {
    self.owned = owned
  }

  var raw: CInt { owned.raw }
}

/// Responses with an open file in place of bytes.
extension SessionServing {
  /// The minimum length of sealed memory in bytes.
  ///
  /// Shorter data is faster in a frame.
  static let minimumMemoryLength = 1 << 20

  /// Returns the frame with a descriptor, if the peer accepts it and the source allows it.
  ///
  /// - Returns: The frame; `nil` if the caller must send bytes.
  func descriptorFrame(_ content: ItemContent) async -> OutgoingFrame? {
    // A part of a file is sent as bytes.
    guard request.range == nil, !request.accepts.isEmpty else { return nil }
    switch content {
    case .data(let data):
      guard data.count >= Self.minimumMemoryLength, request.accepts.contains(.sealedMemory) else { return nil }
      return await runBlocking { try? self.memoryFrame(data) }
    case .file(let sent):
      let isOriginal = representation.opensInPlace || sent.allowAccessingOriginalFile
      let passesOriginal = isOriginal && request.accepts.contains(.originalFile)
      guard passesOriginal || request.accepts.contains(.fileToCopy) else { return nil }
      defer { withExtendedLifetime(sent) {} }
      return await runBlocking { try? self.fileFrame(sent.file.path, passesOriginal ? .originalFile : .fileToCopy) }
    case .stream: return nil
    }
  }

  private func fileFrame(_ path: String, _ kind: SessionDescriptor.Kind) throws(SystemError) -> OutgoingFrame? {
    let file = SharedDescriptor(try .open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY))
    let status = try SystemCalls.status(file.raw)
    // If the file does not have the promised size, the caller sends its bytes, which fails with the right error.
    guard status.kind == .regular, status.size == representation.size.promised ?? status.size else { return nil }
    let description = SessionDescriptor(kind: kind, byteCount: UInt64(clamping: status.size), check: nil)
    return .descriptor(number: number, description, file)
  }

  private func memoryFrame(_ data: Data) throws(SystemError) -> OutgoingFrame {
    let memory = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("dragpipe")))
    // `withUnsafeBytes` would erase the type of the error, so the closure returns a `Result`.
    let check = data.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in
        try SystemCalls.writeAll(memory.raw, bytes)
        try SystemCalls.seal(memory.raw)
        return CRC32C.check(bytes)
      }
    }
    let description = SessionDescriptor(kind: .sealedMemory, byteCount: UInt64(data.count), check: try check.get())
    return .descriptor(number: number, description, memory)
  }
}

/// An open file that an untrusted peer has passed in place of bytes.
struct ReceivedDescriptor: Sendable {
  private static let chunkLength = 256 << 10

  private let description: SessionDescriptor
  private let descriptor: SharedDescriptor

  init(_ description: SessionDescriptor, _ descriptor: SharedDescriptor) {
    self.description = description
    self.descriptor = descriptor
  }

  /// Verifies the descriptor, and returns its content.
  ///
  /// - Parameter promised: The number of bytes that the offer declares, if any.
  /// - Returns: A stream of the bytes; for an original file, its path.
  /// - Throws: `damaged` unless the descriptor is a readable regular file of the declared size. Sealed memory must also
  ///   be sealed and match its checksum. `systemCall`; `cancelled`.
  func content(expecting promised: UInt64?) async throws(DropStreamError) -> ItemContent {
    try await runBlocking { () throws(DropStreamError) in try checkedContent(expecting: promised) }
  }

  /// Returns the content of the file; blocks.
  private func checkedContent(expecting promised: UInt64?) throws(DropStreamError) -> ItemContent {
    let status: FileStatus
    let isAsDescribed: Bool
    do throws(SystemError) {
      status = try SystemCalls.status(descriptor.raw)
      isAsDescribed = try self.isAsDescribed(status, promised)
    } catch {
      throw DropStreamError(.systemCall, "cannot read the status of a passed file", error)
    }
    guard isAsDescribed else {
      throw DropStreamError(.damaged, "corrupt: the passed file does not match its description")
    }
    if description.kind == .sealedMemory { try checkMemory() }
    guard description.kind == .originalFile else { return .stream(DescriptorChunks(descriptor, status)) }
    // Without a path, the file is accessed through this process's descriptor.
    let url = URL(fileURLWithPath: namedPath(of: status) ?? link, isDirectory: false)
    return .file(SentTransferredFile(url, allowAccessingOriginalFile: true, keepingAlive: descriptor))
  }

  private func isAsDescribed(_ status: FileStatus, _ promised: UInt64?) throws(SystemError) -> Bool {
    guard status.kind == .regular, UInt64(exactly: status.size) == description.byteCount,
      promised == nil || promised == description.byteCount
    else { return false }
    return try SystemCalls.isReadable(descriptor.raw)
  }

  private var link: String { "/proc/self/fd/\(descriptor.raw)" }

  /// Returns the path of the file, if that path still leads to the file.
  private func namedPath(of status: FileStatus) -> String? {
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link), path.hasPrefix("/"),
      let named = try? SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW), named.isSameFile(as: status)
    else { return nil }
    return path
  }

  private func checkMemory() throws(DropStreamError) {
    guard SystemCalls.isSealed(descriptor.raw) else {
      throw DropStreamError(.damaged, "corrupt: the passed memory is not sealed")
    }
    guard try sum() == description.check else {
      throw DropStreamError(.damaged, "corrupt: checksum mismatch of passed memory")
    }
  }

  /// Returns the checksum of the complete content; blocks.
  ///
  /// - Throws: `cancelled` if the task is cancelled.
  private func sum() throws(DropStreamError) -> UInt32 {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkLength, alignment: 16)
    defer { buffer.deallocate() }
    var crc = CRC32C()
    var offset: UInt64 = 0
    while offset < description.byteCount {
      if Task.isCancelled { throw .cancelled }
      let count = try DescriptorChunks.read(descriptor, at: offset, into: buffer)
      crc.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += UInt64(count)
    }
    return crc.value
  }
}

/// The chunks of an open file, from its start to its declared size.
///
/// The iterator delivers the last bytes only if the file is unchanged since its status was read.
struct DescriptorChunks: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  private static let chunkLength = 256 << 10

  private let descriptor: SharedDescriptor
  private let before: FileStatus
  private var byteCount: UInt64 { UInt64(before.size) }

  init(_ descriptor: SharedDescriptor, _ status: FileStatus) {
    self.descriptor = descriptor
    before = status
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(chunks: self)
  }

  struct Iterator: AsyncIteratorProtocol {
    private let chunks: DescriptorChunks
    private var offset: UInt64 = 0
    private var holes: FileHoles
    /// The number of bytes of a skipped hole that have not been delivered.
    private var zeros: UInt64 = 0

    init(chunks: DescriptorChunks) {
      self.chunks = chunks
      holes = FileHoles(size: chunks.byteCount)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
      if zeros == 0 {
        guard offset < chunks.byteCount else { return nil }
        let (newHoles, hole, data) = try await runBlocking { [chunks, offset, holes] in
          var holes = holes
          let hole = try chunks.hole(at: offset, &holes)
          let data = hole > 0 ? nil : try chunks.chunk(at: offset, upTo: holes.dataEnd)
          if offset + (data.map { UInt64($0.count) } ?? hole) == chunks.byteCount { try chunks.expectNoChange() }
          return (holes, hole, data)
        }
        holes = newHoles
        offset += data.map { UInt64($0.count) } ?? hole
        if let data { return data }
        zeros = hole
      }
      let data = ZeroBytes.chunk(of: zeros)
      zeros -= UInt64(data.count)
      return data
    }
  }

  private func hole(at offset: UInt64, _ holes: inout FileHoles) throws(DropStreamError) -> UInt64 {
    do throws(SystemError) {
      return try holes.length(at: offset) { (offset, target) throws(SystemError) in
        try SystemCalls.seek(descriptor.raw, offset, target)
      } ?? 0
    } catch {
      throw Self.unreadable(error)
    }
  }

  private func chunk(at offset: UInt64, upTo dataEnd: UInt64) throws(DropStreamError) -> Data {
    let end = dataEnd > offset ? Swift.min(dataEnd, byteCount) : byteCount
    var data = Data(count: Int(Swift.min(end - offset, UInt64(Self.chunkLength))))
    // `withUnsafeMutableBytes` would erase the type of the error, so the closure returns a `Result`.
    let count = data.withUnsafeMutableBytes { buffer in
      Result { () throws(DropStreamError) in try Self.read(descriptor, at: offset, into: buffer) }
    }
    return data.prefix(try count.get())
  }

  private func expectNoChange() throws(DropStreamError) {
    let now = try mapError(SystemCalls.status(descriptor.raw)) {
      DropStreamError(.systemCall, "cannot read the status of a passed file", $0)
    }
    if !now.isUnchanged(since: before) {
      throw DropStreamError(.sourceChanged, "a passed file changed while it was read")
    }
  }

  private static func unreadable(_ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot read a passed file", error)
  }

  /// Reads bytes at an offset.
  ///
  /// - Returns: The number of bytes, at least one.
  /// - Throws: `sourceChanged` at the end of the file; `systemCall`.
  static func read(
    _ descriptor: SharedDescriptor, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(DropStreamError) -> Int {
    let count = try mapError(SystemCalls.read(descriptor.raw, buffer, at: Int64(clamping: offset))) { unreadable($0) }
    guard count > 0 else { throw DropStreamError(.sourceChanged, "a passed file became shorter while it was read") }
    return count
  }
}
