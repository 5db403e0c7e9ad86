// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// A file that is being written, readable only by its owner, or a folder that is created from its archive.
///
/// Long runs of zeros that arrive become holes in a file. A copy by the kernel has the holes of its original.
final class StagedFile {
  /// The name that the file should get, which publishing may still change.
  let name: String
  /// The number that is its name in the staging directory.
  let number: Int
  /// Whether it is the archive of a folder, which is unpacked after it is complete.
  let isArchive: Bool
  private var descriptor: OwnedDescriptor?
  private var output: SparseFileOutput?
  private var unpacker: FolderUnpacker?
  /// Whether the file is flushed at the end, so that writing to the disk should begin early.
  private let isDurable: Bool
  /// The number of bytes since the system last started to write to the disk.
  private var unflushedCount = 0
  /// The value of ``unflushedCount`` from which the system starts to write.
  private static let flushLength = 8 << 20

  init(
    _ descriptor: consuming OwnedDescriptor, name: String, number: Int = 0, isArchive: Bool = false,
    isDurable: Bool = false
  ) {
    output = SparseFileOutput(descriptor.raw)
    self.descriptor = consume descriptor
    self.name = name
    self.number = number
    self.isArchive = isArchive
    self.isDurable = isDurable
  }

  init(_ unpacker: FolderUnpacker, name: String, number: Int) {
    self.unpacker = unpacker
    self.name = name
    self.number = number
    isArchive = false
    isDurable = false
  }

  /// Reads the bytes that the file has from an interrupted receive; further bytes are appended to them.
  ///
  /// - Parameter isHashed: Whether their digest is needed, which takes longer than the checksum.
  /// - Returns: The number and the checksum of the bytes; `nil` for an empty file.
  /// - Throws: `systemCall`; `cancelled`.
  func start(hashing isHashed: Bool) throws(DropStreamError) -> ReceivedStart? {
    guard unpacker == nil else { return nil }
    var start: ReceivedStart?
    try reporting { (raw) throws(SystemError) in
      var crc = CRC32C()
      let digest = StartDigest()
      var byteCount: UInt64 = 0
      var holes = FileHoles(size: UInt64(try SystemCalls.status(raw).size))
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
      defer { buffer.deallocate() }
      while !Task.isCancelled {
        // A peer can have sent terabytes of zeros in a few bytes, which are a hole of the file.
        let found = try holes.length(at: byteCount) { (offset, target) throws(SystemError) in
          try SystemCalls.seek(raw, offset, target)
        }
        var hole = found ?? 0
        // In steps, because the digest of a very long hole takes seconds.
        while hole > 0, !Task.isCancelled {
          let step = min(hole, 1 << 40)
          crc.update(zeros: step)
          if isHashed { digest.update(zeros: step) }
          byteCount += step
          hole -= step
        }
        _ = try SystemCalls.seek(raw, Int64(byteCount), SEEK_SET)
        let rest = buffer.prefix(Int(min(UInt64(buffer.count), holes.dataLength(at: byteCount))))
        let count = try SystemCalls.read(raw, UnsafeMutableRawBufferPointer(rebasing: rest))
        if count == 0 { break }
        crc.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if isHashed { digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        byteCount += UInt64(count)
      }
      if byteCount > 0 { start = ReceivedStart(byteCount: byteCount, crc: crc, digest: isHashed ? digest.value : []) }
    }
    if Task.isCancelled { throw .cancelled }
    return start
  }

  /// Removes the bytes from an interrupted receive.
  func restart() throws(DropStreamError) {
    try reporting { (raw) throws(SystemError) in
      try SystemCalls.truncate(raw, 0)
      _ = try SystemCalls.seek(raw, 0, SEEK_SET)
    }
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    if bytes.isEmpty { return }
    if let unpacker {
      return try Self.unpacking(name) { () throws(FolderArchiveError) in try unpacker.append(bytes) }
    }
    try reporting { (raw) throws(SystemError) in
      try output?.append(bytes)
      flushEarly(after: bytes.count, raw)
    }
  }

  /// The file, to which bytes of another file can be copied; `nil` for a folder.
  var copyTarget: CInt? { descriptor?.raw }

  /// Counts bytes that were copied to the file.
  func append(_ copy: RangeCopy) {
    output?.append(copy)
    if let raw = descriptor?.raw { flushEarly(after: Int(copy.byteCount), raw) }
  }

  private func flushEarly(after count: Int, _ raw: CInt) {
    unflushedCount += count
    guard isDurable, unflushedCount >= Self.flushLength else { return }
    SystemCalls.startSync(raw)
    unflushedCount = 0
  }

  /// Appends a hole.
  func append(zeros count: UInt64) throws(DropStreamError) {
    if let unpacker {
      return try Self.unpacking(name) { () throws(FolderArchiveError) in try unpacker.append(zeros: count) }
    }
    try reporting { (_) throws(SystemError) in try output?.append(zeros: count) }
  }

  /// Closes the file, and reports write errors that the system delayed until then; completes a folder.
  func close() throws(DropStreamError) {
    if let unpacker {
      return try Self.unpacking(name) { () throws(FolderArchiveError) in try unpacker.finish() }
    }
    try reporting { (_) throws(SystemError) in try output?.finish() }
    guard let descriptor = descriptor.take() else { return }
    do throws(SystemError) { try descriptor.close() } catch { throw failure(error) }
  }

  private func reporting(_ body: (CInt) throws(SystemError) -> Void) throws(DropStreamError) {
    guard let raw = descriptor?.raw else { return }
    try mapError(body(raw)) { failure($0) }
  }

  /// Removes the content of a folder.
  func discard() { unpacker?.discard() }

  /// Turns a failure to create a folder into an error of a stream.
  static func unpacking<Value>(
    _ name: String, _ body: () throws(FolderArchiveError) -> Value
  ) throws(DropStreamError) -> Value {
    do throws(FolderArchiveError) { return try body() } catch {
      let reason = "cannot create the folder \(name.escapedForDisplay()): \(error)"
      let code: DropStreamError.Code =
        switch error.code {
        case .malformed, .unsupported, .specialFile, .changedWhileRead: .damaged
        case .limitExceeded: .limitExceeded
        case .unsafeName: .unsafeName
        case .alreadyExists, .system: .systemCall
        }
      throw DropStreamError(code, reason, errorNumber: error.errorNumber)
    }
  }

  private func failure(_ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot write \(name.escapedForDisplay())", error)
  }
}

/// The output of bytes to a file at its current offset, with holes in place of zeros.
struct SparseFileOutput {
  private let descriptor: CInt
  private var endsInHole = false
  /// The number of bytes so far, including the bytes of holes.
  private(set) var byteCount: UInt64 = 0

