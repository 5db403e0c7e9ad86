// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A claim of a type on the file names that a pattern matches.
struct MIMEGlob: Sendable, Hashable {
  static let defaultWeight: UInt8 = 50
  static let maximumWeight = 100

  let type: MIMENameTable.ID
  let weight: UInt8
}

/// The globs of all directories, by the kinds of pattern: whole names, `*.extension`, and the few with other wildcards.
struct MIMEGlobTable: Sendable {
  /// More claims on one pattern are dropped: at most nine types share an extension in the system's database.
  static let maximumClaims = 64
  /// More patterns with wildcards in one directory are dropped, since each is tried with every name.
  static let maximumWildcards = 256
  /// More extensions of one type lead to it, but it is not told which.
  static let maximumExtensions = 256

  /// The two ways to spell: exactly, which wins, and in any case.
  private struct Indices: Sendable {
    var exact = MIMEGlobIndex(ignoresCase: false)
    var folded = MIMEGlobIndex(ignoresCase: true)

    func find(_ key: Span<UInt8>) -> [MIMEGlob] {
      let exactly = exact.find(key)
      return exactly.isEmpty ? folded.find(key) : exactly
    }
  }

  /// An extension that a type claims, and the number of the type's next one.
  private struct Extension: Sendable {
    let id: MIMENameTable.ID
    let isExact: Bool
    var next: Int32 = -1
  }

  /// A type's extensions, in the order in which they came.
  private struct ExtensionList: Sendable {
    var first: Int32 = -1
    var last: Int32 = -1
    var count = 0
  }

  private var literals = Indices()
  private var suffixes = Indices()
  private var wildcards: [(pattern: MIMEGlobPattern, length: Int, glob: MIMEGlob)] = []
  private var extensions: [Extension] = []
  /// By the type's number.
  private var extensionLists: [ExtensionList] = []
  private var longestSuffix = 0
  private var wildcardsOfDirectory = 0

  /// Says that what is inserted from here on is from another directory.
  mutating func startDirectory() {
    wildcardsOfDirectory = 0
  }

  /// Adds a claim, behind those that weigh as much.
  ///
  /// The first claim of a type on a pattern is the one that stays.
  ///
  /// - Parameters:
  ///   - pattern: The pattern as it is in the file.
  ///   - glob: Who claims it.
  ///   - isCaseSensitive: Whether names must be spelled as the pattern is.
  mutating func insert(_ pattern: Span<UInt8>, _ glob: MIMEGlob, isCaseSensitive: Bool) {
    guard (1...MIMEGlobPattern.maximumLength).contains(pattern.count) else { return }
    let isSuffix = pattern.count > 2 && pattern[0] == UInt8(ascii: "*") && pattern[1] == UInt8(ascii: ".")
    let key = pattern.extracting(droppingFirst: isSuffix ? 2 : 0)
    if key.indices.contains(where: { Self.isSpecial(key[$0]) }) {
      guard wildcardsOfDirectory < Self.maximumWildcards,
        let compiled = MIMEGlobPattern(pattern, ignoresCase: !isCaseSensitive)
      else { return }
      wildcardsOfDirectory += 1
      wildcards.append((compiled, pattern.count, glob))
    } else if isSuffix {
      longestSuffix = max(longestSuffix, key.count)
      let id = isCaseSensitive ? suffixes.exact.insert(key, glob) : suffixes.folded.insert(key, glob)
      if let id { append(Extension(id: id, isExact: isCaseSensitive), of: Int(glob.type)) }
    } else {
      _ = isCaseSensitive ? literals.exact.insert(key, glob) : literals.folded.insert(key, glob)
    }
  }

  private mutating func append(_ new: Extension, of type: Int) {
    while extensionLists.count <= type { extensionLists.append(ExtensionList()) }
    guard extensionLists[type].count < Self.maximumExtensions else { return }
    let number = Int32(extensions.count)
    extensions.append(new)
    let last = extensionLists[type].last
    if last >= 0 { extensions[Int(last)].next = number } else { extensionLists[type].first = number }
    extensionLists[type].last = number
    extensionLists[type].count += 1
  }

  /// The types that claim an extension, such as `png` or `tar.gz`; heaviest first.
  func claims(onExtension filenameExtension: Span<UInt8>) -> [MIMEGlob] {
    suffixes.find(filenameExtension)
  }

  /// The extensions a type claims, in the order in which the files have them, which says little.
  func extensions(of type: MIMENameTable.ID) -> [String] {
    var names: [String] = []
    var number = Int(type) < extensionLists.count ? extensionLists[Int(type)].first : -1
    while number >= 0 {
      let found = extensions[Int(number)]
      names.append((found.isExact ? suffixes.exact : suffixes.folded).key(found.id))
      number = found.next
    }
    return names
  }

  /// The types that claim a name by its best pattern; heaviest first.
  ///
  /// A whole name beats an extension, which beats any other wildcard. Among extensions and among other wildcards, the
  /// heaviest wins, then the longest. Lighter claims on the winning extension stay in: the content may choose them.
  ///
  /// - Parameter name: The name without its directories.
  /// - Returns: Nothing when no pattern matches, or the name is longer than a file system allows.
  func claims(onName name: Span<UInt8>) -> [MIMEGlob] {
    guard (1...MIMEGlobPattern.maximumLength).contains(name.count) else { return [] }
    let literal = literals.find(name)
    if !literal.isEmpty { return literal }
    var best: [MIMEGlob] = []
    for dot in max(0, name.count - longestSuffix - 1)..<name.count where name[dot] == UInt8(ascii: ".") {
      let found = suffixes.find(name.extracting(droppingFirst: dot + 1))
      if let weight = found.first?.weight, weight > best.first?.weight ?? 0 || best.isEmpty { best = found }
    }
    return best.isEmpty ? claimsByWildcard(onName: name) : best
  }

  private func claimsByWildcard(onName name: Span<UInt8>) -> [MIMEGlob] {
    var best: [MIMEGlob] = []
    var length = 0
    for (pattern, patternLength, glob) in wildcards where pattern.matches(name) {
      let weight = best.first?.weight ?? 0
      if best.isEmpty || (glob.weight, patternLength) > (weight, length) {
        (best, length) = ([glob], patternLength)
      } else if (glob.weight, patternLength) == (weight, length), !best.contains(glob) {
        best.append(glob)
      }
    }
    return best
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "\\"): true
    default: false
    }
  }
}
