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

  /// The canonical name of each type and alias, by the name in lower case.
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
    var stated: [(alias: String, type: String)] = []
    var targets: [String: String] = [:]
    for file in files {
      for entry in file.entries(.aliases, of: 8) {
        guard let alias = file.type(entry), let type = file.type(entry + 4) else { continue }
        stated.append((alias, type))
        if targets[alias.asciiLowercased] == nil { targets[alias.asciiLowercased] = type }
      }
    }
    var names: [String: String] = [:]
    func canonical(_ name: String) -> String {
      let key = name.asciiLowercased
      if let known = names[key] { return known }
      var type = name
      var hops = 0
      while hops <= Self.maximumAliasHops, let next = targets[type.asciiLowercased] {
        type = next
        hops += 1
      }
      if hops > Self.maximumAliasHops { type = name }
      names[key] = type
      return type
    }
    var aliases: [String: [String]] = [:]
    for (alias, _) in stated where names[alias.asciiLowercased] == nil {
      let type = canonical(alias)
      if type != alias { aliases[type, default: []].append(alias) }
      names[type.asciiLowercased] = type
    }

    var parents: [String: [String]] = [:]
    var roots: [XMLRoot: String] = [:]
    for file in files {
      for entry in file.entries(.parents, of: 8) {
        guard let child = file.type(entry).map(canonical) else { continue }
        for parent in file.entries(at: file.number(entry + 4), of: 4).compactMap({ file.type($0) }).map(canonical)
        where parent != child && parents[child]?.contains(parent) != true {
          parents[child, default: []].append(parent)
        }
      }
      for entry in file.entries(.roots, of: 12) {
        let root = XMLRoot(namespace: file.text(entry), localName: file.text(entry + 4))
        if roots[root] == nil { roots[root] = file.type(entry + 8).map(canonical) }
      }
      // Many claims share a type, whose text has one offset.
      var offsets: Set<Int> = []
      for list in [MIMECacheFile.List.literals, .wildcards] {
        for entry in file.entries(list, of: 12) { offsets.insert(file.number(entry + 4)) }
      }
      file.forEachSuffix { _, claim in offsets.insert(file.number(claim)) }
      for offset in offsets { _ = file.type(at: offset).map(canonical) }
    }

    rules = Self.rules(of: files)
    typesWithRules = Set(files.flatMap { file in file.sections.compactMap { file.type($0 + 4) }.map(canonical) })
    self.names = names
    self.aliases = aliases
    self.parents = parents
    self.roots = roots
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
