// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import ItemTransfer
package import UniformTypes

/// A selection of the representations that a destination accepts.
package struct WantedRepresentations: Sendable, Hashable {
  /// The types to accept, most preferred first.
  ///
  /// If the list is empty, every type is accepted.
  package var acceptedTypes: [UTType]
  /// Whether all accepted representations are kept, and not only the first.
  package var isAll: Bool

  package init(acceptedTypes: [UTType], isAll: Bool = false) {
    self.acceptedTypes = acceptedTypes
    self.isAll = isAll
  }

  /// Returns the indices of the selected representations: at most one, or all that are not aliases of each other.
  ///
  /// The indices are in the source's order.
  package func indices(among offered: [ItemRepresentation.Traits]) -> [Int] {
    if isAll {
      var kept: Set<UTType> = []
      let accepted = offered.indices.filter { index in
        acceptedTypes.isEmpty || acceptedTypes.contains { offered[index].conforms(to: $0) }
      }
      // An original comes before its aliases.
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
