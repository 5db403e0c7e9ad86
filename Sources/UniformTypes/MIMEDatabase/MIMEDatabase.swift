// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A snapshot of the freedesktop shared MIME database, which determines the MIME types of files.
///
/// The initializer reads all files except the documents of single types. The magic rules are parsed on first use.
/// Missing files and malformed lines are skipped, because each part of the database is useful by itself. A file that
/// has more than 16 MiB, is not a regular file or cannot be read is skipped with a remark, because a user's directory
/// may contain any file.
///
/// Types are compared without regard to case. Every result is a canonical name, except the result of `aliases(of:)`.
package final class MIMEDatabase: Sendable {
  /// The files that `init(directories:)` reads in each directory; `globs` only if there is no `globs2`.
  static let fileNames = ["types", "aliases", "subclasses", "XMLnamespaces", "globs2", "globs", "magic"]
  /// The maximum number of directories; further directories are ignored.
  static let maximumDirectories = 64
  /// The maximum length of a file in bytes; the system's largest text file has 40 KB.
  static let maximumFileLength = 16 << 20

  /// The maximum number of leading bytes of a file that can influence its type.
  static let maximumMagicExtent = MIMEMagicTable.maximumExtent

  let directories: [String]
  let graph: MIMETypeGraph
  let globs: MIMEGlobTable
  let namespaces: MIMENamespaceTable
  /// A line for each existing file that could not be read or was refused, with the reason.
  ///
  /// Control characters are escaped.
  let remarks: [String]
  private let magic: Lock<Magic>
  /// The cache of `filenameExtensions(of:)` for known types.
  private let extensions = Lock<[MIMENameTable.ID: [String]]>([:])

  private enum Magic {
    case unread([[UInt8]])
    case read(MIMEMagicTable)
  }

  /// Reads the database, which takes a few milliseconds.
  ///
  /// - Parameter directories: The directories named `mime`, nearest first; missing directories are skipped.
  package init(directories: [String]) {
    let directories = Array(directories.prefix(Self.maximumDirectories))
    var graph = MIMETypeGraph()
    var globs = MIMEGlobTable()
    var namespaces = MIMENamespaceTable()
    var closed: Set<MIMENameTable.ID> = []
    var magic: [[UInt8]] = []
    var remarks: [String] = []
    for directory in directories {
      func file(_ name: String) -> [UInt8]? {
        do throws(ReadError) {
          return try Self.contents(of: "\(directory)/\(name)")?.get()
        } catch {
          remarks.append("\(directory)/\(name)".escapedForDisplay() + ": \(error); it is ignored")
          return nil
        }
      }
      if let bytes = file("types") { graph.readTypes(bytes) }
      if let bytes = file("aliases") { graph.readAliases(bytes) }
      if let bytes = file("subclasses") { graph.readSubclasses(bytes) }
      if let bytes = file("XMLnamespaces") { namespaces.read(bytes) }
      if let bytes = file("magic") { magic.append(bytes) }
      if let bytes = file("globs2") {
        MIMEGlobReader(bytes, hasWeights: true).read(into: &globs, graph: &graph, closed: &closed)
      } else if let bytes = file("globs") {
        MIMEGlobReader(bytes, hasWeights: false).read(into: &globs, graph: &graph, closed: &closed)
      }
    }
    graph.finish()
    self.directories = directories
    self.graph = graph
    self.globs = globs
    self.namespaces = namespaces
    self.remarks = remarks
    self.magic = Lock(.unread(magic))
  }

  /// The rules about content, parsed on first use from the files that the initializer read.
  var magicTable: MIMEMagicTable {
    magic.withLock { magic in
      switch magic {
      case .read(let table): return table
      case .unread(let files):
        var reader = MIMEMagicReader()
        for file in files { reader.read(file) }
        let table = reader.table()
        magic = .read(table)
        return table
      }
    }
  }

  /// The number of leading bytes that this database's rules examine; at most `maximumMagicExtent`.
  package var magicExtent: Int { magicTable.extent }

  /// Returns whether the database has rules about the content of a type's files.
  func hasContentRules(of type: String) -> Bool {
    let canonical = canonicalType(of: type)
    return ([canonical] + aliases(of: canonical)).contains(where: magicTable.hasRules(for:))
  }

  // MARK: Types

  /// The canonical names of all types in the database, in an unspecified order.
  package var allTypes: [String] { graph.allTypes }

  /// Returns the canonical name for an alias or another spelling; returns an unknown name unchanged.
  func canonicalType(of type: String) -> String {
    graph.find(type).map(graph.types.name) ?? type
  }

  /// Returns all aliases of the type with a canonical name or an alias.
  func aliases(of type: String) -> [String] {
    graph.find(type).map { graph.aliasIDs(of: $0).map(graph.types.name) } ?? []
  }

  /// Returns whether the database has a type with this name or alias.
  func isKnown(_ type: String) -> Bool {
    graph.find(type).map(graph.isKnown) ?? false
  }

  /// Returns the direct supertypes of a type.
  ///
  /// If the database states none, the supertype of text types is `text/plain`, and the supertype of other types of
  /// bytes is `application/octet-stream`.
  func parents(of type: String) -> [String] {
    let stated = graph.find(type).map(graph.statedParents) ?? []
    guard stated.isEmpty else { return stated.map(graph.types.name) }
    let name = canonicalType(of: type).asciiLowercased
    if name == "application/octet-stream" || !Self.isStream(name) { return [] }
    return name.hasPrefix("text/") && name != "text/plain" ? ["text/plain"] : ["application/octet-stream"]
  }

  /// Returns whether a type equals another or is its direct or indirect subtype.
  func isSubtype(_ type: String, of other: String) -> Bool {
    let wanted = canonicalType(of: other)
    let name = canonicalType(of: type)
    if name.isEqualIgnoringASCIICase(to: wanted) { return true }
    let lowercased = name.asciiLowercased
    switch wanted.asciiLowercased {
    case "application/octet-stream": return Self.isStream(lowercased)
    case "text/plain" where lowercased.hasPrefix("text/"): return true
    case "text/plain":
      return graph.find(type).map { start in
        graph.climb(from: start) { graph.types.hasPrefix($0, "text/") }
      } ?? false
    default:
      guard let start = graph.find(type), let end = graph.find(other) else { return false }
      return graph.climb(from: start) { $0 == end }
    }
  }

  /// Returns whether a type describes bytes, and not a kind of file (`inode/`), a medium or a URL scheme.
  private static func isStream(_ lowercased: String) -> Bool {
    !["inode/", "x-content/", "x-scheme-handler/"].contains { lowercased.hasPrefix($0) }
  }

  // MARK: Extensions

  /// Returns the types that claim a filename extension.
  ///
  /// - Parameter filenameExtension: The text after a period, such as `png` or `tar.gz`. Case is significant if the
  ///   database states so: `C` is not `c`.
  /// - Returns: The types by descending weight, then from the nearest directory to the farthest.
  func types(withFilenameExtension filenameExtension: String) -> [String] {
    var types: [MIMENameTable.ID] = []
    for claim in globs.claims(onExtension: filenameExtension.utf8Span.span) {
      let type = graph.resolve(claim.type)
      if !types.contains(type) { types.append(type) }
    }
    return types.map(graph.types.name)
  }

  /// Returns the extensions that a type claims, the preferred one first.
  ///
  /// The glob files list the extensions in an arbitrary order, so the preferred extensions come from the type's
  /// document. The document is read on first use.
  func filenameExtensions(of type: String) -> [String] {
    guard let id = graph.find(type) else { return [] }
    if let known = extensions.withLock({ $0[id] }) { return known }
    var claimed: [String] = []
    var seen: Set<String> = []
    for name in [id] + graph.aliasIDs(of: id) {
      for each in globs.extensions(of: name) where seen.insert(each).inserted { claimed.append(each) }
    }
    let preferred = claimed.count < 2 ? [] : documentedExtensions(of: type)
    let found = preferred.filter(seen.contains) + claimed.filter { !preferred.contains($0) }
    extensions.withLock { $0[id] = found }
    return found
  }

  // MARK: Documents

  /// The maximum length of a type's document in bytes; the system's largest document has about 10 KB.
  static let maximumDocumentLength = 1 << 20

  /// Returns the extensions in a type's documents, in their order and in the spelling of the glob files.
  func documentedExtensions(of type: String) -> [String] {
    var found: [String] = []
    for document in documents(of: type) {
      var scanner = MIMEXMLScanner(document)
      while let tag = scanner.nextTag() {
        guard tag.name == "glob", let pattern = tag.value(of: "pattern"), pattern.hasPrefix("*."),
          found.count < MIMEGlobTable.maximumClaims
        else { continue }
        let spelling = String(pattern.dropFirst(2))
        let key = tag.value(of: "case-sensitive") == "true" ? spelling : spelling.asciiLowercased
        if !found.contains(key) { found.append(key) }
      }
    }
    return found
  }

  /// Returns the documents about a type that exist and can be read, nearest first.
  ///
  /// The type's name is part of a path. The name has one slash, and neither half starts with a period, so the path
  /// stays within the directory.
  private func documents(of type: String) -> some Sequence<[UInt8]> {
    let name = canonicalType(of: type)
    let isPath = MIMESyntax.isType(name.utf8Span.span)
    return (isPath ? directories : []).lazy.compactMap {
      try? Self.contents(of: "\($0)/\(name).xml", limit: Self.maximumDocumentLength)?.get()
    }
  }

  // MARK: Files

  /// The reason why an existing file is not read.
  enum ReadError: Error, Hashable, CustomStringConvertible {
    case tooLong(limit: Int)
    case notRegular
    case system(SystemError)

    var description: String {
      switch self {
      case .tooLong(let limit): "the file has more than \(limit) bytes"
      case .notRegular: "this is not a regular file"
      case .system(let error): "\(error)"
      }
    }
  }

  /// Returns the contents of a regular file; follows links.
  ///
  /// The file is not mapped into memory: if another program truncated it, access to the mapping would end this process.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The maximum length of the file in bytes.
  /// - Returns: The contents, or the reason why the file is not read; `nil` if it does not exist.
  static func contents(of path: String, limit: Int = maximumFileLength) -> Result<[UInt8], ReadError>? {
    do throws(SystemError) {
      let file = try ReadableFile(path: path)
      if file.status.kind != .regular { return .failure(.notRegular) }
      if file.status.size > limit { return .failure(.tooLong(limit: limit)) }
      return .success(try file.read(upTo: Int(file.status.size)))
    } catch {
      return error.errorNumber == ENOENT || error.errorNumber == ENOTDIR ? nil : .failure(.system(error))
    }
  }
}
