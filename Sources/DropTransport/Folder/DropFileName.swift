// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer
internal import UniformTypes

/// A name from a peer that was validated as a file name.
package struct DropFileName: Hashable, Sendable {
  /// The maximum length of a name in bytes, which is the limit of Linux file systems.
  static let maximumLength = 255

  let name: String

  /// Validates a name, which must be one plain path component.
  ///
  /// Other names could lead outside the directory or control a terminal, by intent or by accident.
  ///
  /// - Parameters:
  ///   - name: The name as the peer sent it.
  ///   - allowsHidden: Whether the name may start with a period.
  /// - Throws: `unsafeName`.
  init(_ name: String, allowsHidden: Bool) throws(DropStreamError) {
    if let reason = Self.objection(to: name, allowsHidden: allowsHidden) {
      throw DropStreamError(
        .unsafeName, "refused the name \"\(name.escapedForDisplay())\": \(reason)",
        detail: reason == Self.hidden ? .hiddenName : nil)
    }
    self.name = name
  }

  /// Returns the name without its extension if the extension belongs to a declared type, else the name.
  static func stem(of name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return name }
    let fileExtension = String(name[name.utf8.index(after: dot)...])
    guard UTType(filenameExtension: fileExtension)?.isDeclared == true else { return name }
    return String(name[..<dot])
  }

  /// Returns the name with a number before its extension or at its end, truncated to the maximum length.
  static func numbered(_ name: String, _ number: Int) -> String {
    let stem = stem(of: name)
    return joined(stem, "-\(number)" + String(name[name.utf8.index(name.startIndex, offsetBy: stem.utf8.count)...]))
  }

  /// Returns both strings joined.
  ///
  /// If the result would exceed the maximum length, `start` is truncated, but not below one scalar.
  static func joined(_ start: String, _ end: String) -> String {
    var scalars = start.unicodeScalars
    var length = start.utf8.count + end.utf8.count
    // By scalars: a single character may have hundreds of combining marks.
    while length > maximumLength, scalars.count > 1 { length -= UTF8.width(scalars.removeLast()) }
    return String(scalars) + end
  }

  /// The objection to a name that only ``DropFolder/allowsHiddenNames`` permits.
  package static let hidden = "it starts with a period"

  /// Returns the reason to refuse a name, or `nil`.
  package static func objection(to name: String, allowsHidden: Bool) -> String? {
    if name.isEmpty { return "it is empty" }
    if name == "." || name == ".." { return "it is reserved for directories" }
    if name.utf8.contains(UInt8(ascii: "/")) { return "it contains a slash" }
    if name.utf8.count > maximumLength { return "it is longer than \(maximumLength) bytes" }
    // A later receiver would remove a directory with such a name.
    if StagingName.isLocked(name.utf8) { return "names of this form are reserved for staging directories" }
    if let scalar = name.firstInvisibleControl {
      return "it has the control character U+\(String(scalar.value, radix: 16, uppercase: true))"
    }
    if name.showsNothing { return "it has no visible character" }
    // Compares the byte: in a `String`, a period with an accent is a different character.
    if name.utf8.first == UInt8(ascii: "."), !allowsHidden { return hidden }
    return nil
  }
}

/// Validation of the folder path that a peer declares for a file.
package enum DropFolderPath {
  /// The maximum number of names in a path.
  package static let maximumDepth = 64
  static let separator = UInt8(ascii: "/")

  /// Validates a path: names separated by slashes, each a valid file name.
  ///
  /// - Parameters:
  ///   - path: The path as the peer sent it; `nil` for the destination itself.
  ///   - allowsHidden: Whether the names may start with a period.
  /// - Returns: The path with a trailing slash, as a prefix for the file's name; empty for the destination itself.
  /// - Throws: `unsafeName`.
  static func prefix(_ path: String?, allowsHidden: Bool) throws(DropStreamError) -> String {
    guard let path else { return "" }
    if let reason = objection(to: path, allowsHidden: allowsHidden) {
      throw DropStreamError(
        .unsafeName, "refused the folder \"\(path.escapedForDisplay())\": \(reason)",
        detail: reason == DropFileName.hidden ? .hiddenName : nil)
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
