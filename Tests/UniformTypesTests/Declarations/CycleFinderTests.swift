// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CycleFinderTests {
  /// Returns the members of each cycle of a graph.
  ///
  /// By default, the search starts at all nodes.
  private func cycles(_ parents: [[Int]], from starts: [Int]? = nil) -> Set<Set<Int>> {
    let cycles = CycleFinder.cycles(from: starts ?? Array(parents.indices)) { parents[$0] }
    return Set(Dictionary(grouping: cycles.keys) { cycles[$0] }.values.map(Set.init))
  }

  @Test func onlyMutuallyReachableTypesShareACycle() {
    for (parents, expected) in [
      ([], []), ([[], [0], [0, 1], [2, 2, 1]], []), ([[1, 2], [3], [3], []], []),
      // A type that conforms to itself is a cycle.
      ([[0]], [[0]]), ([[1], [1, 1], [0]], [[1]]),
      ([[1], [2], [0], [0]], [[0, 1, 2]]), ([[1], [0, 2], [3], [2]], [[0, 1], [2, 3]]),
      ([[1], [2, 3], [0], [1]], [[0, 1, 2, 3]]),
    ] as [([[Int]], Set<Set<Int>>)] {
      #expect(cycles(parents) == expected, "\(parents)")
    }
  }

  @Test func searchesOnlyTypesReachableFromTheStarts() {
    #expect([[3], [1, 1], []].map { cycles([[0], [2], [1], []], from: $0) } == [[], [[1, 2]], []])
  }

  @Test func randomGraphsHaveTheCyclesOfPlainReachability() {
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
      if cycles(parents) != Set(expected) { Issue.record("\(parents)") }
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

  @Test func largeCyclesAndWideNodesNeedNeitherStackNorMuchTime() {
    let count = 200_000 / testSizeDivisor
    let wide = [[], [0]].map { [Array(1...count)] + Array(repeating: $0, count: count) }
    let found = [cycles((0..<count).map { [($0 + 1) % count] }), cycles(wide[0]), cycles(wide[1])]
    #expect(found.map { $0.map(\.count) } == [[count], [], [count + 1]])
  }
}
