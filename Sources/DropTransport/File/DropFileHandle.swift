// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// An open drop file, which any number of loads can read at the same time, at any offset.
///
/// All methods block, except those of a handle that never waits. The file is not mapped into memory: if a process
/// truncates it, reads fail with an error and not with a signal.
struct DropFileHandle: Sendable {
  private final class OpenFile: Sendable {
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) {
      self.descriptor = descriptor
    }
  }

  private let file: OpenFile
  private var descriptor: CInt { file.descriptor.raw }
  let shownPath: String
  let size: UInt64
  /// Whether a read waits for bytes that are not in memory.
  ///
  /// Otherwise such a read is an error.
  private var waits: Bool
  /// Whether ``read(_:)`` first tries work in the calling task, without waiting.
  var readsAtOnce: Bool

  /// The maximum length of a read without waiting, since the copy itself takes time.
  private static let longestAtOnce = 256 << 10

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - waits: Whether to wait for bytes that are not in memory. `false` in a task of the cooperative pool.
  /// - Throws: `sourceUnavailable` if the file cannot be opened, or cannot be opened without waiting if `waits` is
  ///   `false`.
  init(_ path: String, waits: Bool = true) throws(DropStreamError) {
    self.waits = waits
    readsAtOnce = !waits
    shownPath = path.escapedForDisplay()
    let status: FileStatus
    do throws(SystemError) {
      let flags = O_RDONLY | O_NONBLOCK
      file = OpenFile(waits ? try .open(path, flags) : OwnedDescriptor(try SystemCalls.openAtOnce(path, flags)))
      status = try SystemCalls.status(file.descriptor.raw)
      if status.kind == .directory { throw SystemError(EISDIR, in: "open") }
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

  /// Returns a handle of the same file that reads with or without waiting.
  func waiting(_ waits: Bool) -> DropFileHandle {
    var handle = self
    handle.waits = waits
    return handle
  }

  /// Returns a handle of the same file that tries work without waiting, if the file system supports such reads.
  ///
  /// The result is only correct if the start of the file is in memory.
  func readingAtOnceIfPossible() -> DropFileHandle {
    var handle = self
    handle.readsAtOnce = (try? waiting(false).bytes(at: 0, count: 1)) != nil
    return handle
  }

  /// Runs short work: in the calling task if all that it reads is in memory, else on a thread that may block.
  ///
  /// - Parameter work: The work, which runs again on a thread if it fails in the task for any reason.
  /// - Returns: The result of the work.
  /// - Throws: The error of the work on the thread.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable (DropFileHandle) throws(DropStreamError) -> Value
  ) async throws(DropStreamError) -> Value {
    if readsAtOnce, let value = try? work(waiting(false)) { return value }
    return try await runBlockingWork { () throws(DropStreamError) in try work(waiting(true)) }
  }

  /// Returns an endpoint that reads the file from its start as a stream, for a single reader.
  ///
  /// Reads by the handle do not move the offset of the stream.
  func stream() throws(DropStreamError) -> DropEndpoint {
    do throws(SystemError) { return .descriptor(try SystemCalls.duplicate(descriptor)) } catch {
      throw DropStreamError(.sourceUnavailable, "cannot open \(shownPath)", error)
    }
  }

  /// Fills `buffer` with the bytes from `offset` on.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DropStreamError) {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count: Int
      do throws(SystemError) {
        let place = Int64(clamping: offset + UInt64(done))
        if waits {
          count = try SystemCalls.read(descriptor, rest, at: place)
        } else {
          guard rest.count <= Self.longestAtOnce else { throw SystemError(EAGAIN, in: "preadv2") }
          count = try SystemCalls.readAtOnce(descriptor, rest, at: place)
        }
      } catch {
        throw DropStreamError(.systemCall, "cannot read \(shownPath)", error)
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
  /// Most frames other than data frames are shorter, so one read suffices for them.
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

  /// Copies bytes of the file to the current offset of `output`, within the kernel.
  ///
  /// - Returns: The number of bytes; 0 if the kernel cannot copy them.
  func copy(_ count: UInt64, at offset: UInt64, to output: CInt) throws(SystemError) -> UInt64 {
    UInt64(try SystemCalls.copyRange(descriptor, at: Int64(clamping: offset), to: output, Int(clamping: count)))
  }
}
