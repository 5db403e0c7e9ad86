// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A snapshot of the freedesktop shared MIME database, which determines the MIME types of files.
///
/// The database consists of the file `mime.cache` of each directory. A file that is corrupt or too long is skipped with
/// a remark, and so is an existing directory without the file.
///
/// Types are compared without regard to case. Every result is a canonical name, except the result of `aliases(of:)`.
package final class MIMEDatabase: Sendable {
  static let fileName = "mime.cache"
  /// The maximum number of directories; further directories are ignored.
  static let maximumDirectories = 64
  /// The maximum number of leading bytes of a file that can influence its type.
  static let maximumMagicExtent = 64 << 10
  /// The maximum number of supertypes that one search visits.
  static let maximumAncestors = 1024
  /// The maximum length of a file's name in bytes.
  private static let maximumNameLength = 255

  let directories: [String]
  /// A line for each directory or file that is skipped, with the reason; control characters are escaped.
  let remarks: [String]
  /// The number of leading bytes that the rules examine; at most `maximumMagicExtent`.
  package let magicExtent: Int
  private let files: [MIMECacheFile]
  /// For each file, the types whose patterns are ignored because a nearer file discards them.
  private let closed: [Set<String>]
  /// The tables, created on first use.
  private let tables = Lock(MIMETables?.none)
  /// The cache of `filenameExtensions(of:)`.
  private let extensions = Lock<[String: [String]]>([:])

  /// Reads the database.
  ///
  /// - Parameter directories: The directories named `mime`, nearest first; missing directories are skipped.
  package init(directories: [String]) {
    self.directories = Array(directories.prefix(Self.maximumDirectories))
    var remarks: [String] = []
    let files = self.directories.compactMap { directory -> MIMECacheFile? in
      let path = "\(directory)/\(Self.fileName)"
      do {
        if let bytes = try Self.contents(of: path, limit: MIMECacheFile.maximumLength) {
          return try MIMECacheFile(bytes)
        }
        if (try? SystemCalls.status(ofPath: directory))?.kind == .directory {
          remarks.append("\(path): the file is missing; update-mime-database writes it".escapedForDisplay())
        }
      } catch {
        remarks.append("\(path): \(error); it is ignored".escapedForDisplay())
      }
      return nil
    }
    self.remarks = remarks
    self.files = files
    magicExtent = min(files.map(\.extent).max() ?? 0, Self.maximumMagicExtent)
    var discarded: Set<String> = []
    closed = files.map { file in
      defer {
        let notices = file.entries(.literals, of: 12).filter { file.text($0) == "__NOGLOBS__" }
        discarded.formUnion(notices.compactMap { file.type($0 + 4) })
      }
      return discarded
    }
  }

  private var table: MIMETables {
    tables.withLock { tables in
      if let tables { return tables }
      let created = MIMETables(files)
      tables = created
      return created
    }
  }

  /// Returns the contents of a regular file; follows links.
  ///
  /// The file is not mapped into memory: if another program truncated it, access to the mapping would end this process.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The maximum length of the file in bytes.
  /// - Returns: The contents; `nil` if the file does not exist.
  /// - Throws: If the file is too long, is not a regular file or cannot be read.
  private static func contents(of path: String, limit: Int) throws -> [UInt8]? {
    do {
      let file = try ReadableFile(path: path)
      guard file.status.kind == .regular else {
        throw MIMECacheFile.Fault(description: "this is not a regular file")
      }
      guard file.status.size <= limit else {
        throw MIMECacheFile.Fault(description: "the file has more than \(limit) bytes")
      }
      return try file.read(upTo: Int(file.status.size))
    } catch let error as SystemError where error.errorNumber == ENOENT || error.errorNumber == ENOTDIR {
      return nil
    }
  }

  // MARK: Types

  /// Returns the canonical name for an alias or another spelling; returns an unknown name unchanged.
  func canonicalType(of type: String) -> String {
    table.canonicalType(of: type)
  }

  /// Returns all aliases of the type with a canonical name or an alias.
  func aliases(of type: String) -> [String] {
    table.aliases[canonicalType(of: type)] ?? []
  }

  /// Returns whether the database has a pattern, a rule, an alias or a supertype for a type with this name or alias.
  func isKnown(_ type: String) -> Bool {
    table.names[type.asciiLowercased] != nil
  }

  /// Returns the direct supertypes of a type.
  ///
  /// If the database states none, the supertype of text types is `text/plain`, and the supertype of other types of
  /// bytes is `application/octet-stream`.
  func parents(of type: String) -> [String] {
    let type = canonicalType(of: type)
    if let stated = table.parents[type] { return stated }
    let name = type.asciiLowercased
    if name == "application/octet-stream" || !Self.isStream(name) { return [] }
    return name.hasPrefix("text/") && name != "text/plain" ? ["text/plain"] : ["application/octet-stream"]
  }

  /// Returns whether a type equals another or is its direct or indirect subtype.
  func isSubtype(_ type: String, of other: String) -> Bool {
    let (type, other) = (canonicalType(of: type), canonicalType(of: other))
    if type.isEqualIgnoringASCIICase(to: other) { return true }
    if other.isEqualIgnoringASCIICase(to: "application/octet-stream") { return Self.isStream(type.asciiLowercased) }
    let isText = other.isEqualIgnoringASCIICase(to: "text/plain")
    var seen: Set<String> = [type]
    var pending = [type]
    while let next = pending.popLast() {
      if next.isEqualIgnoringASCIICase(to: other) || isText && next.hasASCIIPrefix("text/") { return true }
      for parent in table.parents[next] ?? [] where seen.count < Self.maximumAncestors {
        if seen.insert(parent).inserted { pending.append(parent) }
      }
    }
    return false
  }

  /// Returns whether a type describes bytes, and not a kind of file (`inode/`), a medium or a URL scheme.
  private static func isStream(_ lowercased: String) -> Bool {
    !["inode/", "x-content/", "x-scheme-handler/"].contains { lowercased.hasPrefix($0) }
  }

  /// Returns whether the database has rules about the content of a type's files.
  func hasContentRules(of type: String) -> Bool {
    table.typesWithRules.contains(canonicalType(of: type))
  }

  // MARK: Names

  /// A type's claim on the names that a pattern matches.
  private struct Claim {
    let type: String
    let weight: Int
    let isCaseSensitive: Bool
    /// The length of the pattern.
    let length: Int
  }

  /// Returns the claims on a name, searched in its own case and in lower case, which is the case of most patterns.
  ///
  /// Claims of types whose patterns a nearer file discards are ignored.
  private func claims(
    on name: String, _ search: (MIMECacheFile) -> (String) -> [(length: Int, claim: Int)]
  ) -> [Claim] {
    let lowercased = name.asciiLowercased
    return (name == lowercased ? [name] : [name, lowercased]).flatMap { spelling in
      zip(files, closed).flatMap { file, closed in
        search(file)(spelling).compactMap { length, claim in
          let flags = file.number(claim + 4)
          let isCaseSensitive = flags & 0x100 != 0
          guard spelling == (isCaseSensitive ? name : lowercased), let type = file.type(claim), !closed.contains(type)
          else { return nil }
          return Claim(
            type: canonicalType(of: type), weight: flags & 0xFF, isCaseSensitive: isCaseSensitive, length: length)
        }
      }
    }
  }

  private static let typeOfEmptyContent = "application/x-zerosize"

  /// The types that claim a name by the best pattern, by descending weight.
  struct NameClaims: Sendable {
    var types: [String] = []
    /// The number of types that have the greatest weight.
    var topCount = 0
    /// The number of characters of the name that the pattern states, such as 4 for `*.png`: all of them without
    /// wildcards, and none for wildcards elsewhere than at the start.
    var extent = 0
    /// Whether the name has the case that the pattern demands, as `x.C` has for `*.C`.
    var isCaseSensitive = false
  }

  /// Returns the types of the claims on the best pattern, by descending weight.
  ///
  /// The best pattern has the greatest weight, and then the greatest length. The result includes claims of lower weight
  /// on that pattern, because the content may select one of these. A case-sensitive claim hides other claims.
  private func best(of claims: [Claim]) -> NameClaims {
    let exact = Set(claims.filter(\.isCaseSensitive).map(\.length))
    let claims = claims.filter { $0.isCaseSensitive || !exact.contains($0.length) }
    guard let top = claims.max(by: { ($0.weight, $0.length) < ($1.weight, $1.length) }) else { return NameClaims() }
    let longest = claims.filter { $0.length == top.length }.sorted { $0.weight > $1.weight }
    return NameClaims(
      types: longest.map(\.type).uniqued(),
      topCount: Set(longest.lazy.filter { $0.weight == top.weight }.map(\.type)).count, extent: top.length,
      isCaseSensitive: top.isCaseSensitive)
  }

  /// Returns the claims on the last component of a path: by a pattern without wildcards, or else by a suffix, or else
  /// by another pattern.
  func claims(onName path: String) -> NameClaims {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    guard !name.isEmpty, name.utf8.count <= Self.maximumNameLength else { return NameClaims() }
    for search in [MIMECacheFile.literalClaims, MIMECacheFile.suffixClaims] {
      if case let claims = best(of: claims(on: name, search)), !claims.types.isEmpty { return claims }
    }
    var claims = best(of: claims(on: name, MIMECacheFile.wildcardClaims))
    claims.extent = 0
    return claims
  }

  /// Returns the types that claim a filename extension.
  ///
  /// - Parameter filenameExtension: The text after a period, such as `png` or `tar.gz`. Case is significant if the
  ///   database states so: `C` is not `c`.
  /// - Returns: The types by descending weight, then from the nearest directory to the farthest.
  func types(withFilenameExtension filenameExtension: String) -> [String] {
    let length = filenameExtension.unicodeScalars.count + 1
    guard length > 1 else { return [] }
    return best(of: claims(on: "." + filenameExtension, MIMECacheFile.suffixClaims).filter { $0.length == length })
      .types
  }

  /// Returns the extensions that a type claims, the preferred one first.
  ///
  /// The cache has no order of preference, so that order comes from the type's document, which is read on first use.
  func filenameExtensions(of type: String) -> [String] {
    guard isKnown(type) else { return [] }
    let type = canonicalType(of: type)
    if let known = extensions.withLock({ $0[type] }) { return known }
    var found: [String] = []
    for (file, closed) in zip(files, closed) {
      file.forEachSuffix { suffix, claim in
        guard suffix.last == 0x2E, let claimant = file.type(claim), !closed.contains(claimant) else { return }
        guard canonicalType(of: claimant) == type else { return }
        found.append(String(decoding: suffix.dropLast().reversed(), as: UTF32.self))
      }
    }
    found = found.uniqued().sorted()
    if found.count > 1 {
      let documented = documentedExtensions(of: type).compactMap { documented in
        [documented, documented.asciiLowercased].first(where: found.contains)
      }
      found = (documented + found).uniqued()
    }
    extensions.withLock { $0[type] = found }
    return found
  }

  /// Returns the extensions in a type's documents in their order, which is the order of preference.
  ///
  /// The documents are those that `update-mime-database` writes: `<glob pattern="*.png"/>`.
  private func documentedExtensions(of type: String) -> [String] {
    directories.flatMap { directory -> [String] in
      guard let document = try? Self.contents(of: "\(directory)/\(type).xml", limit: 1 << 20) else { return [] }
      let parts = document.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
      return zip(parts, parts.dropFirst()).filter { name, value in
        name.suffix(8).elementsEqual("pattern=".utf8) && value.starts(with: "*.".utf8)
      }.map { String(decoding: $1.dropFirst(2), as: UTF8.self) }
    }
  }

  // MARK: Names and content

  /// A file's type, and the evidence for it.
  struct Match: Sendable, Hashable {
    /// The evidence for a type.
    enum Evidence: Sendable, Hashable {
      case name
      case content
      /// Several types claim the name, and the content selected one.
      case nameAndContent
      /// Weak evidence: only whether the content is text, a weak rule, or a name with several claims that the content
      /// does not decide.
      case guess
    }

    let type: String
    let evidence: Evidence
  }

  /// Returns the type of files with a name.
  ///
  /// - Parameter name: A name, or a path of which only the last component is used.
  /// - Returns: The type whose claim on the name has the greatest weight; `nil` if no type claims it.
  func type(ofName name: String) -> String? {
    claims(onName: name).types.first
  }

  /// Returns the type of a file by its leading bytes.
  ///
  /// - Parameter content: At least `magicExtent` bytes, or the complete file; more bytes do not change the result.
  /// - Returns: The type of the first rule that matches. If that type is XML, or if no rule matches, the root element
  ///   may determine a more specific type. If neither does, the result is a guess that depends on whether the content
  ///   is text. The type of empty content is `application/x-zerosize`.
  func type(ofContent content: Span<UInt8>) -> Match {
    if content.isEmpty { return Match(type: Self.typeOfEmptyContent, evidence: .content) }
    let content = content.extracting(first: Self.maximumMagicExtent)
    let isText = TextDetection.looksLikeText(content.extracting(first: TextDetection.traditionalLength))
    let hit = firstMatch(in: content, isText: isText)
    let type = hit.flatMap { files[$0.file].type($0.section + 4) }.map(canonicalType)
    if type == nil || type == "application/xml", let refined = typeByRootElement(content) {
      return Match(type: refined, evidence: .content)
    }
    if let hit, let type { return Match(type: type, evidence: hit.isWeak ? .guess : .content) }
    return Match(type: isText ? "text/plain" : "application/octet-stream", evidence: .guess)
  }

  /// Returns the first rule that matches; for text, no rule that a word may match, as `idat` in `candidate` does.
  private func firstMatch(in content: Span<UInt8>, isText: Bool) -> MIMETables.Rule? {
    var work = MIMEMagicRule.maximumWork
    let rules = table.rules
    for index in rules.indices where rules[index].rule.allows(content) {
      let (rule, file) = (rules[index].rule, files[rules[index].file])
      if isText, rule.isWord(in: file) { continue }
      guard rule.matches(content, in: file, &work) else { continue }
      // Binary data may contain the word by which a text format is known.
      if rule.offsets.count > 1, let type = file.type(rules[index].section + 4), isSubtype(type, of: "text/plain"),
        !TextDetection.looksLikeText(content)
      {
        continue
      }
      return rules[index]
    }
    return nil
  }

  /// Returns the type of a file by the claims on its name and its leading bytes.
  ///
  /// The name decides if one type claims it. If several types claim the name, the content selects one of them or a
  /// subtype, never an unrelated type.
  ///
  /// - Parameters:
  ///   - claims: The claims on the name.
  ///   - sniffed: The type for the content alone.
  /// - Returns: A type that claims the name, or a subtype of such a type. If no type claims the name, the type for the
  ///   content alone.
  func type(_ claims: NameClaims, _ sniffed: Match) -> Match {
    let names = claims.types
    guard let top = names.first else { return sniffed }
    guard names.count > 1, sniffed.type != Self.typeOfEmptyContent else {
      return Match(type: top, evidence: names.count > 1 ? .guess : .name)
    }
    let type = sniffed.type
    let evidence: Match.Evidence = sniffed.evidence == .guess ? .guess : .nameAndContent
    if isSubtype(top, of: type) { return Match(type: top, evidence: evidence) }
    if names.contains(type) { return Match(type: type, evidence: evidence) }
    if let special = names.first(where: { isSubtype($0, of: type) }) { return Match(type: special, evidence: evidence) }
    if evidence != .guess, names.contains(where: { isSubtype(type, of: $0) }) {
      return Match(type: type, evidence: evidence)
    }
    return Match(type: top, evidence: .guess)
  }

  /// Returns the type of an XML document by its root element and namespace.
  ///
  /// This type is used if the rules recognize the document only as XML, or not at all.
  private func typeByRootElement(_ content: Span<UInt8>) -> String? {
    let start = TextDetection.endOfLeadingSpace(content)
    guard start < content.count, content[start] == UInt8(ascii: "<") else { return nil }
    let head = content.extracting(droppingFirst: start).extracting(first: 4096)
    guard let root = XMLRoot(of: head.indices.map { head[$0] }) else { return nil }
    return table.roots[root] ?? table.roots[XMLRoot(namespace: root.namespace, localName: "")]
  }
}

