// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import DropTransport
internal import ItemTransfer

/// A copy of a list that a store in another process owns and that several processes can change.
///
/// ```swift
/// try await SharedList<Stamp>.connect(over: .unixSocket(named: "dates")) { dates in
///   try await dates.insert(Stamp(Date()), at: 0)
///   for try await change in dates.changes { table.apply(change.difference) }   // throws when the store dies
/// }
/// ```
///
/// The copy changes only when the store sends a change. Once a call that edits the list has returned, the copy has the
/// edit.
public final class SharedList<Element: Codable & Sendable & Identifiable & Equatable>: Sendable
where Element.ID: Codable & Sendable {
  private let session: DropSession
  private let state = SharedListState<Element>(nil)

  private init(_ session: DropSession) {
    self.session = session
  }

  /// Connects to a store while a closure runs.
  ///
  /// - Parameters:
  ///   - endpoint: The address of the store.
  ///   - options: The options of the session, such as limits.
  ///   - isolation: The caller's isolation; omit it.
  ///   - body: Uses the copy, which has received all elements when the closure begins.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`; `SharedListError` if the store cannot be reached or sends invalid messages.
  public static func connect<Result>(
    over endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(),
    isolation: isolated (any Actor)? = #isolation, _ body: (SharedList) async throws -> Result
  ) async throws -> Result {
    // The errors of `body` are kept apart from the errors of the session.
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = try await DropStream.withSession(over: endpoint, options: options) { session in
        let list = SharedList(session)
        async let _: Void = list.listen()
        do {
          try await list.waitForElements()
          let result = try await body(list)
          return .success(result)
        } catch {
          return .failure(error)
        }
      }
    } catch {
      throw SharedListRefusal.error(error)
    }
    return try outcome.get()
  }

  /// The elements of this copy, with all changes received so far.
  public var elements: [Element] { state.snapshot.elements }

  /// The changes of this copy; the first change inserts all existing elements.
  public var changes: SharedListChanges<Element> { SharedListChanges(state: state) }

  /// Inserts an element before the element that this copy has at an index.
  ///
  /// - Parameters:
  ///   - element: The new element.
  ///   - index: The index from 0; `nil` or an index past the end appends the element. The store also appends it if the
  ///     element at the index was removed in the meantime.
  /// - Throws: `duplicateIdentifier`, `limitExceeded`, `ended`, `storeGone`, `cancelled`, `invalidMessage`. After
  ///   `cancelled`, the store may have inserted the element nevertheless.
  /// - Precondition: `index` is not negative.
  public func insert(_ element: Element, at index: Int? = nil) async throws(SharedListError) {
    let elements = elements
    let next = index.flatMap { $0 < elements.count ? elements[$0].id : nil }
    try await perform(.insert(element, before: next))
  }

  /// Removes an element.
  ///
  /// - Parameter identifier: The element's identifier.
  /// - Throws: `notFound`, also if another process has already removed the element; `ended`, `storeGone`, `cancelled`,
  ///   `invalidMessage`.
  public func remove(_ identifier: Element.ID) async throws(SharedListError) {
    try await perform(.remove(identifier))
  }

  /// Replaces the element with the same identifier.
  ///
  /// - Parameter element: The new value.
  /// - Throws: `notFound`, `limitExceeded`, `ended`, `storeGone`, `cancelled`, `invalidMessage`.
  public func replace(_ element: Element) async throws(SharedListError) {
    try await perform(.replace(element))
  }

  private func perform(_ edit: SharedListEdit<Element>) async throws(SharedListError) {
    do throws(DropStreamError) {
      _ = try await session.offer([ItemProvider(message: edit, .sharedListEdit)])
    } catch {
      // The reason why the list has ended is more precise than the error of the session.
      if error.code != .refused, let end = state.end { throw end }
      throw SharedListRefusal.error(error)
    }
  }

  private func waitForElements() async throws {
    var changes = changes.makeAsyncIterator()
    guard try await changes.next() != nil else {
      throw Task.isCancelled ? SharedListError(.cancelled, "the task was cancelled") : .ended
    }
  }

  /// Applies the store's changes until the list ends, and records the reason for the end.
  private func listen() async {
    do {
      for try await drop in session.drops {
        guard let item = drop.items.first else { throw SharedListError(.invalidMessage, "change without an item") }
        // Only a store that is ending withdraws a change, and the session then ends as well.
        let difference = try await item.message(SharedListDifference<Element>.self, .sharedListChange)
        try state.change { snapshot throws(SharedListError) in
          snapshot.elements = try difference.applied(to: snapshot.elements)
          snapshot.revision = difference.revision
          snapshot.isKnown = true
        }
        try await drop.finish(.copy)
      }
      state.end(nil)
    } catch {
      state.end(SharedListRefusal.error(error))
    }
  }
}
