// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
