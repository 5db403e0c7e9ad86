// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemCoding
import ItemTransfer
import Synchronization
import TestSupport
import Testing

@testable import DropScenes
@testable import DropTransport

/// Tests of a shared list, with sessions between its store and its copies over a socket.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SharedListTests {
  struct Line: Codable, Sendable, Identifiable, Equatable {
    var id: Int
    var text = ""
  }

  /// Runs `body` while a store serves all connections.
  private func serving(
    _ store: SharedListStore<Line>, _ body: (DropEndpoint) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let endpoint = DropEndpoint.unixSocket(directory.file("list").path)
    try await DropStream.withListener(at: endpoint) { listener in
      async let _: Void = listener.serve { session in try await store.serve(session) }
      try await body(endpoint)
    }
  }

  /// Waits until a copy reaches an expected state.
  private func wait(_ list: SharedList<Line>, until isDone: @escaping @Sendable ([Line]) -> Bool) async throws {
    try await finishing("the state of a copy") {
      for try await change in list.changes where isDone(change.elements) { return }
    }
  }

  private func code(_ body: () async throws -> Void) async -> SharedListError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? SharedListError)?.code
    }
  }

  @Test func editsReachStoreAndOtherCopies() async throws {
    let store = SharedListStore([Line(id: 1), Line(id: 2)])
    try await serving(store) { endpoint in
      try await SharedList<Line>.connect(over: endpoint) { one in
        #expect(one.elements.map(\.id) == [1, 2])
        try await one.insert(Line(id: 3), at: 1)
        #expect(one.elements.map(\.id) == [1, 3, 2])
        // A copy that connects later receives all elements.
        try await SharedList<Line>.connect(over: endpoint) { other in
          #expect(other.elements.map(\.id) == [1, 3, 2])
          try await other.replace(Line(id: 2, text: "two"))
          try await other.insert(Line(id: 4))
          try await other.remove(1)
          let expected = [Line(id: 3), Line(id: 2, text: "two"), Line(id: 4)]
          try await wait(one) { $0 == expected }
          try await wait(other) { $0 == expected }
          #expect(store.elements == expected)
          try store.insert(Line(id: 5), before: 3)
          try await wait(other) { $0.first?.id == 5 }
          // The position is gone, so the element is inserted at the end.
          try store.insert(Line(id: 6), before: 9)
          try await wait(other) { $0.map(\.id) == [5, 3, 2, 4, 6] }
        }
      }
    }
  }

  @Test func refusedEditsReportReasonAndChangeNothing() async throws {
    let store = SharedListStore([Line(id: 1)], maximumCount: 2)
    try await serving(store) { endpoint in
      try await SharedList<Line>.connect(over: endpoint) { list in
        var codes = [
          await code { try await list.insert(Line(id: 1, text: "again")) }, await code { try await list.remove(7) },
          await code { try await list.replace(Line(id: 7)) },
        ]
        try await list.insert(Line(id: 2))
        codes.append(await code { try await list.insert(Line(id: 3)) })
        #expect(codes == [.duplicateIdentifier, .notFound, .notFound, .limitExceeded])
        #expect(store.elements == [Line(id: 1), Line(id: 2)])
      }
    }
  }

  @Test func lateObserverGetsOneMinimalDifference() async throws {
    let store = SharedListStore((0..<100).map { Line(id: $0) })
    var changes = store.changes.makeAsyncIterator()
    let first = try #require(try await changes.next())
    #expect((first.difference.insertions.count, first.difference.removals.count) == (100, 0))
    try store.remove(50)
    try store.insert(Line(id: 100), before: 10)
    try store.insert(Line(id: 101))
    try store.remove(101)
    let second = try #require(try await changes.next())
    #expect(
      (second.revision, second.difference.removals.count, second.difference.insertions.count) == (4, 1, 1))
    #expect(first.elements.applying(second.difference) == second.elements)
  }

  @Test func endedListIsObservedToItsEndAndRefusesEdits() async throws {
    let store = SharedListStore([Line(id: 1)])
    try await serving(store) { endpoint in
      try await SharedList<Line>.connect(over: endpoint) { list in
        try store.insert(Line(id: 2))
        store.end()
        var last: [Line] = []
        for try await change in list.changes { last = change.elements }
        #expect(last.map(\.id) == [1, 2])
        #expect(throws: SharedListError.self) { try store.remove(1) }
        #expect(await code { try await list.remove(1) } == .ended)
      }
    }
  }

  @Test func deadStoreIsReportedToAllObservers() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let endpoint = DropEndpoint.unixSocket(directory.file("list").path)
    try await DropStream.withListener(at: endpoint) { listener in
      async let serving: Void = listener.withNextSession { session in
        // Sends the elements, then an invalid message.
        let change = SharedListChange(
          elements: [Line(id: 1)], difference: [Line(id: 1)].minimalDifference(from: []), revision: 1)
        _ = try await session.offer([ItemProvider(message: SharedListDifference(change), .sharedListChange)])
        throw CancellationError()
      }
      try await SharedList<Line>.connect(over: endpoint) { list in
        #expect(await code { for try await _ in list.changes {} } == .storeGone)
        #expect(list.elements.map(\.id) == [1])
      }
      _ = try? await serving
    }
    #expect(await code { try await SharedList<Line>.connect(over: endpoint) { _ in } } == .storeGone)
  }

  @Test func closureErrorIsNotStoreError() async throws {
    struct Own: Error {}
    try await serving(SharedListStore()) { endpoint in
      await #expect(throws: Own.self) { try await SharedList<Line>.connect(over: endpoint) { _ in throw Own() } }
    }
  }

  @Test func cancelledTaskStopsObservingWithoutAffectingOthers() async throws {
    let store = SharedListStore([Line(id: 1)])
    try await serving(store) { endpoint in
      try await SharedList<Line>.connect(over: endpoint) { list in
        let isObserved = Gate()
        let observer = Task { for try await _ in list.changes { isObserved.open() } }
        await isObserved.wait()
        observer.cancel()
        try await observer.value
        try store.remove(1)
        try await wait(list) { $0.isEmpty }
      }
    }
  }

  @Test(
    arguments: [
      ([0], [], [2]), ([], [0], [9, 1, 2]), ([1], [1], [1, 9]), ([0, 1], [0, 1], [9, 9]), ([], [2], [1, 2, 9]),
      ([2], [], nil), ([-1], [], nil), ([0, 0], [], nil), ([1, 0], [], nil), ([], [3], nil), ([], [1, 0], nil),
      ([], [0, 0], nil), ([0, 1, 2], [], nil), ([], [-1], nil),
    ] as [([Int], [Int], [Int]?)])
  func rejectsInvalidDifferences(removed: [Int], inserted: [Int], expected: [Int]?) throws {
    struct Message: Codable {
      var revision = 1
      var removedOffsets: [Int]
      var insertions: [SharedListDifference<Line>.Insertion]
    }
    let data = try JSONEncoder().encode(
      Message(removedOffsets: removed, insertions: inserted.map { .init(offset: $0, element: Line(id: 9)) }))
    let difference = try JSONDecoder().decode(SharedListDifference<Line>.self, from: data)
    #expect((try? difference.applied(to: [Line(id: 1), Line(id: 2)]).map(\.id)) == expected)
  }

  @Test func randomDifferencesAreMinimalAndCorrect() throws {
    var generator = SeededGenerator.announced("SharedListTests")
    for _ in 0..<(isFullRun ? 2000 : 500) {
      // Creates a list with unique identifiers. Some elements with the same identifier differ between two lists.
      func list() -> [Line] {
        (0..<8).shuffled(using: &generator).prefix(Int.random(in: 0...8, using: &generator))
          .map { Line(id: $0, text: Int.random(in: 0...4, using: &generator) == 0 ? "changed" : "") }
      }
      let (old, new) = (list(), list())
      let difference = new.minimalDifference(from: old)
      let change = SharedListChange(elements: new, difference: difference, revision: 1)
      let isApplied = try old.applying(difference) == new && SharedListDifference(change).applied(to: old) == new
      if !isApplied || difference.count != new.difference(from: old).count { Issue.record("\(old) to \(new)") }
    }
  }

  @Test func completelyChangedListIsSentQuickly() throws {
    let old = (0..<20_000).map { Line(id: $0) }
    let new = old.reversed().map { Line(id: $0.id, text: $0.id.isMultiple(of: 3) ? "" : "changed") }
    let difference = Array(new).minimalDifference(from: old)
    #expect(old.applying(difference) == new && difference.insertions.count == 19_999)
  }

  @Test func limitsTotalBytesThatLateCopyStillReceives() async throws {
    let store = SharedListStore<Line>()
    let text = String(repeating: "x", count: 1 << 20)
    for id in 0..<7 { try store.insert(Line(id: id, text: text)) }
    // Fills the rest of the limit, except the space for an element without text.
    try store.insert(Line(id: 7, text: String(repeating: "x", count: (1 << 20) - 400)))
    #expect(throws: SharedListError.self) { try store.insert(Line(id: 8, text: String(repeating: "x", count: 400))) }
    #expect(throws: SharedListError.self) { try store.replace(Line(id: 1, text: text + text)) }
    try await serving(store) { endpoint in
      try await SharedList<Line>.connect(over: endpoint) { list in #expect(list.elements.count == 8) }
    }
    try store.remove(3)
    try store.insert(Line(id: 8, text: text))
  }

  private static let copies = isFullRun ? 20 : 4

  @Test func concurrentCopiesConvergeWithOrderedRevisions() async throws {
    let store = SharedListStore<Line>()
    try await serving(store) { endpoint in
      let finals = try await withThrowingTaskGroup(of: [Line].self) { group in
        for copy in 0..<Self.copies {
          group.addTask { try await Self.edit(as: copy, at: endpoint) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(finals.map { $0.map(\.id) } == Array(repeating: store.elements.map(\.id), count: Self.copies))
      #expect(store.elements.count == Self.copies * 21)
    }
  }

  /// Makes 40 insertions, half of them at the start, and 20 removals.
  ///
  /// Then inserts a line `end`, and waits for such a line from each copy.
  ///
  /// - Returns: The elements at the end.
  private static func edit(as copy: Int, at endpoint: DropEndpoint) async throws -> [Line] {
    var options = DropStreamOptions()
    options.idleTimeout = .seconds(60)
    return try await SharedList<Line>.connect(over: endpoint, options: options) { list in
      async let last: [Line] = {
        var revision: UInt64 = 0
        for try await change in list.changes {
          if change.revision < revision { Issue.record("\(change.revision) after \(revision)") }
          revision = change.revision
          if change.elements.count(where: { $0.text == "end" }) == Self.copies { return change.elements }
        }
        return []
      }()
      for number in 0..<40 {
        let id = copy * 100 + number
        try await list.insert(Line(id: id), at: number.isMultiple(of: 2) ? 0 : nil)
        if !number.isMultiple(of: 2) { try await list.remove(id - 1) }
      }
      try await list.insert(Line(id: copy * 100 + 99, text: "end"))
      return try await last
    }
  }
}

/// The reasons of refused edits, which a copy of the list receives as text.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SharedListRefusalTests {
  private struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  @Test func refusalRoundTripsAndIsEscapedOnce() {
    for (reason, code, text) in [
      (SharedListRefusal.reason(for: Fault(description: "no \u{202E}name\\")), .invalidMessage, #"no \u{202e}name\\"#),
      (
        SharedListRefusal.reason(for: SharedListError(.notFound, "the element is not in the list")), .notFound,
        "the element is not in the list"
      ),
      ("notFound: \u{1B}[2J", .notFound, #"\u{1b}[2J"#),
    ] as [(String, SharedListError.Code, String)] {
      let failure = SenderFailure(kind: .failed, reason: reason)
      let error = SharedListRefusal.error(DropStreamError(.refused, "refused", senderFailure: failure))
      #expect((error.code, error.reason) == (code, text))
    }
  }
}
