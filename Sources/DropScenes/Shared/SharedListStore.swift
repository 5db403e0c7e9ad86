// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import DropTransport
internal import ItemCoding
internal import ItemTransfer
internal import Synchronization

/// A list that other processes see and change: what they all have in common.
///
/// ```swift
/// let dates = SharedListStore<Stamp>()
/// try await DropStream.withListener(at: .unixSocket(named: "dates")) { listener in
///   try await listener.serve { session in try await dates.serve(session) }
/// }
/// ```
///
/// Edits take effect one after the other, in the order in which they come; every process sees that order, and after all
/// of them the same list. ``SharedList`` is the other end.
public final class SharedListStore<Element: Codable & Sendable & Identifiable & Equatable>: Sendable
where Element.ID: Codable & Sendable {
  /// The most elements there may be.
  public let maximumCount: Int
  /// The most bytes of all elements as they travel: all of them are told to a copy at once.
  public static var maximumByteCount: Int { 8 << 20 }
  /// How many bytes each element has, and all of them.
  private struct ByteCounts {
    var ofElements: [Element.ID: Int] = [:]
    var total = 0
  }

  private let byteCounts: Lock<ByteCounts>
  private let state: SharedListState<Element>

  /// Starts a list.
  ///
  /// - Parameters:
  ///   - elements: What is in it, no two of one identifier.
  ///   - maximumCount: The most elements there may be.
  public init(_ elements: [Element] = [], maximumCount: Int = 100_000) {
    self.maximumCount = maximumCount
    state = SharedListState(elements)
    var counts = ByteCounts()
    for element in elements {
      // One that cannot be written is told to nobody.
      let count = (try? Self.byteCount(of: element)) ?? 0
      counts.ofElements[element.id] = count
      counts.total += count
    }
    byteCounts = Lock(counts)
  }

  /// What is in the list now.
  public var elements: [Element] { state.snapshot.elements }

  /// The changes from now on, beginning with all that is there.
  public var changes: SharedListChanges<Element> { SharedListChanges(state: state) }

  /// Puts an element before another.
  ///
  /// - Parameters:
  ///   - element: What is new.
  ///   - identifier: Of the element behind it; at the end where there is none, or it is gone.
  /// - Throws: `duplicateIdentifier`, `limitExceeded`, `ended`.
  public func insert(_ element: Element, before identifier: Element.ID? = nil) throws(SharedListError) {
    try perform(.insert(element, before: identifier))
  }

  /// Takes an element out.
  ///
  /// - Parameter identifier: Of the element.
  /// - Throws: `notFound`, `ended`.
  public func remove(_ identifier: Element.ID) throws(SharedListError) {
    try perform(.remove(identifier))
  }

  /// Puts an element in the place of that of the same identifier.
  ///
  /// - Parameter element: As it is now.
  /// - Throws: `notFound`, `ended`.
  public func replace(_ element: Element) throws(SharedListError) {
    try perform(.replace(element))
  }

  /// Ends the list: those who observe it see what there is, and no more.
  public func end() {
    state.end(nil)
  }

  /// - Returns: The revision of which the edit is part.
  @discardableResult
  private func perform(_ edit: SharedListEdit<Element>) throws(SharedListError) -> UInt64 {
    let count = try edit.element.map(Self.byteCount) ?? 0
    // One edit after the other, so that what is counted is what is there.
    let result = byteCounts.withLock { byteCounts -> Result<UInt64, SharedListError> in
      do throws(SharedListError) {
        let total = byteCounts.total - (byteCounts.ofElements[edit.identifier] ?? 0) + count
        guard total <= Self.maximumByteCount || count == 0 else {
          throw SharedListError(.limitExceeded, "the elements have more than \(Self.maximumByteCount) bytes")
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
      throw SharedListError(.invalidMessage, "the element cannot be written: \(error)", underlyingError: error)
    }
  }

  /// Serves one process, until that ends the session or the list ends.
  ///
  /// - Parameter session: With the process.
  /// - Throws: `DropStreamError` when the session fails.
  public func serve(_ session: DropSession) async throws {
    let (told, telling) = AsyncStream.makeStream(of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.tell(session, telling) }
      group.addTask { try await self.listen(to: session, told) }
      // Whoever ends first ends both.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func tell(_ session: DropSession, _ told: AsyncStream<UInt64>.Continuation) async throws {
    for try await change in changes {
      _ = try await session.offer([ItemProvider(saying: SharedListDifference(change), .sharedListChange)])
      told.yield(change.revision)
    }
  }

  private func listen(to session: DropSession, _ told: AsyncStream<UInt64>) async throws {
    var told = told.makeAsyncIterator()
    var seen: UInt64 = 0
    for try await drop in session.drops {
      do {
        guard let item = drop.items.first else {
          throw SharedListError(.invalidMessage, "an edit is one item")
        }
        let revision = try perform(try await item.message(SharedListEdit<Element>.self, .sharedListEdit))
        // Who has changed the list sees that in the copy at once.
        while seen < revision, let next = await told.next() { seen = next }
        try await drop.finish(.copy)
      } catch {
        guard let failure = error.dropStreamError else {
          try await drop.refuseIfHeard(because: SharedListRefusal.words(of: error))
          continue
        }
        // Of one who has taken the edit back before he knew, the list may have it all the same.
        if !failure.leavesNobodyToAnswer { throw failure }
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
        throw SharedListError(.duplicateIdentifier, "an element of that identifier is in the list")
      }
      guard elements.count < maximumCount else {
        throw SharedListError(.limitExceeded, "there are \(maximumCount) elements, and no room for more")
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
