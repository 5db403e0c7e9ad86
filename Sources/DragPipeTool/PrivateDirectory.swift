// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import Glibc
internal import ItemCoding

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A new directory among the temporary files, into which nobody else sees.
struct PrivateDirectory: Sendable {
  let path: String

  /// - Throws: `cannotCreate`.
  init() throws(ToolFailure) {
    let template = FileManager.default.temporaryDirectory.path + "/dragpipe-XXXXXX"
    var path = Array(template.utf8CString)
    guard mkdtemp(&path) != nil else {
      let error = SystemError(errno, in: "mkdtemp")
      throw ToolFailure(.cannotCreate, "cannot make \(template.escapedForDisplay()): \(error)")
    }
    self.path = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// How many files and directories are in it.
  func entryCount() throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: path).count
  }

  /// Removes it with all that is in it, as far as that can be.
  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }
}
