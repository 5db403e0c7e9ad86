// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The path of an entry: the names from the top folder's on, as bytes, with slashes between them.
///
/// `String` would compare different spellings of one character as equal; a file system does not.
struct FolderEntryPath: Hashable, Sendable {
  static let separator = UInt8(ascii: "/")

  private(set) var bytes: [UInt8]
  /// The number of names.
  private(set) var depth: Int

  /// Creates a path from one name, or from several that have been validated.
  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    depth = self.bytes.count { $0 == Self.separator } + 1
  }

  /// Creates the path of a top folder.
  ///
  /// - Throws: `unsafeName` for a name with a slash, which would be treated as several names; the errors of
  ///   ``validate(_:)``.
  init(top name: String, _ limits: FolderArchive.Limits) throws(FolderArchiveError) {
    self.init(name.utf8)
    guard depth == 1 else { throw FolderArchiveError(.unsafeName, "the folder's name is a path", path: self) }
    try validate(limits)
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

  /// The bytes of the path below the top folder; empty for the top folder itself.
  var belowTop: ArraySlice<UInt8> { bytes.drop { $0 != Self.separator }.dropFirst() }

  /// The bytes of the path of the folder above, below the top folder; empty for an entry of the top folder.
  var parentBelowTop: ArraySlice<UInt8> {
    let below = belowTop
    return below[..<(below.lastIndex(of: Self.separator) ?? below.startIndex)]
  }

  /// Rejects a path that exceeds a limit, would reach outside, be ambiguous, or act on a terminal.
  ///
  /// A backslash is an ordinary character in names on Linux. Joiners are allowed, since scripts and emoji need them.
  /// Direction marks are not allowed, since they can hide extensions.
  func validate(_ limits: FolderArchive.Limits) throws(FolderArchiveError) {
    guard bytes.count <= limits.pathBytes else {
      throw FolderArchiveError(.limitExceeded, "the path is longer than \(limits.pathBytes) bytes", path: self)
    }
    guard depth <= limits.depth else {
      throw FolderArchiveError(.limitExceeded, "the path has more than \(limits.depth) names", path: self)
    }
    var start = bytes.startIndex
    while start <= bytes.endIndex {
      let end = bytes[start...].firstIndex(of: Self.separator) ?? bytes.endIndex
      let name = bytes[start..<end]
      guard name.count <= limits.nameBytes else {
        throw FolderArchiveError(.limitExceeded, "the name is longer than \(limits.nameBytes) bytes", path: self)
      }
      if let objection = Self.objection(to: name) { throw FolderArchiveError(.unsafeName, objection, path: self) }
      start = end + 1
    }
  }

  private static func objection(to name: ArraySlice<UInt8>) -> String? {
    if name.isEmpty { return "a name is empty" }
    if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { return #"a name is "." or "..""# }
    // A later receiver into the folder would take the directory for its own.
    if StagingName.isLocked(name) { return "names of this form are reserved for staging directories" }
    // Most names are plain ASCII and need no table lookup.
    if name.allSatisfy({ (0x20..<0x7F).contains($0) }) { return nil }
    guard let text = String(validating: name, as: UTF8.self) else { return "a name is not UTF-8" }
    guard let scalar = text.unicodeScalars.first(where: \.isUnsafeInNames) else { return nil }
    return "a name has the control character U+\(String(scalar.value, radix: 16, uppercase: true))"
  }
}

extension FolderEntryPath: CustomStringConvertible {
  /// The path in quotation marks, escaped for a terminal; of a long path its end.
  var description: String {
    guard bytes.count > 200 else { return "\"\(String(escapingForDisplay: bytes))\"" }
    // Begins with a scalar, not within it.
    let end = bytes.suffix(200).drop { $0 & 0xC0 == 0x80 }
    return "\"…\(String(escapingForDisplay: end))\""
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
