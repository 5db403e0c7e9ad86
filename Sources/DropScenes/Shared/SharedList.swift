// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import DropTransport
internal import ItemTransfer

/// This process's copy of a list that lives in another one, which many processes see and change.
///
/// ```swift
/// try await SharedList<Stamp>.connect(over: .unixSocket(named: "dates")) { dates in
///   try await dates.insert(Stamp(Date()), at: 0)
///   for try await change in dates.changes { table.apply(change.difference) }   // throws when the store dies
/// }
/// ```
///
/// The copy changes when the store says so, and never before. An edit that has returned is seen in the copy.
public final class SharedList<Element: Codable & Sendable & Identifiable & Equatable>: Sendable
where Element.ID: Codable & Sendable {
  private let session: DropSession
  private let state = SharedListState<Element>(nil)

  private init(_ session: DropSession) {
    self.session = session
  }

  /// Has a copy of a list for as long as a closure runs.
  ///
  /// - Parameters:
  ///   - endpoint: Where the store serves.
  ///   - options: Limits and the like of the session.
  ///   - isolation: The caller's; leave it out.
  ///   - body: Uses the copy, which has what is in the list when it is called.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; `SharedListError` where the store cannot be reached or says nothing that makes sense.
  public static func connect<Result>(
    over endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(),
    isolation: isolated (any Actor)? = #isolation, _ body: (SharedList) async throws -> Result
  ) async throws -> Result {
    // An error of the closure's own is not the session's.
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

  /// What is in the list, as far as this process has heard.
  public var elements: [Element] { state.snapshot.elements }

  /// The changes from now on, beginning with all that is there.
  public var changes: SharedListChanges<Element> { SharedListChanges(state: state) }

  /// Puts an element at a place, meant as this process sees the list: before the element that stands there.
  ///
  /// - Parameters:
  ///   - element: What is new.
  ///   - index: From 0; the end where there are not so many by now, or `nil`.
  /// - Throws: `duplicateIdentifier`, `limitExceeded`, `ended`, `storeGone`, `cancelled`: then nobody knows.
  /// - Precondition: The place is not negative.
  public func insert(_ element: Element, at index: Int? = nil) async throws(SharedListError) {
    let elements = elements
    let next = index.flatMap { $0 < elements.count ? elements[$0].id : nil }
    try await perform(.insert(element, before: next))
  }

  /// Takes an element out.
  ///
  /// - Parameter identifier: Of the element.
  /// - Throws: `notFound`, which is also what comes of two who remove the same; `ended`, `storeGone`, `cancelled`.
  public func remove(_ identifier: Element.ID) async throws(SharedListError) {
    try await perform(.remove(identifier))
  }

  /// Puts an element in the place of that of the same identifier.
  ///
  /// - Parameter element: As it is now.
  /// - Throws: `notFound`, `ended`, `storeGone`, `cancelled`.
  public func replace(_ element: Element) async throws(SharedListError) {
    try await perform(.replace(element))
  }

  private func perform(_ edit: SharedListEdit<Element>) async throws(SharedListError) {
    do throws(DropStreamError) {
      _ = try await session.offer([ItemProvider(saying: edit, .sharedListEdit)])
    } catch {
      // The store knows better what has become of the list than the session does.
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

  /// Takes the store's changes until there are no more, and says why.
  private func listen() async {
    do {
      for try await drop in session.drops {
        guard let item = drop.items.first else { throw SharedListError(.invalidMessage, "a change is one item") }
        // One that is taken back belongs to a store that is ending, which the session says.
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
