// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import ItemTransfer
package import UniformTypes

/// Which representations of an item a destination wants.
package struct WantedRepresentations: Sendable, Hashable {
  /// What they must conform to, the type that is wanted most first; empty, every type does.
  package var acceptedTypes: [UTType]
  /// Whether all of them are wanted, and not the first alone.
  package var isAll: Bool

  package init(acceptedTypes: [UTType], isAll: Bool = false) {
    self.acceptedTypes = acceptedTypes
    self.isAll = isAll
  }

  /// The representations, by index: one, or of all those that do not repeat another one's bytes, in the source's order.
  package func indices(among offered: [ItemRepresentation.Traits]) -> [Int] {
    if isAll {
      var kept: Set<UTType> = []
      let accepted = offered.indices.filter { index in
        acceptedTypes.isEmpty || acceptedTypes.contains { offered[index].conforms(to: $0) }
      }
      // Originals come before what has their bytes.
      return accepted.filter { index in
        let isNew = kept.insert(offered[index].aliasedType ?? offered[index].contentType).inserted
        return isNew || offered[index].aliasedType == nil
      }
    }
    guard !acceptedTypes.isEmpty else { return offered.isEmpty ? [] : [0] }
    for type in acceptedTypes {
      if let index = offered.firstIndex(where: { $0.conforms(to: type) }) { return [index] }
    }
    return []
  }
}
