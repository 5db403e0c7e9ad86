// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Finds the types that would conform to themselves, by Tarjan's strongly connected components.
///
/// Each type and each edge is looked at once and nothing recurses, whatever the shape of the graph.
struct CycleFinder {
  private struct Step {
    var slot: Int
    var parents: [Int]
    var next = 0
  }

  private let parents: (Int) -> [Int]
  private var order: [Int: Int] = [:]
  /// The earliest type that is on the stack and can be reached.
  private var reach: [Int: Int] = [:]
  private var stack: [Int] = []
  private var isOnStack: Set<Int> = []
  private var circles: [Int: Int] = [:]

  private init(parents: @escaping (Int) -> [Int]) {
    self.parents = parents
  }

  /// Walks from each start.
  ///
  /// - Parameters:
  ///   - starts: The slots of types to look at, with all that they lead to.
  ///   - parents: The slots of a type's parents.
  /// - Returns: A number for each type on a cycle, the same for all types that can reach each other.
  static func circles(from starts: [Int], parents: @escaping (Int) -> [Int]) -> [Int: Int] {
    var finder = CycleFinder(parents: parents)
    for start in starts where finder.order[start] == nil { finder.walk(from: start) }
    return finder.circles
  }

  private mutating func walk(from start: Int) {
    var way = [open(start)]
    while var step = way.popLast() {
      if step.next < step.parents.count {
        let parent = step.parents[step.next]
        step.next += 1
        way.append(step)
        if order[parent] == nil {
          way.append(open(parent))
        } else if isOnStack.contains(parent) {
          lower(step.slot, to: order[parent])
        }
      } else {
        close(step)
        if let below = way.last { lower(below.slot, to: reach[step.slot]) }
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
    let isCircle = stack.last != step.slot || step.parents.contains(step.slot)
    while let member = stack.popLast() {
      isOnStack.remove(member)
      if isCircle { circles[member] = root }
      if member == step.slot { break }
    }
  }
}
