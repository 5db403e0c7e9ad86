// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The folders that a file goes to, as a peer names them, found fit to be made below the destination.
package enum DropFolderPath {
  /// Names in a path; as many as a folder that is sent may have.
  package static let maximumDepth = 64
  static let separator = UInt8(ascii: "/")

  /// Checks a path: names separated by slashes, each fit for a file.
  ///
  /// - Parameters:
  ///   - path: As the peer sent it; `nil` for the destination itself.
  ///   - allowsHidden: Whether the names may start with a period.
  /// - Returns: The path with a slash at its end, to be followed by the file's name; empty for the destination itself.
  /// - Throws: `unsafeName`, `limitExceeded`.
  static func prefix(_ path: String?, allowsHidden: Bool) throws(DropStreamError) -> String {
    guard let path else { return "" }
    if let reason = objection(to: path, allowsHidden: allowsHidden) {
      throw DropStreamError(.unsafeName, "refused the folder \"\(path.escapedForDisplay())\": \(reason)")
    }
    return path + "/"
  }

  /// Returns why a path is refused, or `nil`.
  package static func objection(to path: String, allowsHidden: Bool) -> String? {
    // By bytes: a mark behind a slash would be one character with it.
    let names = path.utf8.split(separator: separator, omittingEmptySubsequences: false)
    guard names.count <= maximumDepth else { return "it is more than \(maximumDepth) folders deep" }
    for name in names {
      if let reason = DropFileName.objection(to: String(name) ?? "", allowsHidden: allowsHidden) { return reason }
    }
    return nil
  }
}
