// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A snapshot of the freedesktop shared MIME database: which types there are, and which one a file has.
///
/// Everything but the magic and the documents of single types is read at once. Files that are missing and lines that
/// are malformed are passed over, as a part of the database is of use without the rest. A file of more than 16 MiB is
/// passed over with a remark: a directory in the home may have anything in it.
///
/// Types are compared without case, and every answer is a type's own name, never an alias.
package final class MIMEDatabase: Sendable {
  /// The files that `init(directories:)` looks for in each directory.
  static let fileNames = ["types", "aliases", "subclasses", "XMLnamespaces", "globs2", "globs", "magic"]
  /// More directories are not looked at.
  static let maximumDirectories = 64

  /// How many leading bytes of a file callers ever have to give for its content.
  package static let maximumMagicExtent = MIMEMagicTable.maximumExtent

  let directories: [String]
  let graph: MIMETypeGraph
  let globs: MIMEGlobTable
  let namespaces: MIMENamespaceTable
  /// Which files are not read, and why: a line for each, with control characters escaped.
  package let remarks: [String]
  private let magic: Lock<Magic>
  /// What `filenameExtensions(of:)` said already, of types this database knows.
  private let extensions = Lock<[MIMENameTable.ID: [String]]>([:])

  private enum Magic {
    case unread([[UInt8]])
    case read(MIMEMagicTable)
  }

  /// Reads the database, which takes a few milliseconds.
  ///
  /// - Parameter directories: The directories named `mime`, nearest first. Missing ones are passed over.
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
        do throws(MIMEFile.Refusal) {
          return try MIMEFile.contents(of: "\(directory)/\(name)")
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

  /// The rules about content, made of the bytes that were read with everything else when they are first needed.
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

  /// How many leading bytes decide with this database's rules; at most `maximumMagicExtent`.
  package var magicExtent: Int { magicTable.extent }

  /// Whether the database has rules about the content of a type's files.
  func hasContentRules(of type: String) -> Bool {
    let canonical = canonicalType(of: type)
    return ([canonical] + aliases(of: canonical)).contains(where: magicTable.hasRules(for:))
  }

  // MARK: Types

  /// Every type the database has, under its own name, in no particular order.
  package var allTypes: [String] { graph.allTypes }

  /// A type's own name for an alias or another spelling; what is unknown stays as it is.
  package func canonicalType(of type: String) -> String {
    graph.find(type).map(graph.types.name) ?? type
  }

  /// The other names of a type or of what it is an alias of.
  package func aliases(of type: String) -> [String] {
    graph.find(type).map { graph.aliasIDs(of: $0).map(graph.types.name) } ?? []
  }

  /// Whether the database has a type under this name, be it an alias.
  package func isKnown(_ type: String) -> Bool {
    graph.find(type).map(graph.isKnown) ?? false
  }

  /// The types that every instance of `type` is one of, one step up.
  ///
  /// Where the database states none, text is plain text, and everything that comes as bytes is a stream of them.
  package func parents(of type: String) -> [String] {
    let stated = graph.find(type).map(graph.statedParents) ?? []
    guard stated.isEmpty else { return stated.map(graph.types.name) }
    let name = canonicalType(of: type).asciiLowercased
    if name == "application/octet-stream" || !Self.isStream(name) { return [] }
    return name.hasPrefix("text/") && name != "text/plain" ? ["text/plain"] : ["application/octet-stream"]
  }

  /// Whether every instance of one type is one of the other; a type is its own subtype here.
  package func isSubtype(_ type: String, of other: String) -> Bool {
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

  /// Whether instances of a type are bytes, rather than a kind of file, of medium or of program.
  private static func isStream(_ lowercased: String) -> Bool {
    !["inode/", "x-content/", "x-scheme-handler/"].contains { lowercased.hasPrefix($0) }
  }

  // MARK: Extensions

  /// The types that claim a file name extension, best first.
  ///
  /// - Parameter filenameExtension: What is after a dot, such as `png` or `tar.gz`. Case counts where the database
  ///   says so: `C` is not `c`.
  /// - Returns: The heaviest first; of equal ones, that of the nearest directory.
  package func types(withFilenameExtension filenameExtension: String) -> [String] {
    var types: [MIMENameTable.ID] = []
    for claim in globs.claims(onExtension: filenameExtension.utf8Span.span) {
      let type = graph.resolve(claim.type)
      if !types.contains(type) { types.append(type) }
    }
    return types.map(graph.types.name)
  }

  /// The extensions that a type claims, the preferred one first.
  ///
  /// The globs are in the order of a hash table. The one that people wrote is in the type's own document, which is
  /// read when the type is first asked for.
  package func filenameExtensions(of type: String) -> [String] {
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
}
