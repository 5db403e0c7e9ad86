// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited) struct CycleFinderTests {
  /// The members of each circle, found from all nodes of a graph.
  private func circles(_ parents: [[Int]], from starts: [Int]? = nil) -> Set<Set<Int>> {
    let circles = CycleFinder.circles(from: starts ?? Array(parents.indices)) { parents[$0] }
    return Set(Dictionary(grouping: circles.keys) { circles[$0] }.values.map(Set.init))
  }

  @Test("graphs without a cycle have no circles")
  func acyclic() {
    #expect(circles([]).isEmpty)
    #expect(circles([[], [0], [0, 1], [2, 2, 1]]).isEmpty)
    #expect(circles([[1, 2], [3], [3], []]).isEmpty)
  }

  @Test("a type that conforms to itself is a circle")
  func itself() {
    #expect(circles([[0]]) == [[0]])
    #expect(circles([[1], [1, 1], [0]]) == [[1]])
  }

  @Test("types that can reach each other are one circle, those that only lead there are not in it")
  func circle() {
    #expect(circles([[1], [2], [0], [0]]) == [[0, 1, 2]])
    #expect(circles([[1], [0, 2], [3], [2]]) == [[0, 1], [2, 3]])
    #expect(circles([[1], [2, 3], [0], [1]]) == [[0, 1, 2, 3]])
  }

  @Test("only what the starts lead to is looked at")
  func starts() {
    #expect(circles([[0], [2], [1], []], from: [3]).isEmpty)
    #expect(circles([[0], [2], [1], []], from: [1, 1]) == [[1, 2]])
    #expect(circles([[0]], from: []).isEmpty)
  }

  @Test("random graphs have the circles that plain reachability says")
  func againstReachability() {
    var generator = SeededGenerator.announced("cycle finder")
    for _ in 0..<500 {
      let count = Int.random(in: 1...12, using: &generator)
      let edges = Int.random(in: 0...2 * count, using: &generator)
      var parents = Array(repeating: [Int](), count: count)
      for _ in 0..<edges {
        parents[.random(in: 0..<count, using: &generator)].append(.random(in: 0..<count, using: &generator))
      }
      let reach = parents.indices.map { reachable(from: $0, parents) }
      let expected = parents.indices.filter { reach[$0].contains($0) }.map { node in
        Set(reach[node].filter { reach[$0].contains(node) })
      }
      #expect(circles(parents) == Set(expected), "\(parents)")
    }
  }

  private func reachable(from start: Int, _ parents: [[Int]]) -> Set<Int> {
    var found: Set<Int> = []
    var pending = parents[start]
    while let next = pending.popLast() {
      if found.insert(next).inserted { pending += parents[next] }
    }
    return found
  }

  @Test("a circle of 200,000 and a node with 200,000 parents need neither stack nor much time")
  func size() {
    let count = 200_000 / testSizeDivisor
    #expect(circles((0..<count).map { [($0 + 1) % count] }).map(\.count) == [count])
    #expect(circles([Array(1...count)] + Array(repeating: [], count: count)).isEmpty)
    #expect(circles([Array(1...count)] + Array(repeating: [0], count: count)).map(\.count) == [count + 1])
  }
}
