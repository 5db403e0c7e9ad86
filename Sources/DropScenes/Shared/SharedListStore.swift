// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import DropTransport
internal import ItemCoding
internal import ItemTransfer
internal import Synchronization

/// The owner of a list that other processes observe and change.
///
/// ```swift
/// let dates = SharedListStore<Stamp>()
/// try await DropStream.withListener(at: .unixSocket(named: "dates")) { listener in
///   try await listener.serve { session in try await dates.serve(session) }
/// }
/// ```
///
/// Edits are applied one after the other in the order of arrival. Every process sees the same order, and after the last
/// edit the same list. All encoded elements together may have 8 MiB. ``SharedList`` is a copy in another process.
public final class SharedListStore<Element: Codable & Sendable & Identifiable & Equatable>: Sendable
where Element.ID: Codable & Sendable {
  /// The maximum number of elements.
  private let maximumCount: Int
  /// The maximum size of all encoded elements together in bytes.
  ///
  /// A new copy receives all elements in one message.
  static var maximumByteCount: Int { 8 << 20 }
  /// The sizes of the encoded elements in bytes, for each element and in total.
  private struct ByteCounts {
    var ofElements: [Element.ID: Int] = [:]
    var total = 0
  }

  private let byteCounts: Lock<ByteCounts>
  private let state: SharedListState<Element>

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - elements: The initial elements with unique identifiers.
  ///   - maximumCount: The maximum number of elements.
  public init(_ elements: [Element] = [], maximumCount: Int = 100_000) {
    self.maximumCount = maximumCount
    state = SharedListState(elements)
    var counts = ByteCounts()
    for element in elements {
      // An element that cannot be encoded is never sent, so it has no size.
      let count = (try? Self.byteCount(of: element)) ?? 0
      counts.ofElements[element.id] = count
      counts.total += count
    }
    byteCounts = Lock(counts)
  }

  /// The current elements.
  public var elements: [Element] { state.snapshot.elements }

  /// The changes of the list; the first change inserts all existing elements.
  public var changes: SharedListChanges<Element> { SharedListChanges(state: state) }

  /// Inserts an element before another element, or at the end.
  ///
  /// - Parameters:
  ///   - element: The new element.
  ///   - identifier: The identifier of the following element. If the list does not have that element, the new element
  ///     is appended.
  /// - Throws: `duplicateIdentifier`, `limitExceeded`, `ended`; `invalidMessage` if the element cannot be encoded.
  public func insert(_ element: Element, before identifier: Element.ID? = nil) throws(SharedListError) {
    try perform(.insert(element, before: identifier))
  }

  /// Removes an element.
  ///
  /// - Parameter identifier: The element's identifier.
  /// - Throws: `notFound`, `ended`.
  public func remove(_ identifier: Element.ID) throws(SharedListError) {
    try perform(.remove(identifier))
  }

  /// Replaces the element with the same identifier.
  ///
  /// - Parameter element: The new value.
  /// - Throws: `notFound`, `limitExceeded`, `ended`; `invalidMessage` if the element cannot be encoded.
  public func replace(_ element: Element) throws(SharedListError) {
    try perform(.replace(element))
  }

  /// Ends the list; observers receive the last elements and then the end.
  public func end() {
    state.end(nil)
  }

  /// Performs an edit.
  ///
  /// - Returns: The first revision that includes the edit.
  @discardableResult
  private func perform(_ edit: SharedListEdit<Element>) throws(SharedListError) -> UInt64 {
    let count = try edit.element.map(Self.byteCount) ?? 0
    // The lock serializes edits, so that the sizes always match the elements.
    let result = byteCounts.withLock { byteCounts -> Result<UInt64, SharedListError> in
      do throws(SharedListError) {
        let total = byteCounts.total - (byteCounts.ofElements[edit.identifier] ?? 0) + count
        guard total <= Self.maximumByteCount || count == 0 else {
          throw SharedListError(.limitExceeded, "the elements exceed the limit of \(Self.maximumByteCount) bytes")
        }
        let revision = try state.change { [maximumCount] snapshot throws(SharedListError) in
          try edit.apply(to: &snapshot.elements, atMost: maximumCount)
          snapshot.revision += 1
          return snapshot.revision
        }
        byteCounts.ofElements[edit.identifier] = edit.element == nil ? nil : count
        byteCounts.total = total
        return .success(revision)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func byteCount(of element: Element) throws(SharedListError) -> Int {
    do {
      return try CBOREncoder().encode(element).count
    } catch {
      throw SharedListError(.invalidMessage, "the element cannot be encoded: \(error)", underlyingError: error)
    }
  }

  /// Serves a process until the process ends the session, or the list ends.
  ///
  /// - Parameter session: The session with the process.
  /// - Throws: `DropStreamError` if the session fails.
  public func serve(_ session: DropSession) async throws {
    let (sentRevisions, newRevisions) = AsyncStream.makeStream(of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.sendChanges(to: session, newRevisions) }
      group.addTask { try await self.listen(to: session, sentRevisions) }
      // The first task to end cancels the other.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func sendChanges(to session: DropSession, _ newRevisions: AsyncStream<UInt64>.Continuation) async throws {
    for try await change in changes {
      _ = try await session.offer([ItemProvider(message: SharedListDifference(change), .sharedListChange)])
      newRevisions.yield(change.revision)
    }
  }

  private func listen(to session: DropSession, _ sentRevisions: AsyncStream<UInt64>) async throws {
    var revisions = sentRevisions.makeAsyncIterator()
    var seen: UInt64 = 0
    for try await drop in session.drops {
      do {
        guard let item = drop.items.first else {
          throw SharedListError(.invalidMessage, "edit without an item")
        }
        let revision = try perform(try await item.message(SharedListEdit<Element>.self, .sharedListEdit))
        // The copy must receive its own edit before the response to the edit.
        while seen < revision, let next = await revisions.next() { seen = next }
        try await drop.finish(.copy)
      } catch {
        guard let failure = error.dropStreamError else {
          try await drop.refuseUnlessWithdrawn(because: SharedListRefusal.reason(for: error))
          continue
        }
        // The client may cancel after its edit was applied; that is not an error.
        if !failure.needsNoResponse { throw failure }
      }
    }
  }
}

extension SharedListEdit {
  fileprivate var element: Element? {
    switch self {
    case .insert(let element, _), .replace(let element): element
    case .remove: nil
    }
  }

  fileprivate var identifier: Element.ID {
    switch self {
    case .insert(let element, _), .replace(let element): element.id
    case .remove(let identifier): identifier
    }
  }
}

extension SharedListEdit where Element: Equatable {
  fileprivate func apply(to elements: inout [Element], atMost maximumCount: Int) throws(SharedListError) {
    switch self {
    case .insert(let element, let identifier):
      guard !elements.contains(where: { $0.id == element.id }) else {
        throw SharedListError(.duplicateIdentifier, "the list already has an element with this identifier")
      }
      guard elements.count < maximumCount else {
        throw SharedListError(.limitExceeded, "the list has reached its limit of \(maximumCount) elements")
      }
      let index = identifier.flatMap { identifier in elements.firstIndex { $0.id == identifier } }
      elements.insert(element, at: index ?? elements.endIndex)
    case .remove(let identifier):
      elements.remove(at: try Self.index(of: identifier, in: elements))
    case .replace(let element):
      elements[try Self.index(of: element.id, in: elements)] = element
    }
  }

  private static func index(of identifier: Element.ID, in elements: [Element]) throws(SharedListError) -> Int {
    guard let index = elements.firstIndex(where: { $0.id == identifier }) else {
      throw SharedListError(.notFound, "the element is not in the list")
    }
    return index
  }
}