  /// - Parameter descriptor: An open file, which the caller keeps open.
  init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Appends bytes, with holes in place of pieces of 64 KiB that are all zero.
  ///
  /// - Throws: The system error.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var start = 0
    while start < bytes.count {
      let isHole = piece(of: bytes, at: start).isHole
      var end = start
      repeat {
        end += piece(of: bytes, at: end).count
      } while end < bytes.count && piece(of: bytes, at: end).isHole == isHole
      if isHole {
        try append(zeros: UInt64(end - start))
      } else {
        endsInHole = false
        try SystemCalls.writeAll(descriptor, UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        byteCount += UInt64(end - start)
      }
      start = end
    }
  }

  private func piece(of bytes: UnsafeRawBufferPointer, at start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(64 << 10))
  }

  /// Counts bytes that were copied to the file.
  mutating func append(_ copy: RangeCopy) {
    endsInHole = false
    byteCount += copy.byteCount
  }

  /// Appends a hole.
  ///
  /// - Throws: `EFBIG` if the file system has no files of that size; other system errors.
  mutating func append(zeros count: UInt64) throws(SystemError) {
    endsInHole = true
    _ = try mapError(SystemCalls.seek(descriptor, Int64(clamping: count), SEEK_CUR)) {
      [EINVAL, EOVERFLOW].contains($0.errorNumber) ? SystemError(EFBIG, in: "lseek") : $0
    }
    byteCount += count
  }

  /// Extends the file over a hole at its end.
  func finish() throws(SystemError) {
    if endsInHole { try SystemCalls.truncate(descriptor, try SystemCalls.seek(descriptor, 0, SEEK_CUR)) }
  }
}

extension SparseFileOutput {
  /// Appends a chunk of a drop file, whose holes are chunks of `ZeroBytes`.
  mutating func append(_ chunk: Data) throws(SystemError) {
    // The standard function would erase the type of the error.
    let result = chunk.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in
        if chunk.isOfHole { try append(zeros: UInt64(bytes.count)) } else { try append(bytes) }
      }
    }
    try result.get()
  }
}
