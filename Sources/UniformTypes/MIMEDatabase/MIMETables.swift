// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The relations between the types of all files, and the rules about content in the order of their evaluation.
final class MIMETables: Sendable {
  /// The maximum length of a chain of aliases; a longer chain is treated as a cycle.
  private static let maximumAliasHops = 8
  /// The maximum priority of weak rules, which is the minimum priority in the system's database.
  private static let weakPriority = 10

  /// A rule about the content of a type's files.
  struct Rule: Sendable {
    let file: Int
    /// The offset of the priority, which is followed by the type.
    let section: Int
    let priority: Int
    /// Whether the rule compares too few bits to take precedence over others.
    let isWeak: Bool
    let rule: MIMEMagicRule
  }

  /// The type of each alias, and the spelling of each type, by the name in lower case.
  let names: [String: String]
  /// The aliases of each canonical name.
  let aliases: [String: [String]]
  /// The supertypes of each canonical name.
  let parents: [String: [String]]
  let rules: [Rule]
  let typesWithRules: Set<String>
  let roots: [XMLRoot: String]

  /// Creates the tables; files of nearer directories come first and take precedence.
  init(_ files: [MIMECacheFile]) {
    var names: [String: String] = [:]
    var stated: [String] = []
    for file in files {
      for entry in file.entries(.aliases, of: 8) {
        guard let alias = file.type(entry), let type = file.type(entry + 4), names[alias.asciiLowercased] == nil
        else { continue }
        stated.append(alias)
        names[alias.asciiLowercased] = type
      }
    }
    for file in files {
      // Many claims share a type, whose text has one offset.
      var offsets = Set(file.sections.map { file.number($0 + 4) })
      for list in [MIMECacheFile.List.literals, .wildcards] {
        for entry in file.entries(list, of: 12) { offsets.insert(file.number(entry + 4)) }
      }
      for entry in file.entries(.aliases, of: 8) { offsets.insert(file.number(entry + 4)) }
      for entry in file.entries(.parents, of: 8) { offsets.insert(file.number(entry)) }
      file.forEachSuffix { _, claim in offsets.insert(file.number(claim)) }
      for type in offsets.compactMap({ file.type(at: $0) }) where names[type.asciiLowercased] == nil {
        names[type.asciiLowercased] = type
      }
    }
    self.names = names

    var aliases: [String: [String]] = [:]
    for alias in stated {
      let type = Self.canonicalType(of: alias, in: names)
      if type != alias { aliases[type, default: []].append(alias) }
    }
    self.aliases = aliases
    var parents: [String: [String]] = [:]
    var roots: [XMLRoot: String] = [:]
    for file in files {
      for entry in file.entries(.parents, of: 8) {
        guard let child = file.type(entry).map({ Self.canonicalType(of: $0, in: names) }) else { continue }
        for field in file.entries(at: file.number(entry + 4), of: 4) {
          guard let parent = file.type(field).map({ Self.canonicalType(of: $0, in: names) }), parent != child,
            parents[child]?.contains(parent) != true
          else { continue }
          parents[child, default: []].append(parent)
        }
      }
      for entry in file.entries(.roots, of: 12) {
        let root = XMLRoot(namespace: file.text(entry), localName: file.text(entry + 4))
        if roots[root] == nil { roots[root] = file.type(entry + 8).map { Self.canonicalType(of: $0, in: names) } }
      }
    }
    self.parents = parents
    self.roots = roots
    rules = Self.rules(of: files)
    typesWithRules = Set(
      files.flatMap { file in
        file.sections.compactMap { file.type($0 + 4) }.map { Self.canonicalType(of: $0, in: names) }
      })
  }

  /// Returns the canonical name for an alias or another spelling; returns an unknown name unchanged.
  func canonicalType(of type: String) -> String { Self.canonicalType(of: type, in: names) }

  private static func canonicalType(of name: String, in names: [String: String]) -> String {
    var type = name
    for _ in 0...maximumAliasHops {
      guard let next = names[type.asciiLowercased] else { return type }
      if next.isEqualIgnoringASCIICase(to: type) { return next }
      type = next
    }
    return name
  }

  private static func rules(of files: [MIMECacheFile]) -> [Rule] {
    var rules: [Rule] = []
    var discarded: Set<String> = []
    for (number, file) in files.enumerated() {
      var notices: Set<String> = []
      for section in file.sections {
        guard let type = file.type(section + 4), !discarded.contains(type) else { continue }
        let priority = file.number(section)
        for entry in file.children(at: section + 8, of: 32) {
          let rule = MIMEMagicRule(at: entry, in: file)
          let isWeak = rule.isWeak(in: file)
          if rule.isNotice(in: file) {
            notices.insert(type)
          } else {
            rules.append(
              Rule(
                file: number, section: section, priority: isWeak ? min(priority, weakPriority) : priority,
                isWeak: isWeak, rule: rule))
          }
        }
      }
      discarded.formUnion(notices)
    }
    return rules.sorted { $0.priority > $1.priority }
  }
}
