// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// Folders below the destination, which are opened one after the other and never through a link.
extension DestinationDirectory {
  /// Calls `body` with the folder that a name is in, and the last part of the name.
  ///
  /// - Parameters:
  ///   - name: Relative to the destination; its parts have been found fit.
  ///   - created: Called with each folder that was missing and has been created; `nil` creates none.
  ///   - body: Gets a descriptor, which is open as long as it runs.
  /// - Returns: What `body` returns.
  /// - Throws: What the system says of a folder: `ENOTDIR` also for a link.
  func inFolder<Value>(
    of name: String, created: ((String) -> Void)? = nil, _ body: (CInt, String) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    try Self.descend(raw, name, created, body)
  }

  /// The same below any directory.
  static func descend<Value>(
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
