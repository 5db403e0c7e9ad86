// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import UniformTypes

extension UTType {
  /// An edit that a copy of a list requests from its store, as CBOR.
  static let sharedListEdit = UTType(exportedAs: "org.dragpipe.shared-list-edit", conformingTo: .data)
  /// A change of a store's list, as CBOR.
  static let sharedListChange = UTType(exportedAs: "org.dragpipe.shared-list-change", conformingTo: .data)
}

/// An edit of a list.
///
/// An edit refers to elements by identifier, because their offsets may have changed.
enum SharedListEdit<Element: Codable & Sendable & Identifiable>: Codable, Sendable
where Element.ID: Codable & Sendable {
  /// Inserts an element before the element with an identifier; at the end if the list does not have that element.
  case insert(Element, before: Element.ID?)
  case remove(Element.ID)
  /// Replaces the element with the same identifier.
  case replace(Element)
}

/// A message with a difference: the ascending offsets of removals in the old list, and of insertions in the new list.
struct SharedListDifference<Element: Codable & Sendable & Equatable & Identifiable>: Codable, Sendable {
  struct Insertion: Codable, Sendable {
    var offset: Int
    var element: Element
  }

  var revision: UInt64
  var removedOffsets: [Int]
  var insertions: [Insertion]

  init(_ change: SharedListChange<Element>) {
    revision = change.revision
    removedOffsets = change.difference.removals.map(\.place)
    insertions = change.difference.insertions.map { change in
      switch change {
      case .insert(let offset, let element, _), .remove(let offset, let element, _):
        Insertion(offset: offset, element: element)
      }
    }
  }

  /// Returns `elements` with the difference applied.
  ///
  /// - Throws: `invalidMessage` for offsets that are out of range or not ascending.
  func applied(to elements: [Element]) throws(SharedListError) -> [Element] {
    let kept = elements.count - removedOffsets.count
    guard kept >= 0, removedOffsets.isAscending(below: elements.count),
      insertions.map(\.offset).isAscending(below: kept + insertions.count)
    else { throw SharedListError(.invalidMessage, "difference has offsets outside the list") }
    var (result, inserted, removed) = ([Element](), insertions[...], removedOffsets[...])
    result.reserveCapacity(kept + insertions.count)
    for (offset, element) in elements.enumerated() {
      if removed.first == offset {
        removed = removed.dropFirst()
        continue
      }
      while let next = inserted.first, next.offset == result.count {
        result.append(next.element)
        inserted = inserted.dropFirst()
      }
      result.append(element)
    }
    return result + inserted.map(\.element)
  }
}

extension [Int] {
  fileprivate func isAscending(below end: Int) -> Bool {
    guard let first, let last else { return true }
    return first >= 0 && last < end && zip(self, dropFirst()).allSatisfy { $0 < $1 }
  }
}

extension CollectionDifference.Change {
  fileprivate var place: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
