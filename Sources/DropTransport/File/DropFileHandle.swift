// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// An open drop file, or another source with random access.
///
/// Any number of loads can read it at the same time. All methods block. The file is not mapped into memory: if a process
/// truncates it, reads fail with an error and not with a signal. If the source is not a file, methods see only the bytes
/// that ``read(_:)`` has fetched.
struct DropFileHandle: Sendable {
  private final class OpenFile: Sendable {
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) {
      self.descriptor = descriptor
    }
  }

  private enum Storage: Sendable {
    case file(OpenFile)
    case source(SourceReader, MissingBytes)
  }

  private var storage: Storage
  let shownPath: String
  let size: UInt64
  /// The minimum number of bytes in a request to a source that is not a file.
  private var fetchLength: UInt64 = 0

  /// Opens a file.
  ///
  /// - Throws: `sourceUnavailable` if the file cannot be opened.
  init(_ path: String) throws(DropStreamError) {
    shownPath = path.escapedForDisplay()
    let status: FileStatus
    do throws(SystemError) {
      let file = OpenFile(try .open(path, O_RDONLY | O_NONBLOCK))
      status = try SystemCalls.status(file.descriptor.raw)
      if status.kind == .directory { throw SystemError(EISDIR, in: "open") }
      storage = .file(file)
    } catch {
      throw DropStreamError(.sourceUnavailable, "cannot open \(shownPath)", error)
    }
    guard status.kind == .regular else {
      throw DropStreamError(
        .sourceUnavailable, "cannot open \(shownPath): it is not a regular file, and only such a file has random access"
      )
    }
    size = UInt64(status.size)
  }

  /// Creates a handle of a source other than a file.
  init(_ source: SourceReader) {
    storage = .source(source, MissingBytes())
    shownPath = source.shownName
    size = source.size
  }

  /// The source, unless it is a file.
  var source: SourceReader? {
    if case .source(let source, _) = storage { source } else { nil }
  }

  /// Returns a handle of the same bytes that requests at least `count` bytes from a source at once.
  func fetching(_ count: UInt64) -> DropFileHandle {
    var handle = self
    handle.fetchLength = count
    return handle
  }

  /// Runs short work on a thread that may block.
  ///
  /// - Parameter work: The work, which runs again whenever bytes of a source have been fetched that it lacked.
  /// - Returns: The result of the work.
  /// - Throws: The error of the work, or of the source.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable (DropFileHandle) throws(DropStreamError) -> Value
  ) async throws(DropStreamError) -> Value {
    if case .source(let source, _) = storage { return try await read(from: source, work) }
    return try await runBlocking { () throws(DropStreamError) in try work(self) }
  }

  private func read<Value: Sendable>(
    from source: SourceReader, _ work: (DropFileHandle) throws(DropStreamError) -> Value
  ) async throws(DropStreamError) -> Value {
    var last: Range<UInt64>?
    while true {
      let missing = MissingBytes()
      var handle = self
      handle.storage = .source(source, missing)
      do throws(DropStreamError) { return try work(handle) } catch {
        // Bytes that are missing again right after they were fetched exceed what is kept.
        guard let range = missing.range, range != last else { throw error }
        last = range
        try await source.fetch([range])
      }
    }
  }

  /// Returns an endpoint that reads the file from its start as a stream, for a single reader.
  ///
  /// Reads by the handle do not move the offset of the stream.
  ///
  /// - Precondition: The handle is of a file.
  func stream() throws(DropStreamError) -> DropEndpoint {
    guard case .file(let file) = storage else { preconditionFailure("\(shownPath) is not a file") }
    do throws(SystemError) { return .descriptor(try SystemCalls.duplicate(file.descriptor.raw)) } catch {
      throw DropStreamError(.sourceUnavailable, "cannot open \(shownPath)", error)
    }
  }

  /// Fills `buffer` with the bytes from `offset` on.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DropStreamError) {
    switch storage {
    case .file(let file): try read(buffer, at: offset, of: file.descriptor.raw)
    case .source(let source, let missing):
      let count = UInt64(buffer.count)
      guard offset <= size, count <= size - offset else {
        throw DropStreamError(.truncated, "\(shownPath) ends too early", at: size)
      }
      guard !source.copy(at: offset, to: buffer) else { return }
      missing.note(offset..<offset + min(max(count, fetchLength), size - offset))
      throw DropStreamError(.sourceUnavailable, "\(shownPath) did not return the requested bytes", at: offset)
    }
  }

  private func read(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, of descriptor: CInt
  ) throws(DropStreamError) {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try mapError(SystemCalls.read(descriptor, rest, at: Int64(clamping: offset + UInt64(done)))) {
        DropStreamError(.systemCall, "cannot read \(shownPath)", $0)
      }
      guard count > 0 else {
        throw DropStreamError(.truncated, "\(shownPath) ends too early", at: offset + UInt64(done))
      }
      done += count
    }
  }

  func bytes(at offset: UInt64, count: Int) throws(DropStreamError) -> [UInt8] {
    // The initializer would erase the type of the error.
    var failure: DropStreamError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      do throws(DropStreamError) {
        try read(UnsafeMutableRawBufferPointer(buffer), at: offset)
        initializedCount = count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Returns the header of the frame at `offset`, whose payload must lie within the file.
  func header(at offset: UInt64) throws(DropStreamError) -> FrameHeader {
    try checkedHeader(at: offset, readingAhead: 0).header
  }

  /// Returns the header of a frame, and the CRC of its first twenty bytes, with which the frame's checksum starts.
  func headerAndCheck(at offset: UInt64) throws(DropStreamError) -> (header: FrameHeader, crc: CRC32C) {
    let (header, bytes) = try checkedHeader(at: offset, readingAhead: 0)
    return (header, Self.crc(ofHeader: bytes))
  }

  /// Returns a header, its bytes, and up to `count` bytes that follow it.
  private func checkedHeader(
    at offset: UInt64, readingAhead count: UInt64
  ) throws(DropStreamError) -> (header: FrameHeader, bytes: [UInt8]) {
    let rest = size - min(size, offset)
    guard rest >= UInt64(FrameHeader.length + FrameHeader.checkLength), offset >= UInt64(Preamble.length) else {
      throw DropStreamError(.damaged, "corrupt: a frame is outside the stream", at: offset)
    }
    let bytes = try bytes(at: offset, count: Int(min(UInt64(FrameHeader.length) + count, rest)))
    let header = try bytes.withUnsafeBytes { bytes in
      Result { () throws(DropStreamError) in
        try FrameHeader.checked(UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.length]), at: offset).0
      }
    }.get()
    guard header.payloadLength <= rest - UInt64(FrameHeader.length + FrameHeader.checkLength) else {
      throw DropStreamError(.truncated, "\(shownPath) ends within a frame", at: offset)
    }
    guard header.request == 0 else {
      throw DropStreamError(.damaged, "corrupt: a frame has a request number in a file", at: offset)
    }
    try header.checkFlags(at: offset)
    return (header, bytes)
  }

  private static func crc(ofHeader bytes: [UInt8]) -> CRC32C {
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update(UnsafeRawBufferPointer(rebasing: $0[..<FrameHeader.checkOffset])) }
    return crc
  }

  /// The number of bytes after a header that are read together with it.
  ///
  /// Most frames other than data frames end within these bytes, so one read suffices for them.
  private static let readAhead = UInt64(256 - FrameHeader.length)

  /// Returns the verified payload of a frame.
  ///
  /// - Parameters:
  ///   - type: The expected type of the frame.
  ///   - offset: The offset of the frame.
  ///   - limit: The maximum length of the payload.
  /// - Returns: The payload.
  /// - Throws: `damaged` for another type or a wrong checksum, `limitExceeded`, `truncated`, `systemCall`.
  func payload(
    of type: FrameType, at offset: UInt64, limit: UInt64
  ) throws(DropStreamError) -> [UInt8] {
    let (header, start) = try checkedHeader(at: offset, readingAhead: Self.readAhead)
    guard header.type == type else {
      throw DropStreamError(
        .damaged, "corrupt: a frame of type \(header.type.rawValue) at the offset of another type", at: offset)
    }
    guard header.payloadLength <= limit else {
      throw DropStreamError(
        .limitExceeded, "payload of \(header.payloadLength) bytes exceeds the limit of \(limit) bytes", at: offset)
    }
    let length = Int(header.payloadLength) + FrameHeader.checkLength
    var crc = Self.crc(ofHeader: start)
    var bytes =
      if start.count - FrameHeader.length >= length {
        Array(start[FrameHeader.length..<FrameHeader.length + length])
      } else {
        try bytes(at: offset + UInt64(FrameHeader.length), count: length)
      }
    try expectCheck(atEndOf: &bytes, after: &crc, frameAt: offset)
    return bytes
  }

  /// Returns the number of zeros of the run at `offset`.
  func zeros(at offset: UInt64) throws(DropStreamError) -> UInt64 {
    let payload = try payload(of: .zeros, at: offset, limit: UInt64(DropStreamLimits().metadataBytes))
    let count: UInt64 = try FieldReader(owner: "a run of zeros", frameOffset: offset).leadingInteger(payload)
    guard count > 0 else { throw DropStreamError(.damaged, "corrupt: a run of 0 zeros", at: offset) }
    return count
  }

  /// Verifies the checksum at the end of `bytes`, and removes it.
  func expectCheck(
    atEndOf bytes: inout [UInt8], after crc: inout CRC32C, frameAt offset: UInt64
  ) throws(DropStreamError) {
    let end = bytes.count - FrameHeader.checkLength
    let check: UInt32 = bytes.withUnsafeBytes { bytes in
      crc.update(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
      return bytes.littleEndian(at: end)
    }
    try expect(crc, check, frameAt: offset)
    bytes.removeLast(FrameHeader.checkLength)
  }

  func expect(_ crc: CRC32C, _ check: UInt32, frameAt offset: UInt64) throws(DropStreamError) {
    guard crc.value == check else {
      throw DropStreamError(.damaged, "corrupt: frame checksum mismatch", at: offset)
    }
  }

  /// Returns the holes of a frame's payload, before the first search.
  func holes(in header: FrameHeader, at offset: UInt64) -> FileHoles {
    let isLong = header.payloadLength >= FileHoles.shortest
    return FileHoles(size: isLong ? offset + UInt64(FrameHeader.length) + header.payloadLength : 0)
  }

  /// Searches for a hole at an offset, whose bytes need not be read.
  ///
  /// - Parameters:
  ///   - offset: The offset, which must not be smaller than in the call before.
  ///   - holes: The holes of the payload that contains the offset.
  /// - Returns: The length of the hole in bytes; 0 if there is none.
  /// - Throws: `systemCall`.
  func hole(at offset: UInt64, in holes: inout FileHoles) throws(DropStreamError) -> UInt64 {
    guard case .file(let file) = storage else { return 0 }
    do throws(SystemError) {
      return try holes.length(at: offset) { (offset, target) throws(SystemError) in
        try SystemCalls.seek(file.descriptor.raw, offset, target)
      } ?? 0
    } catch {
      throw DropStreamError(.systemCall, "cannot read \(shownPath)", error)
    }
  }

  /// Copies bytes of the file to the current offset of `output`, within the kernel.
  ///
  /// - Returns: The copied bytes; `nil` if the kernel cannot copy them.
  func copy(_ count: UInt64, at offset: UInt64, to output: CInt) -> RangeCopy? {
    guard case .file(let file) = storage else { return nil }
    return RangeCopy(count, of: file.descriptor.raw, at: offset, to: output)
  }
}
