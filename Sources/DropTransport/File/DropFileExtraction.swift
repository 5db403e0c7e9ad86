// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// A copy operation that extracts a representation from a file.
///
/// The kernel copies the bytes if it can. On some file systems, both files then share the blocks. Holes stay holes.
///
/// After a copy by the kernel, the bytes are verified in the destination, so a change of the source during the copy is
/// detected. Otherwise, they are verified as they are read. All methods block.
struct DropFileExtraction {
  /// A function that copies bytes from an offset in the file to the current offset of an output.
  ///
  /// It returns the number of copied bytes; 0 if it cannot copy.
  typealias KernelCopy = (_ count: UInt64, _ offset: UInt64, _ output: CInt) throws(SystemError) -> UInt64

  /// The maximum number of bytes that the kernel copies in one call, since nothing can interrupt the call.
  static let stepLength: UInt64 = 16 << 20

  private let handle: DropFileHandle
  private let representation: DropFileIndex.Representation
  private let kernelCopy: KernelCopy?

  /// Creates a copy operation.
  ///
  /// - Parameters:
  ///   - handle: The file.
  ///   - representation: The location of the bytes.
  ///   - kernelCopy: A replacement for the kernel's copy, for tests.
  init(
    _ handle: DropFileHandle, _ representation: DropFileIndex.Representation,
    kernelCopy: KernelCopy? = nil
  ) {
    self.handle = handle
    self.representation = representation
    self.kernelCopy = kernelCopy
  }

  /// Copies the bytes.
  ///
  /// - Parameters:
  ///   - output: The destination, written from its start and closed.
  ///   - name: The name of the destination in messages.
  /// - Returns: The number of bytes.
  /// - Throws: `damaged`, `truncated`, `systemCall`, `cancelled`, or the failure of the source.
  func write(to output: consuming OwnedDescriptor, name: String) throws(DropStreamError) -> UInt64 {
    let count = try copy(to: output.raw, name)
    do throws(SystemError) { try output.close() } catch { throw failure(name, error) }
    return count
  }

  private func copy(to output: CInt, _ name: String) throws(DropStreamError) -> UInt64 {
    let header = try handle.header(at: representation.offset)
    if header.type == .data, header.flags.contains(.whole), header.payloadLength == representation.byteCount,
      try copyWithinKernel(header, to: output, name)
    {
      return header.payloadLength
    }
    var content = DropFileContent(handle, representation)
    var file = SparseFileOutput(output)
    _ = try mapError(SystemCalls.seek(output, 0, SEEK_SET)) { failure(name, $0) }
    while let bytes = try content.next() {
      if Task.isCancelled { throw .cancelled }
      try mapError(file.append(bytes)) { failure(name, $0) }
    }
    try mapError(file.finish()) { failure(name, $0) }
    return file.byteCount
  }

  /// Copies bytes within the kernel.
  ///
  /// - Returns: Whether the kernel has copied the bytes; `false` if it cannot.
  private func copyWithinKernel(
    _ header: FrameHeader, to output: CInt, _ name: String
  ) throws(DropStreamError) -> Bool {
    let start = representation.offset + UInt64(FrameHeader.length)
    var done: UInt64 = 0
    var hasCopied = false
    var holes = handle.holes(in: header, at: representation.offset)
    while done < header.payloadLength {
      if Task.isCancelled { throw .cancelled }
      let hole = try handle.hole(at: start + done, in: &holes)
      done += hole
      let rest = min(header.payloadLength - done, Self.stepLength, holes.dataLength(at: start + done))
      if rest == 0 { break }
      let count: UInt64
      do throws(SystemError) {
        if hole > 0 { _ = try SystemCalls.seek(output, Int64(done), SEEK_SET) }
        count = try copy(rest, at: start + done, to: output)
      } catch {
        let cannot = [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EBADF]
        guard !hasCopied, cannot.contains(error.errorNumber) else { throw failure(name, error) }
        return false
      }
      guard count > 0 else {
        // Some file systems return 0 if they cannot copy. If the file is too short, reading it fails later.
        if !hasCopied { return false }
        throw DropStreamError(.truncated, "\(handle.shownPath) ends too early", at: start + done)
      }
      hasCopied = true
      done += count
    }
    // The file may end with a hole.
    try mapError(SystemCalls.truncate(output, Int64(done))) { failure(name, $0) }
    try check(header, output, name)
    return true
  }

  private func copy(_ count: UInt64, at offset: UInt64, to output: CInt) throws(SystemError) -> UInt64 {
    if let kernelCopy { return try kernelCopy(count, offset, output) }
    return try handle.copy(count, at: offset, to: output)
  }

  private func check(_ header: FrameHeader, _ output: CInt, _ name: String) throws(DropStreamError) {
    var crc = CRC32C()
    try handle.bytes(at: representation.offset, count: FrameHeader.checkOffset).withUnsafeBytes { crc.update($0) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: DropFileContent.pieceLength, alignment: 4096)
    defer { buffer.deallocate() }
    var offset: UInt64 = 0
    var holes = FileHoles(size: header.payloadLength)
    while offset < header.payloadLength {
      if Task.isCancelled { throw .cancelled }
      let count: Int
      do throws(SystemError) {
        let hole = try holes.length(at: offset) { (offset, target) throws(SystemError) in
          try SystemCalls.seek(output, offset, target)
        }
        crc.update(zeros: hole ?? 0)
        offset += hole ?? 0
        if offset == header.payloadLength { break }
        let length = Int(min(UInt64(buffer.count), holes.dataLength(at: offset)))
        count = try SystemCalls.read(
          output, UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), at: Int64(offset))
      } catch {
        throw failure(name, error)
      }
      guard count > 0 else { throw failure(name, SystemError(EIO, in: "pread")) }
      crc.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += UInt64(count)
    }
    let end = representation.offset + UInt64(FrameHeader.length) + header.payloadLength
    let stated = try handle.bytes(at: end, count: FrameHeader.checkLength)
    try handle.expect(crc, stated.withUnsafeBytes { $0.littleEndian(at: 0) }, frameAt: representation.offset)
  }

  private func failure(_ name: String, _ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot write \(name)", error)
  }
}
