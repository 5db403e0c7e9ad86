// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// The directory that files go to; one that was made for them goes again where none of them stays.
final class DestinationDirectory {
  let shownPath: String
  let path: String
  private let descriptor: OwnedDescriptor
  private var isTemporary: Bool

  var raw: CInt { descriptor.raw }

  /// - Throws: `destinationUnavailable`.
  init(_ folder: DropFolder) throws(DropStreamError) {
    path = folder.path
    shownPath = path.escapedForDisplay()
    do throws(SystemError) {
      isTemporary = folder.isCreatedWhenMissing ? try Self.make(path) : false
      do throws(SystemError) {
        descriptor = try .open(path, O_RDONLY | O_DIRECTORY)
      } catch {
        // As the umask may have it.
        if isTemporary { try? SystemCalls.unlinkAt(AT_FDCWD, path, AT_REMOVEDIR) }
        throw error
      }
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot use the directory \(shownPath)", error)
    }
  }

  /// - Returns: Whether it was not there before.
  private static func make(_ path: String) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try SystemCalls.makeDirectory(path, 0o777)
      return true
    } catch {
      guard error.errorNumber == EEXIST else { throw error }
      return false
    }
  }

  /// Lets the directory stay, with or without anything in it.
  func keep() { isTemporary = false }

  /// Flushes the directory's own name to the disk, where the directory was created for what it gets.
  func flushOwnName() throws(SystemError) {
    if isTemporary { try SystemCalls.syncDirectory(raw, "..") }
  }

  deinit {
    guard isTemporary, let here = try? SystemCalls.status(raw),
      (try? SystemCalls.statusAt(AT_FDCWD, path))?.isSameFile(as: here) == true
    else { return }
    // Where somebody else has put something into it meanwhile, it stays.
    try? SystemCalls.unlinkAt(AT_FDCWD, path, AT_REMOVEDIR)
  }
}
