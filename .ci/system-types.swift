// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// Writes the Swift sources of the table of system types. Run it in the root of the package after a change to
// `system-types.tsv`, which lists one type per line:
//
//     swift .ci/system-types.swift
//
// Each row states the source of its identifier:
// - `Apple: UTType`: a constant of Apple's `UTType`.
// - `Apple: CoreTypes`: a type that Apple's systems declare in addition to the constants.
// - `Apple: macOS`: a type of Apple's that a list of the types on a Mac shows with its extensions.
// - `owner: DOMAIN`: the owner of the format publishes it, in documentation or in the `Info.plist` of its app.
// - `owner: DOMAIN, by APP`: the `Info.plist` of APP declares it in the owner's name space.
// - `owner: DOMAIN, on macOS`: the list of the types on a Mac shows it, as an app on that Mac declares it.
// - `owner: DOMAIN, in use`: public programs use it in the owner's name space.
// - `published: APP`: the `Info.plist` of APP declares it; the owner of the format publishes none.
// - `DragPipe: DOCUMENT`: DragPipe's own, as no other identifier is published; DOCUMENT describes the format.
// MIME types are those of the IANA and of shared-mime-info.

import FoundationEssentials

struct SystemType {
  var identifier = ""
  var constant = ""
  /// The documentation of the constant.
  var summary = ""
  var parents: [String] = []
  /// The tags in the order of `tagClasses`, preferred first.
  var tags: [[String]] = [[], [], [], []]
  var referenceURL = ""
  var description = ""
  var source = ""

  var isApples: Bool { source.hasPrefix("Apple: ") }

  init() {}

  init(row: [String]) {
    identifier = row[0]
    constant = row[1]
    summary = row[2]
    parents = list(row[3])
    tags = row[4..<8].map(list)
    referenceURL = row[8]
    description = row[9]
    source = row[10]
  }
}

func list(_ field: String) -> [String] {
  field.components(separatedBy: ", ").filter { !$0.isEmpty }
}

// MARK: The facts

let folder = "Sources/UniformTypes/SystemTypes"
var types = try String(contentsOfFile: ".ci/system-types.tsv", encoding: .utf8).components(separatedBy: "\n")
  .filter { !$0.isEmpty && !$0.hasPrefix("#") }.dropFirst()
  .map { SystemType(row: $0.components(separatedBy: "\t")) }

// MARK: The graph

for type in types {
  precondition(!type.source.isEmpty, "\(type.identifier) states no source")
}
// Apple's types come first, so that one comparison identifies them.
types = types.filter(\.isApples) + types.filter { !$0.isApples }
let appleCount = types.count(where: \.isApples)

/// The parents without a row, which are undeclared and have the last indices.
let undeclared = Set(types.flatMap(\.parents)).subtracting(types.map(\.identifier)).sorted()
let identifiers = types.map(\.identifier) + undeclared
let indices = Dictionary(uniqueKeysWithValues: identifiers.enumerated().map { ($1, $0) })
let parents = types.map { $0.parents.compactMap { indices[$0] } } + undeclared.map { _ in [] }

func ancestors(of index: Int) -> [Int] {
  var found: Set<Int> = []
  var pending = parents[index]
  while let next = pending.popLast() {
    if found.insert(next).inserted { pending += parents[next] }
  }
  precondition(!found.contains(index), "a cycle through \(identifiers[index])")
  return found.sorted()
}

let ancestorsOf = identifiers.indices.map(ancestors)

// MARK: The precedence of types that claim a tag

/// For some tags, the type that takes precedence although the other rules of `claimants` prefer another type.
let chosen = [
  "application/vnd.ms-powerpoint": "com.microsoft.powerpoint.ppt",
  "application/mspowerpoint": "com.microsoft.powerpoint.ppt",
  "orf": "com.olympus.raw-image",
  "pic": "com.apple.pict",
  "raw": "com.panasonic.raw-image",
]

/// Sorts types by their precedence: Apple's types first, then the chosen type, then types with constants, then
/// `public.` types, then types before their subtypes, then by name.
func claimants(of tag: String, among claims: [Int]) -> [Int] {
  func rank(_ index: Int) -> [Int] {
    [
      index < appleCount ? 0 : 1, chosen[tag] == identifiers[index] ? 0 : 1, types[index].constant.isEmpty ? 1 : 0,
      identifiers[index].hasPrefix("public.") ? 0 : 1, ancestorsOf[index].filter(claims.contains).count,
    ]
  }
  return claims.sorted {
    rank($0) == rank($1) ? identifiers[$0] < identifiers[$1] : rank($0).lexicographicallyPrecedes(rank($1))
  }
}

// MARK: The blob

func lowercased(_ text: String) -> String {
  String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
}

/// Returns a number as digits of six bits, the most significant first; a digit is the code of "0" plus its value.
func digits(_ value: Int, _ count: Int) -> [UInt8] {
  precondition(value < 1 << (6 * count))
  return (0..<count).reversed().map { UInt8(0x30 + (value >> (6 * $0)) & 63) }
}

func text(_ string: String) -> [UInt8] { digits(string.utf8.count, 2) + Array(string.utf8) }

