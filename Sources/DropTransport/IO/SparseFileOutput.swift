// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

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

  /// Appends bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - isHole: Whether all of them are zero, and become a hole.
  /// - Throws: The system error.
  mutating func append(_ bytes: UnsafeRawBufferPointer, isHole: Bool) throws(SystemError) {
    if isHole { return try append(zeros: UInt64(bytes.count)) }
    endsInHole = false
    try SystemCalls.writeAll(descriptor, bytes)
    byteCount += UInt64(bytes.count)
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
      Result { () throws(SystemError) in try append(bytes, isHole: chunk.isOfHole) }
    }
    try result.get()
  }
}
