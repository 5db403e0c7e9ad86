// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// The directory that receives the files.
///
/// If this receive created the directory and has not called ``keep()``, `deinit` removes it, unless it contains files.
final class DestinationDirectory {
  let shownPath: String
  let path: String
  private let descriptor: OwnedDescriptor
  private var isTemporary: Bool

  var raw: CInt { descriptor.raw }

  /// Opens the directory, and creates it first if the folder allows that.
  ///
  /// - Throws: `destinationUnavailable`.
  init(_ folder: DropFolder) throws(DropStreamError) {
    path = folder.path
    shownPath = path.escapedForDisplay()
    do throws(SystemError) {
      isTemporary = folder.isCreatedWhenMissing ? try Self.make(path) : false
      do throws(SystemError) {
        descriptor = try .open(path, O_RDONLY | O_DIRECTORY)
      } catch {
        // The umask may deny access to the new directory.
        if isTemporary { try? SystemCalls.unlinkAt(AT_FDCWD, path, AT_REMOVEDIR) }
        throw error
      }
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot use the directory \(shownPath)", error)
    }
  }

  /// Creates the directory if it does not exist.
  ///
  /// - Returns: Whether this call created it.
  private static func make(_ path: String) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try SystemCalls.makeDirectory(path, 0o777)
      return true
    } catch {
      guard error.errorNumber == EEXIST else { throw error }
      return false
    }
  }

  /// Keeps the directory, even if it is empty.
  func keep() { isTemporary = false }

  /// Flushes the directory's own name to the disk if this receive created the directory.
  func flushOwnName() throws(SystemError) {
    if isTemporary { try SystemCalls.syncDirectory(raw, "..") }
  }

  deinit {
    guard isTemporary, let here = try? SystemCalls.status(raw),
      (try? SystemCalls.statusAt(AT_FDCWD, path))?.isSameFile(as: here) == true
    else { return }
    // If another process has put a file into it meanwhile, the call fails and the directory stays.
    try? SystemCalls.unlinkAt(AT_FDCWD, path, AT_REMOVEDIR)
  }
}
