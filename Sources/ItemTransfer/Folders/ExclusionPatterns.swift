// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Patterns for files and folders to leave out, in the syntax of [gitignore](https://git-scm.com/docs/gitignore).
///
/// A pattern without a slash matches a name at any depth, and other patterns match a path from the top. A slash at the
/// end restricts a pattern to folders, `**` stands for any number of names, and `!` at the start keeps what an earlier
/// pattern leaves out. The last pattern that matches decides.
package struct ExclusionPatterns: Sendable {
  private struct Pattern: Sendable {
    /// The patterns of the names in a path, each with a zero at its end; `nil` for `**`.
    let names: [[CChar]?]
    /// Whether the pattern keeps what it matches.
    let isNegated: Bool
    let isForFolders: Bool
    /// Whether the pattern matches names at any depth.
    let isUnanchored: Bool
    /// Whether a file has the pattern, which then starts at the top only.
    let isFromFile: Bool
  }

  private var patterns: [Pattern] = []

  /// Creates an empty list.
  package init() {}

  /// Whether there are no patterns.
  package var isEmpty: Bool { patterns.isEmpty }

  /// Appends a pattern.
  ///
  /// - Returns: Whether the text is a pattern; false for text without a name, which is not appended.
  package mutating func append(_ text: some Collection<UInt8>) -> Bool { append(text, isFromFile: false) }

  private mutating func append(_ text: some Collection<UInt8>, isFromFile: Bool) -> Bool {
    var rest = Array(text)[...]
    let isNegated = rest.first == UInt8(ascii: "!")
    if isNegated { rest = rest.dropFirst() }
    let isForFolders = rest.last == FolderEntryPath.separator
    if isForFolders { rest = rest.dropLast() }
    let isUnanchored = !rest.contains(FolderEntryPath.separator)
    var parts = rest.split(separator: FolderEntryPath.separator, omittingEmptySubsequences: false)
    let isPlain = { (part: ArraySlice<UInt8>) in !part.isEmpty && !part.elementsEqual(".".utf8) }
    // Shells complete paths such as ./a.
    if isFromFile {
      parts = parts.first?.isEmpty == true ? Array(parts.dropFirst()) : parts
    } else {
      parts.removeAll { !isPlain($0) }
    }
    guard !parts.isEmpty, parts.allSatisfy(isPlain), !rest.contains(0) else { return false }
    var names: [[CChar]?] = isUnanchored ? [nil] : []
    for part in parts {
      let isAny = part.count > 1 && part.allSatisfy { $0 == UInt8(ascii: "*") } && !isUnanchored
      // Two in a row have the meaning of one.
      if isAny, names.last == .some(nil) { continue }
      names.append(isAny ? nil : Self.terminated(part))
    }
    patterns.append(
      Pattern(
        names: names, isNegated: isNegated, isForFolders: isForFolders, isUnanchored: isUnanchored,
        isFromFile: isFromFile))
    return true
  }

  /// Appends the patterns of another list.
  package mutating func append(_ others: ExclusionPatterns) { patterns += others.patterns }

  /// Appends the patterns of a file, one per line, without its empty lines and its comments.
  package mutating func append(lines text: some Collection<UInt8>) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = Array(text)
    for var line in bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0).split(separator: UInt8(ascii: "\n")) {
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      if line.first == UInt8(ascii: "#") { continue }
      // A backslash keeps a space at the end.
      while line.last == UInt8(ascii: " ") {
        let backslashes = line.dropLast().reversed().prefix { $0 == UInt8(ascii: "\\") }
        if !backslashes.count.isMultiple(of: 2) { break }
        line = line.dropLast()
      }
      _ = append(line, isFromFile: true)
    }
  }

  /// Whether a file is left out, regardless of the folders that contain it.
  ///
  /// - Parameters:
  ///   - path: The path from the top, without a slash at its start or end.
  ///   - isFolder: Whether the file is a folder.
  ///   - anyDepthOnly: Whether to ignore patterns that start at the top.
  ///   - prefix: The path of the top as the user gave it: patterns may also start where it starts.
  /// - Returns: Whether the last pattern that matches leaves the file out; false if no pattern matches.
  package func excludes(
    _ path: some Collection<UInt8>, isFolder: Bool, anyDepthOnly: Bool = false, below prefix: String = ""
  ) -> Bool {
    if patterns.isEmpty { return false }
    let names = Array(path).split(separator: FolderEntryPath.separator).map(Self.terminated)[...]
    let top = prefix.utf8.split(separator: FolderEntryPath.separator).filter { !$0.elementsEqual(".".utf8) }
    let full = (top.map { Self.terminated(Array($0)[...]) } + names)[...]
    for pattern in patterns.reversed() {
      guard isFolder || !pattern.isForFolders, pattern.isUnanchored || !anyDepthOnly else { continue }
      let isMatch =
        Self.matches(names, pattern.names)
        || !top.isEmpty && !pattern.isUnanchored && !pattern.isFromFile && Self.matches(full, pattern.names)
      if isMatch { return !pattern.isNegated }
    }
    return false
  }

  private static func terminated(_ name: ArraySlice<UInt8>) -> [CChar] { name.map { CChar(bitPattern: $0) } + [0] }

  /// Compares from the start, and returns to the last `**` after a difference: earlier ones cannot match better.
  private static func matches(_ names: ArraySlice<[CChar]>, _ pattern: [[CChar]?]) -> Bool {
    var (position, next) = (names.startIndex, 0)
    var last: (next: Int, position: Int)?
    while position < names.endIndex {
      if next < pattern.count, pattern[next] == nil {
        // At the end, it matches everything inside a folder, but not the folder.
        if next == pattern.count - 1 { return true }
        last = (next + 1, position)
        next += 1
      } else if next < pattern.count, let name = pattern[next], fnmatch(name, names[position], 0) == 0 {
        next += 1
        position += 1
      } else if let (start, tried) = last {
        last = (start, tried + 1)
        (next, position) = (start, tried + 1)
      } else {
        return false
      }
    }
    return next == pattern.count
  }
}
