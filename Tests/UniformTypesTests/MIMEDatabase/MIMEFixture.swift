// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import UniformTypes

/// The contents of a file `mime.cache`, as text with one entry on each line.
struct MIMECacheContents: Sendable {
  typealias Section = (type: String, priority: Int, rules: [Rule])

  /// A rule about the content of files.
  struct Rule: Sendable {
    var value: [UInt8]
    var offset = 0
    var positions = 1
    var wordSize = 1
    var mask: [UInt8]?
    var children: [Rule] = []

    init(
      _ value: [UInt8], at offset: Int = 0, positions: Int = 1, wordSize: Int = 1, mask: [UInt8]? = nil,
      _ children: [Rule] = []
    ) {
      self.value = value
      self.offset = offset
      self.positions = positions
      self.wordSize = wordSize
      self.mask = mask
      self.children = children
    }

    init(_ text: String, at offset: Int = 0, positions: Int = 1, _ children: [Rule] = []) {
      self.init(Array(text.utf8), at: offset, positions: positions, children)
    }

    var extent: Int { ([offset + positions - 1 + value.count] + children.map(\.extent)).max() ?? 0 }
  }

  /// Lines such as `alias type`.
  var aliases = ""
  /// Lines such as `type parent`.
  var parents = ""
  /// Lines such as `50:type:pattern`, with `:cs` at the end of a case-sensitive pattern.
  var globs = ""
  /// Lines such as `namespace element type`.
  var roots = ""
  var magic: [Section] = []

  /// The bytes of the file.
  var bytes: [UInt8] {
    var writer = Writer()
    writer.append(1 << 16 | 2)
    for _ in 0..<9 { writer.append(0) }
    let lists = [aliases, parents, roots].map { text in
      text.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: false).map(String.init) }
    }
    writer.appendList(lists[0], at: 4)
    writer.appendList(lists[2], at: 28)
    for icons in [32, 36] { writer.appendList([], at: icons) }

    let children = lists[1].map { $0[0] }.uniqued()
    writer.set(8)
    writer.append(children.count)
    var fields: [Int] = []
    for child in children {
      writer.append(child)
      fields.append(writer.bytes.count)
      writer.append(0)
    }
    for (field, child) in zip(fields, children) {
      writer.appendList(lists[1].filter { $0[0] == child }.map { [$0[1]] }, at: field)
    }

    let globs = globs.split(separator: "\n").map(Glob.init)
    func isSuffix(_ glob: Glob) -> Bool { glob.pattern.hasPrefix("*") && !isSpecial(glob.pattern.dropFirst()) }
    func isSpecial(_ text: Substring) -> Bool { text.contains { "*?[\\".contains($0) } }
    for (field, list) in [
      (12, globs.filter { !isSpecial($0.pattern[...]) }),
      (20, globs.filter { isSpecial($0.pattern[...]) && !isSuffix($0) }),
    ] {
      writer.set(field)
      writer.append(list.count)
      for glob in list {
        writer.append(glob.pattern)
        writer.append(glob.type)
        writer.append(glob.flags)
      }
    }
    writer.set(16)
    writer.appendTree(globs.filter(isSuffix).map { (Array($0.pattern.unicodeScalars.dropFirst().reversed()), $0) })

    writer.set(24)
    writer.append(magic.count)
    writer.append(magic.flatMap(\.rules).map(\.extent).max() ?? 0)
    writer.append(writer.bytes.count + 4)
    let sections = writer.bytes.count
    for section in magic {
      writer.append(section.priority)
      writer.append(section.type)
      writer.append(section.rules.count)
      writer.append(0)
    }
    for (index, section) in magic.enumerated() { writer.appendRules(section.rules, at: sections + 16 * index + 12) }
    return writer.finished()
  }

  private struct Glob {
    let pattern: String
    let type: String
    let flags: Int

    init(line: Substring) {
      let fields = line.split(separator: ":").map(String.init)
      type = fields[1]
      pattern = fields[2]
      flags = (Int(fields[0]) ?? 50) | (fields.count > 3 ? 0x100 : 0)
    }
  }

  private struct Writer {
    private(set) var bytes: [UInt8] = []
    /// The texts and values that come last, and the offsets of their offsets.
    private var last: [(field: Int, bytes: [UInt8])] = []

    mutating func append(_ number: Int) {
      bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    mutating func append(_ text: String) { append(Array(text.utf8) + [0]) }

    private mutating func append(_ value: [UInt8]) {
      last.append((bytes.count, value))
      append(0)
    }

    /// Sets the number at an offset to the length of the file.
    mutating func set(_ field: Int) {
      for (index, shift) in [24, 16, 8, 0].enumerated() {
        bytes[field + index] = UInt8(truncatingIfNeeded: bytes.count >> shift)
      }
    }

    mutating func appendList(_ list: [[String]], at field: Int) {
      set(field)
      append(list.count)
      for text in list.joined() { append(text) }
    }

    /// Appends the number and the offset of nodes, and the nodes: leaves first, then one node for each character.
    mutating func appendTree(_ suffixes: [(suffix: [Unicode.Scalar], glob: Glob)]) {
      let leaves = suffixes.filter(\.suffix.isEmpty)
      let characters = suffixes.compactMap(\.suffix.first).uniqued()
      append(leaves.count + characters.count)
      append(0)
      set(bytes.count - 4)
      for leaf in leaves {
        append(0)
        append(leaf.glob.type)
        append(leaf.glob.flags)
      }
      let start = bytes.count
      for character in characters {
        append(Int(character.value))
        append(0)
        append(0)
      }
      for (index, character) in characters.enumerated() {
        let children = suffixes.filter { $0.suffix.first == character }.map { (Array($0.suffix.dropFirst()), $0.glob) }
        let position = bytes.count
        appendTree(children)
        // The number and the offset of the children belong into the node.
        bytes.replaceSubrange(start + 12 * index + 4..<start + 12 * index + 12, with: bytes[position..<position + 8])
      }
    }

    mutating func appendRules(_ rules: [Rule], at field: Int) {
      set(field)
      let start = bytes.count
      for rule in rules {
        for number in [rule.offset, rule.positions, rule.wordSize, rule.value.count] { append(number) }
        append(rule.value)
        if let mask = rule.mask { append(mask) } else { append(0) }
        append(rule.children.count)
        append(0)
      }
      for (index, rule) in rules.enumerated() { appendRules(rule.children, at: start + 32 * index + 28) }
    }

    func finished() -> [UInt8] {
      var writer = self
      for (field, value) in last {
        writer.set(field)
        writer.bytes += value
      }
      return writer.bytes
    }
  }
}

