// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DropSystem

@Suite("FIFOQueue", .timeLimit(.minutes(1))) struct FIFOQueueTests {
  @Test func elementsLeaveInTheirOrderHoweverCallsAlternate() {
    var queue = FIFOQueue<Int>()
    var (appended, popped) = (0, 0)
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<10_000 {
      if Bool.random(using: &generator) {
        queue.append(appended)
        appended += 1
      } else if let element = queue.popFirst() {
        #expect(element == popped)
        popped += 1
      } else {
        #expect(popped == appended)
      }
      #expect(queue.count == appended - popped)
      #expect(queue.isEmpty == (appended == popped))
      #expect(queue.last == (appended == popped ? nil : appended - 1))
    }
    #expect(queue.elements == Array(popped..<appended))
  }

  @Test(arguments: 1...3) func lastElementCanBeReplaced(popCount: Int) {
    var queue = FIFOQueue<Int>()
    for number in 0..<4 { queue.append(number) }
    for _ in 0..<popCount { _ = queue.popFirst() }
    queue.replaceLast(with: 9)
    #expect(queue.elements == Array((0..<4).dropFirst(popCount).dropLast()) + [9])
  }

  @Test func editSeesTheElementsInTheirOrder() {
    var queue = FIFOQueue<Int>()
    for number in 0..<4 { queue.append(number) }
    _ = queue.popFirst()
    for number in 4..<8 { queue.append(number) }
    queue.edit { elements in
      #expect(elements == Array(1..<8))
      elements.removeAll { $0.isMultiple(of: 2) }
    }
    #expect(queue.elements == [1, 3, 5, 7])
    queue.removeAll()
    #expect(queue.popFirst() == nil)
  }

  @Test func emptyQueueKeepsLittleMemory() {
    var queue = FIFOQueue<Int>()
    for number in 0..<100_000 { queue.append(number) }
    while queue.popFirst() != nil {}
    #expect(queue.front.capacity + queue.back.capacity <= 2 * FIFOQueue<Int>.keptCapacity)
  }
}
