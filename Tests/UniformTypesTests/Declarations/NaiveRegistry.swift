// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

@testable import UniformTypes

/// A simple, slow registry with which tests compare the real registry.
///
/// All its identifiers are in lower case.
struct NaiveRegistry {
  private(set) var held: [String: TypeDeclaration] = [:]

  /// Adds declarations.
  ///
  /// - Returns: The indices of the refused declarations, and the indices of those that were refused because of a cycle.
  mutating func declare(_ declarations: [TypeDeclaration]) -> (refused: Set<Int>, cyclic: Set<Int>) {
    // A type that names itself as a parent loses only that parent.
    let declarations = declarations.map { declaration in
      var declaration = declaration
      declaration.conformsTo.removeAll { $0 == declaration.identifier }
      return declaration
    }
    var refused: Set<Int> = []
    var cyclic: Set<Int> = []
    for origin in TypeDeclaration.Origin.allCases {
      let before = held
      var added: [String: Int] = [:]
      for (index, declaration) in declarations.enumerated() where declaration.origin == origin {
        let known = held[declaration.identifier]
        if known == nil || known?.origin == .imported && origin == .exported {
          held[declaration.identifier] = declaration
          added[declaration.identifier] = index
        } else {
          refused.insert(index)
        }
      }
      while case let circular = added.filter({ isOnCycle($0.key) }), !circular.isEmpty {
        for (identifier, index) in circular {
          cyclic.insert(index)
          added[identifier] = nil
          held[identifier] = before[identifier]
        }
      }
    }
    return (refused.union(cyclic), cyclic)
  }

  func isOnCycle(_ identifier: String) -> Bool {
    ancestors(of: identifier).contains(identifier)
  }

  func ancestors(of identifier: String) -> Set<String> {
    var found: Set<String> = []
    var pending = [identifier]
    while let next = pending.popLast() {
      let parents: [String]
      if let index = SystemTypes.index(of: next) {
        parents = SystemTypes.parents(of: index).map { SystemTypes.identifiers[$0] }
      } else {
        let stated = held[next]?.conformsTo ?? []
        parents = stated.isEmpty ? ["public.data"] : stated
      }
      for parent in parents where found.insert(parent).inserted { pending.append(parent) }
    }
    return found
  }
}
