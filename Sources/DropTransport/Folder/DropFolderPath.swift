// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Validation of the folder path that a peer declares for a file.
package enum DropFolderPath {
  /// The maximum number of names in a path, which is also the maximum depth of a sent folder.
  package static let maximumDepth = 64
  static let separator = UInt8(ascii: "/")

  /// Validates a path: names separated by slashes, each a valid file name.
  ///
  /// - Parameters:
  ///   - path: The path as the peer sent it; `nil` for the destination itself.
  ///   - allowsHidden: Whether the names may start with a period.
  /// - Returns: The path with a trailing slash, as a prefix for the file's name; empty for the destination itself.
  /// - Throws: `unsafeName`, `limitExceeded`.
  static func prefix(_ path: String?, allowsHidden: Bool) throws(DropStreamError) -> String {
    guard let path else { return "" }
    if let reason = objection(to: path, allowsHidden: allowsHidden) {
      throw DropStreamError(.unsafeName, "refused the folder \"\(path.escapedForDisplay())\": \(reason)")
    }
    return path + "/"
  }

  /// Returns the reason to refuse a path, or `nil`.
  package static func objection(to path: String, allowsHidden: Bool) -> String? {
    // Splits the bytes: a slash and a following combining mark would be one character.
    let names = path.utf8.split(separator: separator, omittingEmptySubsequences: false)
    guard names.count <= maximumDepth else { return "it is more than \(maximumDepth) folders deep" }
    for name in names {
      if let reason = DropFileName.objection(to: String(name) ?? "", allowsHidden: allowsHidden) { return reason }
    }
    return nil
  }
}
