// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Which declared types claim a tag.
struct TagIndex {
  private struct Key: Hashable {
    var tagClass: CaselessText
    /// In lower case where the class ignores case.
    var tag: String

    init(_ tag: String, of tagClass: UTTagClass) {
      self.tagClass = CaselessText(text: tagClass.rawValue)
      self.tag = tagClass.ignoresCase ? tag.asciiLowercased : tag
    }
  }

  private struct Claims {
    var exported: [Int] = []
    var imported: [Int] = []
  }

  private var claimsByTag: [Key: Claims] = [:]

  var isEmpty: Bool { claimsByTag.isEmpty }

  /// Adds the claims of a declaration, after those that are there.
  ///
  /// What the type claimed by an earlier declaration stays, as taking it out of long lists would take long; whoever
  /// reads looks whether the claim still holds.
  mutating func add(_ declaration: TypeDeclaration, at slot: Int) {
    for (tagClass, tags) in declaration.tags {
      for tag in tags {
        switch declaration.origin {
        case .exported: claimsByTag[Key(tag, of: tagClass), default: Claims()].exported.appendOnce(slot)
        case .imported: claimsByTag[Key(tag, of: tagClass), default: Claims()].imported.appendOnce(slot)
        }
      }
    }
  }

  /// The slots of types that claim a tag or claimed it: exported ones first, each in the order of the declarations.
  func claimants(of tag: String, _ tagClass: UTTagClass) -> (exported: [Int], imported: [Int]) {
    let claims = claimsByTag[Key(tag, of: tagClass)]
    return (claims?.exported ?? [], claims?.imported ?? [])
  }
}

extension [Int] {
  /// The claims of one declaration are next to each other, so a tag that it states twice is seen at the end.
  fileprivate mutating func appendOnce(_ slot: Int) {
    if last != slot { append(slot) }
  }
}
