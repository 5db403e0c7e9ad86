// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemCoding
internal import ItemTransfer
public import UniformTypes

extension UTType {
  /// What a copy of a list asks its store for, as CBOR.
  public static let sharedListEdit = UTType(exportedAs: "org.dragpipe.shared-list-edit", conformingTo: .data)
  /// How a store's list has changed, as CBOR.
  public static let sharedListChange = UTType(exportedAs: "org.dragpipe.shared-list-change", conformingTo: .data)
}

/// An edit of a list; elements are meant by their identifiers, as their places may be others by now.
enum SharedListEdit<Element: Codable & Sendable & Identifiable>: Codable, Sendable
where Element.ID: Codable & Sendable {
  /// Puts an element before another, or at the end where there is no other, or it is gone.
  case insert(Element, before: Element.ID?)
  case remove(Element.ID)
  /// Puts an element in the place of that of the same identifier.
  case replace(Element)
}

/// A difference as it travels: where what was removed had stood, and where what was inserted stands, both ascending.
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

  /// The list after the difference.
  ///
  /// - Throws: `invalidMessage` for places that are not there, or come twice.
  func applied(to elements: [Element]) throws(SharedListError) -> [Element] {
    let kept = elements.count - removedOffsets.count
    guard kept >= 0, removedOffsets.isAscending(below: elements.count),
      insertions.map(\.offset).isAscending(below: kept + insertions.count)
    else { throw SharedListError(.invalidMessage, "a difference does not fit the list") }
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

extension ItemProvider {
  /// An item that says one thing.
  convenience init(saying message: some Encodable & Sendable, _ type: UTType) {
    self.init()
    register(type) { _ in try CBOREncoder().encode(message) }
  }

  /// The most bytes of what an item says.
  static let maximumMessageLength = 16 << 20

  /// What an item says.
  ///
  /// - Throws: `SharedListError.invalidMessage` for too many bytes, and for what is none.
  func message<Message: Decodable & Sendable>(
    _ message: Message.Type, _ type: UTType, atMost maximumLength: Int = maximumMessageLength
  ) async throws -> Message {
    var data = Data()
    for try await chunk in try await bytes(for: type) {
      guard data.count + chunk.count <= maximumLength else {
        throw SharedListError(.invalidMessage, "a message has more than \(maximumLength) bytes")
      }
      data += chunk
    }
    do {
      return try CBORDecoder().decodeForeign(message, from: data)
    } catch {
      throw SharedListError(.invalidMessage, "a message cannot be read: \("\(error)".escapedForDisplay())")
    }
  }
}
