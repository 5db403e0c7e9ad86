// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A file that is being written, readable only by its owner.
///
/// Long runs of zeros become holes.
final class StagedFile {
  /// The final name.
  let name: String
  /// The number that is its name in the staging directory.
  let number: Int
  private var descriptor: OwnedDescriptor?
  private var endsInHole = false

  init(_ descriptor: consuming OwnedDescriptor, name: String, number: Int = 0) {
    self.descriptor = consume descriptor
    self.name = name
    self.number = number
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    if bytes.isEmpty { return }
    try reporting { (raw) throws(SystemError) in
      endsInHole = bytes.isHole
      if endsInHole {
        _ = try SystemCalls.seek(raw, Int64(bytes.count), SEEK_CUR)
      } else {
        try SystemCalls.writeAll(raw, bytes)
      }
    }
  }

  /// Appends a hole.
  func append(zeros count: UInt64) throws(DropStreamError) {
    try reporting { (raw) throws(SystemError) in
      endsInHole = true
      _ = try SystemCalls.seek(raw, Int64(count), SEEK_CUR)
    }
  }

  /// Closes the file, and reports write errors that the system delayed until then.
  func close() throws(DropStreamError) {
    try reporting { (raw) throws(SystemError) in
      if endsInHole { try SystemCalls.truncate(raw, try SystemCalls.seek(raw, 0, SEEK_CUR)) }
    }
    guard let descriptor = descriptor.take() else { return }
    do throws(SystemError) { try descriptor.close() } catch { throw failure(error) }
  }

  private func reporting(_ body: (CInt) throws(SystemError) -> Void) throws(DropStreamError) {
    guard let raw = descriptor?.raw else { return }
    do throws(SystemError) { try body(raw) } catch { throw failure(error) }
  }

  private func failure(_ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot write \(name.escapedForDisplay())", error)
  }
}