/// The process's database, which is read on first use and again after its files have changed.
///
/// During a refresh, other callers get the stale database. Before the first load has ended, each caller loads the
/// database itself. Files are read without the lock, so that callers never wait for the disk if the database is fresh.
final class MIMEDatabaseCache: Sendable {
  /// The cache for the environment of the process.
  static let shared = MIMEDatabaseCache(environment: { getenv($0).map { String(cString: $0) } })

  private struct State {
    let database: MIMEDatabase
    /// The status of each file of the database; `nil` for a missing file.
    let files: [FileStatus?]
    /// When the status of the files was checked last.
    var checkTime: ContinuousClock.Instant
  }

  private let environment: @Sendable (String) -> String?
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Lock(State?.none)

  /// - Parameters:
  ///   - environment: Returns a variable that determines the directories of the database.
  ///   - now: The clock.
  init(
    environment: @escaping @Sendable (String) -> String?,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.environment = environment
    self.now = now
  }

  /// Returns the database in a state that was current at most five seconds ago; during a refresh, returns the stale
  /// database.
  func current() -> MIMEDatabase {
    let time = now()
    let (held, isFresh) = state.withLock { state in
      let isFresh = state.map { $0.checkTime <= time && time - $0.checkTime < .seconds(5) } ?? false
      // The caller that sets the time checks the files. Until then, other callers get the stale database.
      if !isFresh { state?.checkTime = time }
      return (state, isFresh)
    }
    if let held, isFresh { return held.database }

    let directories = MIMEDatabase.systemDirectories(environment: environment)
    // The status is read before the files, so that the next check detects a concurrent change.
    let files = directories.map { try? SystemCalls.status(ofPath: "\($0)/\(MIMEDatabase.fileName)") }
    if let held, directories == held.database.directories, files == held.files { return held.database }

    let read = MIMEDatabase(directories: directories)
    return state.withLock { state in
      // On first use, another thread may have been faster.
      if held == nil, let state { return state.database }
      state = State(database: read, files: files, checkTime: time)
      return read
    }
  }
}

extension MIMEDatabase {
  /// Returns the directories of the databases of the user and of the system, by the XDG Base Directory Specification.
  ///
  /// - Parameter environment: Returns a variable: `XDG_DATA_HOME`, `HOME` or `XDG_DATA_DIRS`. Empty values and relative
  ///   directories are ignored.
  /// - Returns: The directories named `mime`, nearest first, whether or not they exist.
  package static func systemDirectories(environment: (String) -> String?) -> [String] {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let home = value("XDG_DATA_HOME") ?? value("HOME").map { "\($0)/.local/share" }
    let others = (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
    let bases = ([home].compactMap(\.self) + others).filter { $0.hasPrefix("/") && !$0.utf8.contains(0) }
    return bases.prefix(maximumDirectories).map { base in
      var base = base
      while base.hasSuffix("/") { base.removeLast() }
      return "\(base)/mime"
    }.uniqued()
  }
}
