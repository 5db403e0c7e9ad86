// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A claim of a type on the file names that a pattern matches.
struct MIMEGlob: Sendable, Hashable {
  static let defaultWeight: UInt8 = 50
  static let maximumWeight = 100

  let type: MIMENameTable.ID
  let weight: UInt8
}

/// The globs of all directories, by kind of pattern: names without wildcards, `*.extension`, and other wildcards.
struct MIMEGlobTable: Sendable {
  /// The maximum number of claims on one pattern; at most nine types share an extension in the system's database.
  static let maximumClaims = 64
  /// The maximum number of wildcard patterns in one directory, because a search may try each of these patterns.
  static let maximumWildcards = 256
  /// The maximum number of extensions in the list of one type; a search for an extension beyond it finds the type too.
  static let maximumExtensions = 256

  /// The claims on case-sensitive patterns, which take precedence, and the claims on all other patterns.
  private struct Indices: Sendable {
    var exact = MIMEGlobIndex(ignoresCase: false)
    var folded = MIMEGlobIndex(ignoresCase: true)

    func find(_ key: Span<UInt8>) -> [MIMEGlob] {
      let exactly = exact.find(key)
      return exactly.isEmpty ? folded.find(key) : exactly
    }
  }

  /// An extension that a type claims, and the index of the type's next extension.
  private struct Extension: Sendable {
    let id: MIMENameTable.ID
    let isExact: Bool
    var next: Int32 = -1
  }

  /// The linked list of a type's extensions, in the order of insertion.
  private struct ExtensionList: Sendable {
    var first: Int32 = -1
    var last: Int32 = -1
    var count = 0
  }

  private var literals = Indices()
  private var suffixes = Indices()
  private var wildcards: [(pattern: MIMEGlobPattern, length: Int, glob: MIMEGlob)] = []
  private var extensions: [Extension] = []
  /// The lists, indexed by the number of the type.
  private var extensionLists: [ExtensionList] = []
  private var longestSuffix = 0
  private var wildcardsOfDirectory = 0

  /// Begins the insertion of another directory's globs.
  mutating func startDirectory() {
    wildcardsOfDirectory = 0
  }

  /// Inserts a claim after the claims of the same weight.
  ///
  /// Further claims of a type on the same pattern are ignored.
  ///
  /// - Parameters:
  ///   - pattern: The pattern in the spelling of the file.
  ///   - glob: The claim.
  ///   - isCaseSensitive: Whether names must match the case of the pattern.
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

  /// Returns the claims on an extension, such as `png` or `tar.gz`, by descending weight.
  func claims(onExtension filenameExtension: Span<UInt8>) -> [MIMEGlob] {
    suffixes.find(filenameExtension)
  }

  /// Returns the extensions that a type claims, in the arbitrary order of the files.
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

  /// Returns the claims on the best pattern that matches a name, by descending weight.
  ///
  /// A pattern without wildcards takes precedence over extensions, and extensions over other wildcards. Among
  /// extensions and among other wildcards, the order is by weight, then by length. The result for an extension includes
  /// claims of lower weight, because the content may select one of these.
  ///
  /// - Parameter name: The name without its directories.
  /// - Returns: The claims; empty if no pattern matches, or if the name has more than 255 bytes.
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

/// A hash table of patterns without wildcards, with the claims on them.
///
/// The claims on all patterns share one array, in which each claim has the index of the next claim on its pattern.
struct MIMEGlobIndex: Sendable {
  private struct Claim: Sendable {
    let glob: MIMEGlob
    var next: Int32
  }

  private var keys: MIMENameTable
  /// The index of the claim with the greatest weight on each pattern.
  private var heads: [Int32] = []
  private var claims: [Claim] = []
  /// The lengths of the patterns in bytes: bit `n` stands for the length `n`, and bit 63 for all lengths from 63 on.
  private var lengths: UInt64 = 0

  init(ignoresCase: Bool) {
    keys = MIMENameTable(ignoresCase: ignoresCase)
  }

  /// Inserts a claim after the claims of the same weight.
  ///
  /// - Returns: The number of the pattern; `nil` if the type already claims it, or if it has the maximum number of claims.
  mutating func insert(_ key: Span<UInt8>, _ glob: MIMEGlob) -> MIMENameTable.ID? {
    let id = keys.insert(key)
    if Int(id) == heads.count {
      heads.append(-1)
      lengths |= Self.bit(of: key)
    }
    var count = 0
    var before: Int32 = -1
    var number = heads[Int(id)]
    while number >= 0 {
      let claim = claims[Int(number)]
      count += 1
      if claim.glob.type == glob.type || count == MIMEGlobTable.maximumClaims { return nil }
      if claim.glob.weight >= glob.weight { before = number }
      number = claim.next
    }
    let new = Int32(claims.count)
    claims.append(Claim(glob: glob, next: before < 0 ? heads[Int(id)] : claims[Int(before)].next))
    if before < 0 { heads[Int(id)] = new } else { claims[Int(before)].next = new }
    return id
  }

  /// Returns the claims on a pattern by descending weight.
  func find(_ key: Span<UInt8>) -> [MIMEGlob] {
    guard lengths & Self.bit(of: key) != 0, let id = keys.find(key) else { return [] }
    var found: [MIMEGlob] = []
    var number = heads[Int(id)]
    while number >= 0 {
      found.append(claims[Int(number)].glob)
      number = claims[Int(number)].next
    }
    return found
  }

  func key(_ id: MIMENameTable.ID) -> String {
    keys.name(id)
  }

  private static func bit(of key: Span<UInt8>) -> UInt64 {
    1 << UInt64(min(key.count, 63))
  }
}
