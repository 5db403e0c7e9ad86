// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The relations between the types of a database: aliases and supertypes.
struct MIMETypeGraph: Sendable {
  typealias ID = MIMENameTable.ID

  /// The maximum length of a chain of aliases; a longer chain is treated as a cycle.
  static let maximumAliasHops = 8
  /// The maximum number of parents of one type; further parents are dropped.
  static let maximumParents = 64
  /// The maximum number of supertypes that one search visits.
  static let maximumAncestors = 1024

  var types = MIMENameTable(ignoresCase: true)
  /// Whether the database has a type, by the type's number; a number may also belong to an alias or a missing parent.
  private var known: [Bool] = []
  private var targets: [ID: ID] = [:]
  private var statedParents: [ID: [ID]] = [:]
  /// For each name, by its number, the type of which it is an alias; -1 for a name that is not an alias.
  private var canonical: [ID] = []
  private var aliases: [ID: [ID]] = [:]
  private var parents: [ID: [ID]] = [:]

  mutating func noteKnown(_ type: ID) {
    while known.count <= Int(type) { known.append(false) }
    known[Int(type)] = true
  }

  /// Reads `types`, which has a type on each line.
  mutating func readTypes(_ bytes: [UInt8]) {
    var lines = MIMELines(bytes)
    while let line = lines.next() {
      let name = bytes.span.extracting(line)
      if MIMESyntax.isType(name) { noteKnown(types.insert(name)) }
    }
  }

  /// Reads `aliases`, which has an alias and a canonical name on each line.
  ///
  /// An alias from a nearer directory takes precedence.
  mutating func readAliases(_ bytes: [UInt8]) {
    forEachPair(in: bytes) { graph, alias, target in
      if alias != target, graph.targets[alias] == nil { graph.targets[alias] = target }
    }
  }

  /// Reads `subclasses`, which has a type and one of its parents on each line.
  mutating func readSubclasses(_ bytes: [UInt8]) {
    forEachPair(in: bytes) { graph, child, parent in
      graph.noteKnown(child)
      if graph.statedParents[child, default: []].count < Self.maximumParents {
        graph.statedParents[child, default: []].append(parent)
      }
    }
  }

  private mutating func forEachPair(in bytes: [UInt8], _ body: (inout Self, ID, ID) -> Void) {
    var lines = MIMELines(bytes)
    while let line = lines.next() {
      guard let (left, right) = lines.halves(of: line, at: UInt8(ascii: " ")),
        MIMESyntax.isType(bytes.span.extracting(left)), MIMESyntax.isType(bytes.span.extracting(right))
      else { continue }
      let first = types.insert(bytes.span.extracting(left))
      let second = types.insert(bytes.span.extracting(right))
      body(&self, first, second)
    }
  }

  /// Resolves the aliases; call this after reading the last file and before the first query.
  mutating func finish() {
    canonical = [ID](repeating: -1, count: types.count)
    for alias in targets.keys {
      var type = alias
      var hops = 0
      while let next = targets[type], hops < Self.maximumAliasHops {
        type = next
        hops += 1
      }
      if type != alias, targets[type] == nil { canonical[Int(alias)] = type }
    }
    for alias in canonical.indices where canonical[alias] >= 0 {
      aliases[canonical[alias], default: []].append(ID(alias))
      guard isKnown(ID(alias)) else { continue }
      known[alias] = false
      noteKnown(canonical[alias])
    }
    // The order of the files is kept, so that the result for two aliases with different parents is deterministic.
    for (child, stated) in statedParents.sorted(by: { $0.key < $1.key }) {
      let child = resolve(child)
      var held = parents[child] ?? []
      for parent in stated.lazy.map(resolve) where parent != child && !held.contains(parent) {
        if held.count < Self.maximumParents { held.append(parent) }
      }
      parents[child] = held
    }
    statedParents = [:]
    targets = [:]
  }

  // MARK: Queries

  /// Returns the number of the canonical name for the number of any name of a type.
  func resolve(_ type: ID) -> ID {
    let other = Int(type) < canonical.count ? canonical[Int(type)] : -1
    return other < 0 ? type : other
  }

  func find(_ name: String) -> ID? {
    types.find(name).map(resolve)
  }

  func isKnown(_ type: ID) -> Bool {
    Int(type) < known.count && known[Int(type)]
  }

  var allTypes: [String] {
    known.indices.lazy.filter { known[$0] }.map { types.name(ID($0)) }
  }

  func aliasIDs(of type: ID) -> [ID] {
    aliases[type] ?? []
  }

  func statedParents(of type: ID) -> [ID] {
    parents[type] ?? []
  }

  /// Returns whether a type, or one of its supertypes that the files state, satisfies a predicate.
  ///
  /// The search visits at most `maximumAncestors` types.
  func climb(from type: ID, until isMatch: (ID) -> Bool) -> Bool {
    var seen: Set<ID> = [type]
    var pending = [type]
    while let next = pending.popLast() {
      if isMatch(next) { return true }
      for parent in statedParents(of: next) where seen.count < Self.maximumAncestors {
        if seen.insert(parent).inserted { pending.append(parent) }
      }
    }
    return false
  }
}
