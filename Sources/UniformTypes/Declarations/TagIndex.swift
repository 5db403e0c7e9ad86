// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Which declared types claim a tag.
struct TagIndex {
  /// The slots of the types that claim a tag or claimed it, each in the order of the declarations.
  struct Claims {
    fileprivate(set) var exported: [Int] = []
    fileprivate(set) var imported: [Int] = []
  }

  /// Apart, as nearly every search is for an extension.
  private var claimsByExtension: [String: Claims] = [:]
  /// Of all other classes; the tags are in lower case where the class ignores case.
  private var claimsByTag: [CaselessText: [String: Claims]] = [:]

  /// Adds the claims of a declaration, after those that are there.
  ///
  /// What the type claimed by an earlier declaration stays, as taking it out of long lists would take long; whoever
  /// reads looks whether the claim still holds.
  mutating func add(_ declaration: TypeDeclaration, at slot: Int) {
    for (tagClass, tags) in declaration.tags {
      for tag in tags {
        let key = Self.key(tag, of: tagClass)
        if tagClass == .filenameExtension {
          claimsByExtension[key, default: Claims()].add(slot, declaration.origin)
        } else {
          claimsByTag[CaselessText(text: tagClass.rawValue), default: [:]][key, default: Claims()]
            .add(slot, declaration.origin)
        }
      }
    }
  }

  func claims(to tag: String, of tagClass: UTTagClass) -> Claims? {
    tagClass == .filenameExtension
      ? claims(toExtension: tag)
      : claimsByTag[CaselessText(text: tagClass.rawValue)]?[Self.key(tag, of: tagClass)]
  }

  func claims(toExtension filenameExtension: String) -> Claims? {
    claimsByExtension[filenameExtension.asciiLowercased]
  }

  private static func key(_ tag: String, of tagClass: UTTagClass) -> String {
    tagClass.ignoresCase ? tag.asciiLowercased : tag
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
  /// The claims of one declaration are next to each other, so a tag that it states twice is seen at the end.
  fileprivate mutating func appendOnce(_ slot: Int) {
    if last != slot { append(slot) }
  }
}
