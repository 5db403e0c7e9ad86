// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue, in which each operation takes constant time on average.
package struct FIFOQueue<Element> {
  /// The maximum capacity that an empty queue keeps.
  static var keptCapacity: Int { 1024 }

  /// The first elements, in reverse.
  private(set) var front: [Element] = []
  /// The elements after ``front``.
  private(set) var back: [Element] = []

  /// Creates an empty queue.
  package init() {}

  /// The elements, in the order in which they were appended.
  package var elements: [Element] { front.reversed() + back }

  /// The number of elements.
  package var count: Int { front.count + back.count }

  /// Whether there are no elements.
  package var isEmpty: Bool { front.isEmpty && back.isEmpty }

  /// The element that was appended last, which can be replaced; `nil` for an empty queue.
  package var last: Element? { back.last ?? front.first }

  /// Appends an element.
  package mutating func append(_ element: Element) {
    back.append(element)
  }

  /// Replaces the last element.
  ///
  /// - Precondition: The queue is not empty.
  package mutating func replaceLast(with element: Element) {
    if back.isEmpty { front[0] = element } else { back[back.count - 1] = element }
  }

  /// Removes the first element.
  ///
  /// - Returns: The element; `nil` if the queue is empty.
  package mutating func popFirst() -> Element? {
    if front.isEmpty {
      // An array of a long time ago keeps its memory no longer than until the queue is empty again.
      if front.capacity > Self.keptCapacity { front = [] }
      swap(&front, &back)
      front.reverse()
    }
    return front.popLast()
  }

  /// Removes all elements.
  package mutating func removeAll() {
    front.removeAll(keepingCapacity: front.capacity <= Self.keptCapacity)
    back.removeAll(keepingCapacity: back.capacity <= Self.keptCapacity)
  }

  /// Changes the elements as an array, which takes linear time.
  package mutating func edit(_ body: (inout [Element]) -> Void) {
    var elements = elements
    (front, back) = ([], [])
    body(&elements)
    back = elements
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}
