// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Fills a temporary file with a representation too long for memory.
///
/// Who keeps the content keeps no descriptor.
final class SpoolFile {
  let content: TransientFile
  private var descriptor: OwnedDescriptor?
  private(set) var byteCount: Int64 = 0

  init() throws(DropStreamError) {
    let raw: CInt
    do throws(FileError) {
      (content, raw) = try TemporaryLocation.standard.makeFile()
    } catch {
      throw DropStreamError(
        .destinationUnavailable, error.description.escapedForDisplay(limit: 400), errorNumber: error.errorNumber)
    }
    descriptor = OwnedDescriptor(raw)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    guard let raw = descriptor?.raw else { return }
    do throws(SystemError) { try SystemCalls.writeAll(raw, bytes) } catch { throw Self.failure(error) }
    byteCount += Int64(bytes.count)
  }

  /// Leaves a hole.
  func append(zeros count: UInt64) throws(DropStreamError) {
    guard let raw = descriptor?.raw else { return }
    byteCount += Int64(count)
    do throws(SystemError) {
      try SystemCalls.truncate(raw, byteCount)
      _ = try SystemCalls.seek(raw, byteCount, SEEK_SET)
    } catch {
      throw Self.failure(error)
    }
  }

  /// Ends the file, and hears of any write that has failed late.
  func close() throws(DropStreamError) {
    guard let descriptor = descriptor.take() else { return }
    do throws(SystemError) { try descriptor.close() } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot write a temporary file", error)
  }
}
