// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// A copy operation that extracts a representation from a file.
///
/// The kernel copies the bytes if it can. Holes stay holes. All methods block.
struct DropFileExtraction {
  private let handle: DropFileHandle
  private let representation: DropFileIndex.Representation

  init(_ handle: DropFileHandle, _ representation: DropFileIndex.Representation) {
    self.handle = handle
    self.representation = representation
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
      header.payloadLength >= RangeCopy.leastByteCount, try copyWithinKernel(header, to: output, name)
    {
      return header.payloadLength
    }
    var content = DropFileContent(handle, representation)
    var file = SparseFileOutput(output)
    try mapError(SystemCalls.truncate(output, 0)) { failure(name, $0) }
    _ = try mapError(SystemCalls.seek(output, 0, SEEK_SET)) { failure(name, $0) }
    while let bytes = try content.next() {
      if Task.isCancelled { throw .cancelled }
      try mapError(file.append(bytes)) { failure(name, $0) }
    }
    try mapError(file.finish()) { failure(name, $0) }
    return file.byteCount
  }

  /// Copies and verifies bytes within the kernel.
  ///
  /// - Returns: Whether the kernel has copied the bytes; `false` if it cannot.
  private func copyWithinKernel(
    _ header: FrameHeader, to output: CInt, _ name: String
  ) throws(DropStreamError) -> Bool {
    let start = representation.offset + UInt64(FrameHeader.length)
    var (_, crc) = try handle.headerAndCheck(at: representation.offset)
    var done: UInt64 = 0
    var holes = handle.holes(in: header, at: representation.offset)
    while done < header.payloadLength {
      if Task.isCancelled { throw .cancelled }
      let hole = try handle.hole(at: start + done, in: &holes)
      crc.update(zeros: hole)
      done += hole
      if hole > 0 { _ = try mapError(SystemCalls.seek(output, Int64(done), SEEK_SET)) { failure(name, $0) } }
      let rest = min(header.payloadLength - done, holes.dataLength(at: start + done))
      if rest == 0 { break }
      guard let copy = handle.copy(rest, at: start + done, to: output) else { return false }
      crc.update(copy.crc, byteCount: copy.byteCount)
      done += copy.byteCount
    }
    // The file may end with a hole.
    try mapError(SystemCalls.truncate(output, Int64(done))) { failure(name, $0) }
    let stated = try handle.bytes(at: start + header.payloadLength, count: FrameHeader.checkLength)
    try handle.expect(crc, stated.withUnsafeBytes { $0.littleEndian(at: 0) }, frameAt: representation.offset)
    return true
  }

  private func failure(_ name: String, _ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot write \(name)", error)
  }
}
