// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An index from tags to the declared types that claim them.
struct TagIndex {
  /// The slots of the types that claim a tag, or claimed it in a replaced declaration, in the order of the
  /// declarations.
  struct Claims {
    fileprivate(set) var exported: [Int] = []
    fileprivate(set) var imported: [Int] = []
  }

  /// A class and a tag, which is in lower case if its class ignores case.
  private struct Key: Hashable {
    let tagClass: UTTagClass
    let tag: String

    init(_ tag: String, _ tagClass: UTTagClass) {
      self.tagClass = tagClass
      self.tag = tagClass.ignoresCase ? tag.asciiLowercased : tag
    }
  }

  private var claims: [Key: Claims] = [:]

  /// Appends the claims of a declaration.
  ///
  /// The claims of a replaced declaration stay, because removing them from long lists would take linear time. Callers
  /// ignore a claim if the current declaration of its type has another origin.
  mutating func add(_ declaration: TypeDeclaration, at slot: Int) {
    for (tagClass, tags) in declaration.tags {
      for tag in tags { claims[Key(tag, tagClass), default: Claims()].add(slot, declaration.origin) }
    }
  }

  func claims(to tag: String, of tagClass: UTTagClass) -> Claims? {
    claims[Key(tag, tagClass)]
  }
}

extension TagIndex.Claims {
  fileprivate mutating func add(_ slot: Int, _ origin: TypeDeclaration.Origin) {
    switch origin {
    case .exported: exported.appendOnce(slot)
    case .imported: imported.appendOnce(slot)
    }
  }
}

extension [Int] {
  /// Appends a slot unless it is the last element.
  ///
  /// A declaration that repeats a tag would append the same slot several times in succession.
  fileprivate mutating func appendOnce(_ slot: Int) {
    if last != slot { append(slot) }
  }
}
