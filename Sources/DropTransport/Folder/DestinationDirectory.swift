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

/// Path traversal below the destination, which opens one folder at a time and never follows a link.
extension DestinationDirectory {
  /// Calls `body` with the parent folder of a path and the last component of the path.
  ///
  /// - Parameters:
  ///   - name: A path relative to the destination. The caller has validated its components.
  ///   - created: Called with the path of each missing folder that was created. `nil` creates no folders.
  ///   - body: Receives a descriptor that is open until `body` returns.
  /// - Returns: The result of `body`.
  /// - Throws: The system error of a folder; `ENOTDIR` also for a link.
  func inFolder<Value>(
    of name: String, created: ((String) -> Void)? = nil, _ body: (CInt, String) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    try Self.descend(raw, name, created, body)
  }

  private static func descend<Value>(
    _ parent: CInt, _ path: String, from first: String.Index? = nil, _ created: ((String) -> Void)? = nil,
    _ body: (CInt, String) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    let start = first ?? path.startIndex
    guard let slash = path.utf8[start...].firstIndex(of: DropFolderPath.separator) else {
      return try body(parent, String(path[start...]))
    }
    let name = String(path[start..<slash])
    if let created {
      do throws(SystemError) {
        try SystemCalls.makeDirectoryAt(parent, name, 0o777)
        created(String(path[..<slash]))
      } catch {
        guard error.errorNumber == EEXIST else { throw error }
      }
    }
    let opened = try OwnedDescriptor.place(name, in: parent)
    return try descend(opened.raw, path, from: path.utf8.index(after: slash), created, body)
  }
}
