// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// An append-only file of records with random access, without a name in its directory.
///
/// Up to 64 KiB of records stay in memory. Records that cannot be written stay in memory as well, so appending never
/// fails.
final class RecordFile {
  private static let bufferLength = 64 << 10
  private static let lengthSize = MemoryLayout<UInt32>.size

  private let directory: CInt
  private var descriptor: OwnedDescriptor?
  private var mayOpen = true
  /// The records that are not in the file yet.
  private var pending: [UInt8] = []
  private var writtenLength: UInt64 = 0
  /// The part of the file that was read last, and its offset.
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0

  /// The offset of the next record to be appended.
  var end: UInt64 { writtenLength + UInt64(pending.count) }

  /// Creates an empty record file.
  ///
  /// - Parameter directory: The directory of the file, which is created when the first records are flushed. The caller
  ///   retains ownership and must keep the descriptor open.
  init(in directory: CInt) {
    self.directory = directory
  }

  /// Appends a record.
  ///
  /// - Returns: Its offset.
  @discardableResult
  func append(_ record: [UInt8]) -> UInt64 {
    let offset = end
    withUnsafeBytes(of: UInt32(record.count)) { pending.append(contentsOf: $0) }
    pending.append(contentsOf: record)
    if pending.count >= Self.bufferLength { try? flush() }
    return offset
  }

  /// Reads the record at an offset.
  ///
  /// - Returns: The record, and the offset of the next record.
  /// - Throws: The system error if the file cannot be read.
  func record(at offset: UInt64) throws(SystemError) -> (bytes: [UInt8], next: UInt64) {
    let length = try bytes(at: offset, count: Self.lengthSize).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    let start = offset + UInt64(Self.lengthSize)
    return (try bytes(at: start, count: Int(length)), start + UInt64(length))
  }

  private func bytes(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
    // Records are flushed completely or not at all.
    if offset >= writtenLength {
      let start = Int(offset - writtenLength)
      return Array(pending[start..<start + count])
    }
    if offset < windowStart || offset + UInt64(count) > windowStart + UInt64(window.count) {
      try readWindow(at: offset, atLeast: count)
    }
    let start = Int(offset - windowStart)
    return Array(window[start..<start + count])
  }

  private func readWindow(at offset: UInt64, atLeast count: Int) throws(SystemError) {
    guard let descriptor = descriptor?.raw else { throw SystemError(EBADF, in: "pread") }
    var bytes = [UInt8](repeating: 0, count: max(count, Self.bufferLength))
    var filled = 0
    while filled < count {
      let start = filled
      let readCount = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(SystemError) in
        let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[start...])
        return try SystemCalls.read(descriptor, rest, at: Int64(offset) + Int64(start))
      }
      if readCount == 0 { throw SystemError(EIO, in: "pread") }
      filled += readCount
    }
    bytes.removeSubrange(filled...)
    (window, windowStart) = (bytes, offset)
  }

  private func flush() throws(SystemError) {
    guard let descriptor = try opened() else { return }
    do throws(SystemError) { try SystemCalls.writeAll(descriptor, pending) } catch {
      // Some bytes may have been written; the next flush overwrites them.
      _ = try SystemCalls.seek(descriptor, Int64(writtenLength), SEEK_SET)
      throw error
    }
    writtenLength += UInt64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  private func opened() throws(SystemError) -> CInt? {
    if let raw = descriptor?.raw { return raw }
    guard mayOpen else { return nil }
    mayOpen = false
    let name = "records-" + RandomName.text()
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    let file = try OwnedDescriptor.openAt(directory, name, flags, 0o600)
    let raw = file.raw
    descriptor = consume file
    try SystemCalls.unlinkAt(directory, name)
    return raw
  }
}
