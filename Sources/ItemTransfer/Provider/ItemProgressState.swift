// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The bookkeeping of a progress: pure, kept under its lock.
struct ItemProgressState: Sendable {
  typealias Observer = AsyncStream<ItemProgress.Snapshot>.Continuation

  private struct Child {
    var units: Int64
    var fraction: Double
  }

  var total: Int64?
  var isFinished = false
  private var completed: Int64 = 0
  /// Those at work; the share of a finished child is in ``completed``, so that many children cost no more than few.
  private var childrenByID: [Int: Child] = [:]
  private var nextChildID = 0
  private var observersByID: [Int: Observer] = [:]
  private var nextObserverID = 0

  init(total: Int64?) {
    self.total = total.flatMap { $0 < 0 ? nil : $0 }
  }

  var observers: [Observer] { Array(observersByID.values) }

  var snapshot: ItemProgress.Snapshot {
    let share = childrenByID.values.reduce(0.0) { $0 + Double($1.units) * $1.fraction }
    let (sum, overflow) = completed.addingReportingOverflow(Int64(exactly: share.rounded(.down)) ?? .max)
    let done = overflow ? .max : sum
    guard let total else {
      return .init(
        completed: done, total: isFinished ? done : nil, fraction: isFinished ? 1 : 0, isFinished: isFinished)
    }
    let fraction = total == 0 ? (isFinished ? 1 : 0) : min(1, (Double(completed) + share) / Double(total))
    return .init(
      completed: isFinished ? total : min(done, total), total: total, fraction: isFinished ? 1 : fraction,
      isFinished: isFinished)
  }

  mutating func advance(by count: Int64) {
    guard count > 0 else { return }
    let (sum, overflow) = completed.addingReportingOverflow(count)
    completed = overflow ? .max : sum
  }

  mutating func addChild(units: Int64) -> Int {
    nextChildID += 1
    childrenByID[nextChildID] = Child(units: units, fraction: 0)
    return nextChildID
  }

  /// A child's fraction only grows: reports of two threads may overtake each other.
  mutating func updateChild(_ id: Int, fraction: Double, isFinished childIsFinished: Bool) {
    guard let child = childrenByID[id] else { return }
    if childIsFinished {
      childrenByID[id] = nil
      advance(by: child.units)
    } else {
      childrenByID[id]?.fraction = max(child.fraction, fraction)
    }
  }

  mutating func addObserver(_ observer: Observer) -> Int {
    guard !isFinished else { return -1 }
    nextObserverID += 1
    observersByID[nextObserverID] = observer
    return nextObserverID
  }

  mutating func removeObserver(_ id: Int) {
    observersByID[id] = nil
  }

  mutating func takeObservers() -> [Observer] {
    defer { observersByID.removeAll() }
    return observers
  }
}
