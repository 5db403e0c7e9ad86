// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What the types of a database are to each other: other names, and more general types.
struct MIMETypeGraph: Sendable {
  typealias ID = MIMENameTable.ID

  /// An alias of an alias is followed this far; whoever needs more is in a circle.
  static let maximumAliasHops = 8
  /// More parents of one type are dropped.
  static let maximumParents = 64
  /// A question about supertypes ends after this many.
  static let maximumAncestors = 1024

  var types = MIMENameTable(ignoresCase: true)
  /// By their numbers, which types there are.
  private var known: [Bool] = []
  private var targets: [ID: ID] = [:]
  private var statedParents: [ID: [ID]] = [:]
  /// By the numbers of aliases, the types of which they are names; -1 for what is no alias.
  private var canonical: [ID] = []
  private var aliases: [ID: [ID]] = [:]
  private var parents: [ID: [ID]] = [:]

  mutating func noteKnown(_ type: ID) {
    while known.count <= Int(type) { known.append(false) }
    known[Int(type)] = true
  }

  /// Reads `types`: a type on each line.
  mutating func readTypes(_ bytes: [UInt8]) {
    var lines = MIMELines(bytes)
    while let line = lines.next() {
      let name = bytes.span.extracting(line)
      if MIMESyntax.isType(name) { noteKnown(types.insert(name)) }
    }
  }

  /// Reads `aliases`: the other name and the type's own on each line.
  ///
  /// What a nearer directory says stays.
  mutating func readAliases(_ bytes: [UInt8]) {
    forEachPair(in: bytes) { graph, alias, target in
      if alias != target, graph.targets[alias] == nil { graph.targets[alias] = target }
    }
  }

  /// Reads `subclasses`: a type and one of its parents on each line.
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

  /// Resolves the aliases.
  ///
  /// Nothing may be read after this, and nothing asked before.
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
    // In the order of the files, so that two aliases of one type with different parents do not take turns.
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

  // MARK: Questions

  /// The type's own name for any of its names.
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

  /// Whether `type` is among `wanted` and its subtypes, by what the files state.
  ///
  /// - Parameters:
  ///   - type: The more special one.
  ///   - isWanted: Asked of it and of each of its supertypes until the answer is yes.
  /// - Returns: Whether the answer was yes before there were no more, or too many.
  func climb(from type: ID, until isWanted: (ID) -> Bool) -> Bool {
    var seen: Set<ID> = [type]
    var pending = [type]
    while let next = pending.popLast() {
      if isWanted(next) { return true }
      for parent in statedParents(of: next) where seen.count < Self.maximumAncestors {
        if seen.insert(parent).inserted { pending.append(parent) }
      }
    }
    return false
  }
}
