// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

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

  /// Does the same as ``inFolder(of:created:_:)`` below any directory.
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