/// Returns the FNV-1a hash of the key's kind and its bytes, with the case bit of letters set in all bytes.
func hash(_ kind: Character, _ key: String) -> UInt32 {
  (Array(String(kind).utf8) + Array(key.utf8)).reduce(0x811C_9DC5) { ($0 ^ UInt32($1 | 0x20)) &* 0x0100_0193 }
}

/// The letters that mark the keys of tags, one for each of the four classes; tags of the last two are case-sensitive.
let kinds: [Character] = ["e", "m", "o", "p"]
var claims: [String: [Int]] = [:]
for (index, identifier) in identifiers.enumerated() { claims["i" + lowercased(identifier)] = [index] }
for (index, type) in types.enumerated() {
  for (kind, tags) in zip(kinds, type.tags) {
    for tag in tags {
      let key = String(kind) + ("em".contains(kind) ? lowercased(tag) : tag)
      if claims[key]?.contains(index) != true { claims[key, default: []].append(index) }
    }
  }
}

let slotCount = 8192
var slots = [Int](repeating: 0, count: slotCount)
let slotsStart = 1  // No entry is at offset 0, which marks an empty slot.
let recordsStart = slotsStart + 3 * slotCount
var records: [UInt8] = []
var recordOffsets: [Int] = []
let bodyStart = recordsStart + 3 * identifiers.count
var body: [UInt8] = []

for index in identifiers.indices {
  recordOffsets.append(bodyStart + body.count)
  // The data that are read most often come first.
  body += digits(ancestorsOf[index].count, 1) + ancestorsOf[index].flatMap { digits($0, 2) }
  body += digits(parents[index].count, 1) + parents[index].flatMap { digits($0, 2) }
  let type = index < types.count ? types[index] : SystemType()
  for tags in type.tags { body += digits(tags.count, 1) + tags.flatMap(text) }
  body += text(type.description) + text(type.referenceURL)
}
for (key, types) in claims.sorted(by: { $0.key < $1.key }) {
  let kind = key[key.startIndex]
  let word = String(key.dropFirst())
  var slot = Int(hash(kind, word)) % slotCount
  while slots[slot] != 0 { slot = (slot + 1) % slotCount }
  slots[slot] = bodyStart + body.count
  let sorted = claimants(of: word, among: types)
  body += Array(String(kind).utf8) + text(word) + digits(sorted.count, 1) + sorted.flatMap { digits($0, 2) }
}
let bytes = Array("0".utf8) + slots.flatMap { digits($0, 3) } + recordOffsets.flatMap { digits($0, 3) } + body
let blob = String(decoding: bytes, as: UTF8.self)
precondition(!blob.contains("\\#") && !blob.contains("\"\"\"") && !blob.contains("\n"))

// MARK: The sources

let header = """
  // Part of DragPipe.
  // SPDX-License-Identifier: Apache-2.0
  // Written by .ci/system-types.swift; changes here are lost.
  // swift-format-ignore-file


  """

// Lines are split between characters, and never within an escape sequence.
var lines: [String] = []
var line = ""
for character in blob {
  line.append(character)
  if line.utf8.count >= 112, character != "\\" {
    lines.append("    " + line + "\\#")
    line = ""
  }
}
lines.append("    " + line)

var identifierLines = ["   "]
for identifier in identifiers {
  if identifierLines[identifierLines.count - 1].utf8.count + identifier.utf8.count > 116 {
    identifierLines.append("   ")
  }
  identifierLines[identifierLines.count - 1] += " \"\(identifier)\","
}

let blobSource =
  header + """
    extension SystemTypes {
      /// The number of types that Apple declares. Indices from this number on belong to types of other owners.
      static let appleCount = \(appleCount)
      /// The number of declared types. Indices from this number on belong to parents without a declaration.
      static let declaredCount = \(types.count)
      static let count = \(identifiers.count)
      static let slotCount = \(slotCount)
      static let slotsStart = \(slotsStart)
      static let recordsStart = \(recordsStart)

      static let blob: StaticString = #\"\"\"
    \(lines.joined(separator: "\n"))
        \"\"\"#

      static let identifiers: [String] = [

    """ + identifierLines.joined(separator: "\n") + "\n  ]\n}\n"
try blobSource.write(toFile: "\(folder)/SystemTypes+Table.swift", atomically: true, encoding: .utf8)

let constants = types.filter { !$0.constant.isEmpty }
var constantsSource = header + "extension UTType {\n"
for type in constants {
  let index = indices[type.identifier, default: 0]
  constantsSource += """
      /// \(type.summary)
      public static var \(type.constant): UTType { UTType(system: "\(type.identifier)", index: \(index)) }


    """
}
constantsSource.removeLast()
constantsSource += """
  }

  extension SystemTypes {
    /// Every constant with its name in Swift.
    static let constants: [(name: String, type: UTType)] = [

  """ + constants.map { "    (\"\($0.constant)\", .\($0.constant)),\n" }.joined() + "  ]\n}\n"
try constantsSource.write(toFile: "\(folder)/UTType+SystemTypes.swift", atomically: true, encoding: .utf8)
print("\(types.count) types, \(constants.count) constants, \(bytes.count) bytes")
