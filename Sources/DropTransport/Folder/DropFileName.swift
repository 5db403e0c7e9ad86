// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer
internal import UniformTypes

/// A name from a peer that has been found fit to become a file's name.
package struct DropFileName: Hashable, Sendable {
  /// What Linux file systems allow a name.
  static let maximumLength = 255

  let name: String

  /// Accepts one plain path component; what else may be in a name is somebody's attempt, or accident, to reach outside
  /// the directory or to act on a terminal.
  ///
  /// - Parameters:
  ///   - name: As the peer sent it.
  ///   - allowsHidden: Whether it may start with a period.
  /// - Throws: `unsafeName`.
  init(_ name: String, allowsHidden: Bool) throws(DropStreamError) {
    if let reason = Self.objection(to: name, allowsHidden: allowsHidden) {
      throw DropStreamError(.unsafeName, "refused the name \"\(name.escapedForDisplay())\": \(reason)")
    }
    self.name = name
  }

  /// The name without its extension, where it has one that stands for a type.
  static func stem(of name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return name }
    let fileExtension = String(name[name.utf8.index(after: dot)...])
    guard UTType(filenameExtension: fileExtension)?.isDeclared == true else { return name }
    return String(name[..<dot])
  }

  /// The name with a number, before its extension or at its end, and no longer than a name may be.
  static func numbered(_ name: String, _ number: Int) -> String {
    let stem = stem(of: name)
    return joined(stem, "-\(number)" + String(name[name.utf8.index(name.startIndex, offsetBy: stem.utf8.count)...]))
  }

  /// Both, with as much of the start as leaves the name no longer than a name may be, and at least its first scalar.
  static func joined(_ start: String, _ end: String) -> String {
    var scalars = start.unicodeScalars
    var length = start.utf8.count + end.utf8.count
    // No characters: one of them may be all there is, with marks by the hundred.
    while length > maximumLength, scalars.count > 1 { length -= UTF8.width(scalars.removeLast()) }
    return String(scalars) + end
  }

  /// What is said of a name that only ``DropFolder/allowsHiddenNames`` lets in.
  package static let hidden = "it is hidden"

  /// Returns why a name is refused, or `nil`.
  package static func objection(to name: String, allowsHidden: Bool) -> String? {
    if name.isEmpty { return "it is empty" }
    if name == "." || name == ".." { return "it is a directory's" }
    if name.utf8.contains(UInt8(ascii: "/")) { return "it is a path" }
    if name.utf8.count > maximumLength { return "it is longer than \(maximumLength) bytes" }
    // A later receiver would remove what has such a name.
    if StagingName.isLocked(name) { return "dragpipe uses such names itself" }
    if let scalar = name.firstInvisibleControl {
      return "it has the control character U+\(String(scalar.value, radix: 16, uppercase: true))"
    }
    if name.showsNothing { return "it has no visible character" }
    // The byte: for `String`, a period with an accent is another character.
    if name.utf8.first == UInt8(ascii: "."), !allowsHidden { return hidden }
    return nil
  }
}
