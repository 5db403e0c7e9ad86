// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Tasks that wait in the order they came; kept under its owner's lock.
///
/// A task takes a ticket before it stands in the line, so that its cancellation can find it there whenever that comes.
struct WaitingLine<Answer: Sendable>: Sendable {
  private var lastTicket = 0
  private var waiting: [(ticket: Int, continuation: CheckedContinuation<Answer, Never>)] = []

  var isEmpty: Bool { waiting.isEmpty }

  mutating func takeTicket() -> Int {
    lastTicket += 1
    return lastTicket
  }

  mutating func join(_ ticket: Int, _ continuation: CheckedContinuation<Answer, Never>) {
    waiting.append((ticket, continuation))
  }

  /// Takes a task out that waits no longer; `nil` where it does not stand in the line.
  mutating func leave(_ ticket: Int) -> CheckedContinuation<Answer, Never>? {
    waiting.firstIndex { $0.ticket == ticket }.map { waiting.remove(at: $0).continuation }
  }

  /// Takes out the task that has waited longest, to be resumed outside the lock.
  mutating func takeFirst() -> CheckedContinuation<Answer, Never>? {
    waiting.isEmpty ? nil : waiting.removeFirst().continuation
  }

  /// Takes out all, to be resumed outside the lock.
  mutating func takeAll() -> [CheckedContinuation<Answer, Never>] {
    if waiting.isEmpty { return [] }
    defer { waiting = [] }
    return waiting.map(\.continuation)
  }
}
