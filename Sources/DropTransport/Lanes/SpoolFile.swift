// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemCoding

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A temporary file for a representation too long for memory, removed when nobody refers to it any more.
final class SpooledContent: Sendable {
  let url: URL

  init(_ url: URL) {
    self.url = url
  }

  deinit {
    try? SystemCalls.unlinkAt(AT_FDCWD, url.path)
  }
}

/// Fills such a file.
///
/// Who keeps the content keeps no descriptor.
final class SpoolFile {
  let content: SpooledContent
  private var descriptor: OwnedDescriptor?
  private(set) var byteCount: Int64 = 0

  init() throws(DropStreamError) {
    let directory = FileManager.default.temporaryDirectory
    let url = directory.appendingPathComponent("dragpipe-\(UUID().uuidString)")
    do throws(SystemError) {
      descriptor = try .open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
      content = SpooledContent(url)
    } catch {
      let place = directory.path.escapedForDisplay()
      let reason = "cannot make temporary files in \(place) (see TMPDIR)"
      throw DropStreamError(.destinationUnavailable, reason, error)
    }
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    guard let raw = descriptor?.raw else { return }
    do throws(SystemError) { try SystemCalls.writeAll(raw, bytes) } catch { throw Self.failure(error) }
    byteCount += Int64(bytes.count)
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
