// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Where an entry is: the names from the top folder's on, as bytes, with slashes between them.
///
/// Bytes, since `String` takes different spellings of one character for equal, and a file system does not.
struct FolderEntryPath: Hashable, Sendable {
  static let separator = UInt8(ascii: "/")

  private(set) var bytes: [UInt8]
  /// The number of names.
  private(set) var depth: Int

  /// Takes one name, or several that have been found fit.
  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    depth = self.bytes.count { $0 == Self.separator } + 1
  }

  func appending(_ name: some Sequence<UInt8>) -> FolderEntryPath {
    var path = self
    path.bytes.append(Self.separator)
    path.bytes.append(contentsOf: name)
    path.depth += 1
    return path
  }

  /// The last name.
  var name: String {
    let start = bytes.lastIndex(of: Self.separator).map { $0 + 1 } ?? 0
    return String(decoding: bytes[start...], as: UTF8.self)
  }

  /// The path of the first `depth` names.
  func prefix(depth: Int) -> FolderEntryPath {
    FolderEntryPath(bytes.split(separator: Self.separator).prefix(depth).joined(separator: [Self.separator]))
  }

  func isAncestor(of other: FolderEntryPath) -> Bool {
    other.bytes.count > bytes.count && other.bytes[bytes.count] == Self.separator && other.bytes.starts(with: bytes)
  }

  /// Refuses what would reach outside, be ambiguous, or act on a terminal.
  ///
  /// A backslash is a character like others: it separates nothing on Linux, and names with it exist. Joiners stay, as
  /// scripts and emoji need them; what turns the direction of text round goes, as it hides extensions.
  func validate(_ limits: FolderArchive.Limits) throws(FolderArchiveError) {
    guard bytes.count <= limits.pathBytes else {
      throw FolderArchiveError(.limitExceeded, "the path is longer than \(limits.pathBytes) bytes", path: self)
    }
    guard depth <= limits.depth else {
      throw FolderArchiveError(.limitExceeded, "it is more than \(limits.depth) folders deep", path: self)
    }
    for name in bytes.split(separator: Self.separator, omittingEmptySubsequences: false) {
      guard name.count <= limits.nameBytes else {
        throw FolderArchiveError(.limitExceeded, "the name is longer than \(limits.nameBytes) bytes", path: self)
      }
      if let objection = Self.objection(to: name) { throw FolderArchiveError(.unsafeName, objection, path: self) }
    }
  }

  private static func objection(to name: ArraySlice<UInt8>) -> String? {
    if name.isEmpty { return "a name is empty" }
    if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { return "a name is a directory's own" }
    // Most names are plain ASCII, and need no look at the tables.
    if name.allSatisfy({ (0x20..<0x7F).contains($0) }) { return nil }
    guard let text = String(validating: name, as: UTF8.self) else { return "a name is not UTF-8" }
    guard let scalar = text.unicodeScalars.first(where: \.isUnsafeInNames) else { return nil }
    return "a name has the control character U+\(String(scalar.value, radix: 16, uppercase: true))"
  }
}

extension FolderEntryPath: Comparable {
  /// The order of a walk through the tree: a folder, then all that is in it, names by their bytes.
  static func < (left: FolderEntryPath, right: FolderEntryPath) -> Bool {
    let common = min(left.bytes.count, right.bytes.count)
    for index in 0..<common where left.bytes[index] != right.bytes[index] {
      // The separator comes before every character: nothing may stand between a folder and its content.
      if left.bytes[index] == separator { return true }
      if right.bytes[index] == separator { return false }
      return left.bytes[index] < right.bytes[index]
    }
    return left.bytes.count < right.bytes.count
  }
}

extension FolderEntryPath: CustomStringConvertible {
  /// The path in quotation marks, fit for a terminal.
  var description: String {
    "\"\(String(escapingForDisplay: bytes))\""
  }
}

extension Unicode.Scalar {
  fileprivate var isUnsafeInNames: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl
    }
  }
}
