// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// One of the members that Apple's modules have, and what became of it here.
struct Member: Sendable {
  enum Status: Sendable {
    case implemented
    /// The sentence says how.
    case differs(String)
    /// The sentence says why.
    case absent(String)
  }

  /// The type or module that has it.
  var owner: String
  var name: String
  var status: Status
  /// Uses the member, and says whether it does what its documentation says.
  var use: (@Sendable () async throws -> Bool)?
}

/// Members in the order of Apple's documentation.
struct MemberList {
  private(set) var members: [Member] = []
  private var owner = ""

  mutating func of(_ owner: String) {
    self.owner = owner
  }

  mutating func has(_ names: String..., use: @escaping @Sendable () async throws -> Bool) {
    for name in names { members.append(Member(owner: owner, name: name, status: .implemented, use: use)) }
  }

  mutating func differs(_ name: String, _ how: String, use: @escaping @Sendable () async throws -> Bool) {
    members.append(Member(owner: owner, name: name, status: .differs(how), use: use))
  }

  mutating func lacks(_ name: String, _ why: String) {
    members.append(Member(owner: owner, name: name, status: .absent(why)))
  }
}