/// A temporary directory of a MIME database, which is removed when the last reference is released.
final class MIMEFixture {
  private let directory: TemporaryDirectory

  /// The value of `XDG_DATA_HOME`.
  var base: String { directory.url.path }
  /// The directory of the database.
  var path: String { base + "/mime" }

  /// Creates a directory, with a cache unless the contents are `nil`.
  init(_ contents: MIMECacheContents? = nil) throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    if let contents { try write(contents) }
  }

  func database() -> MIMEDatabase { MIMEDatabase(directories: [path]) }

  func write(_ contents: MIMECacheContents) throws { try write("mime.cache", contents.bytes) }

  /// Creates a new file each time, as programs that update the database do.
  func write(_ name: String, _ bytes: [UInt8]) throws {
    let file = URL(fileURLWithPath: "\(path)/\(name)")
    try? FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }
}

extension MIMEDatabase {
  /// Reads the caches of several directories, the nearest first, which are then removed.
  static func reading(_ directories: MIMECacheContents...) throws -> MIMEDatabase {
    let fixtures = try directories.map { try MIMEFixture($0) }
    return withExtendedLifetime(fixtures) { MIMEDatabase(directories: fixtures.map(\.path)) }
  }

  func sniff(_ text: String) -> Match { type(ofContent: Array(text.utf8).span) }
  func sniff(_ bytes: [UInt8]) -> Match { type(ofContent: bytes.span) }
  func type(ofName name: String, bytes: [UInt8]) -> Match {
    type(claims(onName: name), type(ofContent: bytes.span))
  }
  func type(ofName name: String, text: String) -> Match { type(ofName: name, bytes: Array(text.utf8)) }
}
