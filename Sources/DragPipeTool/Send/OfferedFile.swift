// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import Glibc
internal import ItemCoding
internal import ItemTransfer

/// A file that is offered, as it was then.
struct OfferedFile: Sendable {
  let path: String
  private let status: FileStatus

  /// - Returns: `nil` where nothing can be said of it: who loads it hears why.
  init?(path: String) {
    guard let status = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path) else { return nil }
    self.path = path
    self.status = status
  }

  var isFolder: Bool { status.kind == .directory }

  var size: ItemSize { status.statedSize.map { .exact($0) } ?? .unknown }

  var byteCount: UInt64? { status.statedSize.map { UInt64($0) } }

  /// What goes along with it; of a folder, the archive has that.
  var attributes: ItemFileAttributes {
    guard status.kind == .regular else { return ItemFileAttributes() }
    return ItemFileAttributes(
      permissions: UInt16(status.permissions & 0o777), modificationTime: status.modificationTime)
  }

  /// Removes the file, which the receiver has now, if it still is what was sent.
  ///
  /// - Returns: Why it stays; `nil` where it is gone.
  func removeMoved() -> String? {
    let shown = path.escapedForDisplay()
    guard status.kind == .regular else { return "\(shown) stays: only files are moved" }
    do throws(SystemError) {
      let now = try SystemCalls.statusAt(DropEndpoint.currentDirectory, path, AT_SYMLINK_NOFOLLOW)
      guard now.isSameFile(as: status), now.size == status.size, now.modificationTime == status.modificationTime
      else { return "\(shown) stays: it is not what was sent any more" }
      try SystemCalls.unlinkAt(DropEndpoint.currentDirectory, path)
      return nil
    } catch {
      return "\(shown) stays: \(error)"
    }
  }
}
