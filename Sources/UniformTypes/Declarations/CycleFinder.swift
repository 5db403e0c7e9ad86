// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A search for types that would conform to themselves, with Tarjan's algorithm for strongly connected components.
///
/// The search is iterative, and visits each type and each edge once.
struct CycleFinder {
  private struct Step {
    var slot: Int
    var parents: [Int]
    var next = 0
  }

  private let parents: (Int) -> [Int]
  /// For each visited slot, its position in the order in which the search found the types.
  private var order: [Int: Int] = [:]
  /// For each visited slot, the lowest position of a type on the stack that the search has reached from it.
  private var reach: [Int: Int] = [:]
  private var stack: [Int] = []
  private var isOnStack: Set<Int> = []
  private var cycles: [Int: Int] = [:]

  private init(parents: @escaping (Int) -> [Int]) {
    self.parents = parents
  }

  /// Returns the types on cycles that are reachable from the given types.
  ///
  /// - Parameters:
  ///   - starts: The slots of the types.
  ///   - parents: Returns the slots of a type's parents.
  /// - Returns: A number for each slot on a cycle. Types that can reach each other have the same number.
  static func cycles(from starts: [Int], parents: @escaping (Int) -> [Int]) -> [Int: Int] {
    var finder = CycleFinder(parents: parents)
    for start in starts where finder.order[start] == nil { finder.walk(from: start) }
    return finder.cycles
  }

  private mutating func walk(from start: Int) {
    var path = [open(start)]
    while var step = path.popLast() {
      if step.next < step.parents.count {
        let parent = step.parents[step.next]
        step.next += 1
        path.append(step)
        if order[parent] == nil {
          path.append(open(parent))
        } else if isOnStack.contains(parent) {
          lower(step.slot, to: order[parent])
        }
      } else {
        close(step)
        if let below = path.last { lower(below.slot, to: reach[step.slot]) }
      }
    }
  }

  private mutating func open(_ slot: Int) -> Step {
    order[slot] = order.count
    reach[slot] = order[slot]
    stack.append(slot)
    isOnStack.insert(slot)
    return Step(slot: slot, parents: parents(slot))
  }

  private mutating func lower(_ slot: Int, to other: Int?) {
    if let mine = reach[slot], let other, other < mine { reach[slot] = other }
  }

  private mutating func close(_ step: Step) {
    guard let root = order[step.slot], reach[step.slot] == root else { return }
    let isCycle = stack.last != step.slot || step.parents.contains(step.slot)
    while let member = stack.popLast() {
      isOnStack.remove(member)
      if isCycle { cycles[member] = root }
      if member == step.slot { break }
    }
  }
}
