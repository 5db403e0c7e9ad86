// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What Apple's modules have and what became of it here: the article says what the compiler and these tests have seen.
@Suite(.serialized, .limited) struct AppleMembersTests {
  private static let areas = [
    ("Item providers", ProviderMembers.all), ("Transferable", TransferableMembers.all),
    ("Uniform types", TypeMembers.all),
  ]

  @Test("every member that is said to be there does what it says", arguments: 0..<3)
  func uses(area: Int) async throws {
    for member in Self.areas[area].1 {
      guard let use = member.use else { continue }
      #expect(try await use(), "\(member.owner).\(member.name)")
    }
  }

  @Test("at least 95 of 100 members are there in each area")
  func completeness() {
    for (area, members) in Self.areas {
      #expect(MemberTable(area, members).implementedCount * 100 >= members.count * 95, "\(area)")
    }
  }

  @Test("members can be overridden, and a program's own wrappers are taken")
  func subclasses() async throws {
    #expect(try await subclassesWork())
  }

  @Test("no member is listed twice")
  func once() {
    for (area, members) in Self.areas {
      let names = members.map { "\($0.owner).\($0.name)" }
      #expect(Set(names).count == names.count, "\(area)")
    }
  }

  /// With `DRAGPIPE_WRITE_ARTICLES` set it is written, to be looked at and committed.
  @Test("the article lists all of them")
  func article() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = root.appendingPathComponent("Sources/ItemProviderCompat/ItemProviderCompat.docc/AppleMembers.md")
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

/// The members of an area as a section of an article.
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
