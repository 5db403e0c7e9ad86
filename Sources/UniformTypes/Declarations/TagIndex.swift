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

  /// The claims to filename extensions, which are separate because nearly every search is for an extension.
  private var claimsByExtension: [String: Claims] = [:]
  /// The claims to tags of all other classes, by class and tag; tags are in lower case if their class ignores case.
  private var claimsByTag: [CaselessText: [String: Claims]] = [:]

  /// Appends the claims of a declaration.
  ///
  /// The claims of a replaced declaration stay, because removing them from long lists would take linear time. Callers
  /// ignore a claim if the current declaration of its type has another origin.
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
  /// Appends a slot unless it is the last element.
  ///
  /// A declaration that repeats a tag would append the same slot several times in succession.
  fileprivate mutating func appendOnce(_ slot: Int) {
    if last != slot { append(slot) }
  }
}
