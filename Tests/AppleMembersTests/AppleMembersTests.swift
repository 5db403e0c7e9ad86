// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The members of Apple's modules, each with its status in this package, as the article lists them.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct AppleMembersTests {
  private static let areas = [
    ("Item providers", ProviderMembers.all), ("Transferable", TransferableMembers.all),
    ("Uniform types", TypeMembers.all), ("User activities", ActivityMembers.all),
    ("App extensions", ExtensionMembers.all), ("Files", FileMembers.all), ("Drags and pictures", DragMembers.all),
  ]

  @Test(arguments: 0..<7)
  func everyImplementedMemberWorks(area: Int) async throws {
    for member in Self.areas[area].1 {
      guard let use = member.use else { continue }
      #expect(try await use(), "\(member.owner).\(member.name)")
    }
  }

  @Test func implementsAtLeast95PercentOfEachAreaWithoutSystemServices() {
    for (area, members) in Self.areas.prefix(3) {
      #expect(MemberTable(area, members).implementedCount * 100 >= members.count * 95, "\(area)")
    }
  }

  @Test func subclassesMayOverrideMembers() async throws {
    #expect(try await subclassesWork())
  }

  @Test func listsEachMemberOnce() {
    for (area, members) in Self.areas {
      let names = members.map { "\($0.owner).\($0.name)" }
      #expect(Set(names).count == names.count, "\(area)")
    }
  }

  @Test func snippetsOfTutorialsWork() async throws {
    #expect(try await tutorialSnippetsWork())
  }

  @Test(arguments: ["AppleSources", "AppleSourcesSwift5"])
  func articleShowsTheAddedFile(ofSample sample: String) throws {
    let file = Self.root.appendingPathComponent("Samples/\(sample)/LinuxShim.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    let code = text[try #require(text.range(of: "#if os(Linux)\n")).lowerBound...]
    let article = Self.catalogue.appendingPathComponent("ItemProviderCompat.md")
    #expect(try String(contentsOf: article, encoding: .utf8).contains("```swift\n\(code)```\n"))
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let catalogue = root.appendingPathComponent("Sources/ItemProviderCompat/ItemProviderCompat.docc")

  /// With `DRAGPIPE_WRITE_ARTICLES` set, the test writes the article; review and commit it.
  @Test func articleListsAllMembers() throws {
    let article = Self.catalogue.appendingPathComponent("AppleMembers.md")
    let tables = Self.areas.map { MemberTable($0, $1).text }.joined(separator: "\n")
    let text = try String(contentsOf: article, encoding: .utf8)
    let start = try #require(text.range(of: "## Item providers\n")).lowerBound
    if ProcessInfo.processInfo.environment["DRAGPIPE_WRITE_ARTICLES"] != nil {
      try Data((text[..<start] + tables).utf8).write(to: article)
    } else {
      #expect(text[start...] == tables)
    }
  }
}

/// The members of an area as a section of the article.
struct MemberTable {
  private let title: String
  private let members: [Member]

  init(_ title: String, _ members: [Member]) {
    self.title = title
    self.members = members
  }

  var implementedCount: Int {
    members.count { if case .implemented = $0.status { true } else { false } }
  }

  var text: String {
    let share = (Double(implementedCount) / Double(members.count) * 1000).rounded(.down) / 10
    var text = """
      ## \(title)

      \(implementedCount) of \(members.count) members are implemented: \(share) %.

      | member | here |
      |---|---|

      """
    var owners: [String] = []
    for member in members where !owners.contains(member.owner) { owners.append(member.owner) }
    for owner in owners {
      text += "| **\(owner)** | |\n"
      for member in members where member.owner == owner { text += "| `\(member.name)` | \(member.status.words) |\n" }
    }
    return text
  }
}

extension Member.Status {
  fileprivate var words: String {
    switch self {
    case .implemented: "implemented"
    case .differs(let how): "differs: \(how)"
    case .absent(let why): "absent: \(why)"
    }
  }
}
