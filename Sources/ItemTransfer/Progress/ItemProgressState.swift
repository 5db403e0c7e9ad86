// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The state of a progress without synchronization; its owner's lock guards it.
struct ItemProgressState: Sendable {
  typealias Observer = AsyncStream<ItemProgress.Snapshot>.Continuation
  typealias CancellationHandler = @Sendable () -> Void

  private struct Child {
    var units: Int64
    var fraction: Double
  }

  var total: Int64?
  var phase = ItemProgress.Phase.preparing
  private(set) var ending: ItemProgress.Ending?
  private var completed: Int64 = 0
  /// The children in progress.
  ///
  /// The share of an ended child moves to ``completed``, which bounds the size of the table.
  private var childrenByID: [Int: Child] = [:]
  private var observersByID: [Int: Observer] = [:]
  private var cancellationHandlersByID: [Int: CancellationHandler] = [:]
  private var lastID = 0

  init(total: Int64?) {
    self.total = total.flatMap { $0 < 0 ? nil : $0 }
  }

  var observers: [Observer] { Array(observersByID.values) }

  /// Whether there are observers.
  var isWatched: Bool { !observersByID.isEmpty }

  var snapshot: ItemProgress.Snapshot {
    let share = childrenByID.values.reduce(0.0) { $0 + Double($1.units) * $1.fraction }
    let (sum, overflow) = completed.addingReportingOverflow(Int64(exactly: share.rounded(.down)) ?? .max)
    let done = overflow ? .max : sum
    let isFinished = ending == .finished
    guard let total else {
      return .init(
        completed: done, total: isFinished ? done : nil, fraction: isFinished ? 1 : 0, phase: phase, ending: ending)
    }
    let fraction = total == 0 ? 0 : min(1, (Double(completed) + share) / Double(total))
    return .init(
      completed: isFinished ? total : min(done, total), total: total, fraction: isFinished ? 1 : fraction,
      phase: phase, ending: ending)
  }

  mutating func advance(by count: Int64) {
    guard count > 0 else { return }
    let (sum, overflow) = completed.addingReportingOverflow(count)
    completed = overflow ? .max : sum
  }

  /// Ends the work.
  ///
  /// The caller ensures that the work has not ended.
  ///
  /// - Returns: The handlers. The caller calls them for a cancellation, and releases them outside the lock: a handler
  ///   may hold the last reference to a child, whose end updates its parent again.
  mutating func end(_ ending: ItemProgress.Ending) -> [CancellationHandler] {
    self.ending = ending
    defer { cancellationHandlersByID.removeAll() }
    return Array(cancellationHandlersByID.values)
  }

  // MARK: Children

  mutating func addChild(units: Int64) -> Int {
    lastID += 1
    guard ending == nil else { return lastID }
    childrenByID[lastID] = Child(units: units, fraction: 0)
    return lastID
  }

  /// Updates a child.
  ///
  /// Its fraction only grows, because reports of two threads may arrive out of order.
  mutating func updateChild(_ id: Int, fraction: Double, hasEnded: Bool) {
    guard let child = childrenByID[id] else { return }
    if hasEnded {
      childrenByID[id] = nil
      cancellationHandlersByID[id] = nil
      advance(by: child.units)
    } else {
      childrenByID[id]?.fraction = max(child.fraction, fraction)
    }
  }

  // MARK: Observers

  mutating func addObserver(_ observer: Observer) -> Int {
    guard ending == nil else { return -1 }
    lastID += 1
    observersByID[lastID] = observer
    return lastID
  }

  mutating func removeObserver(_ id: Int) {
    observersByID[id] = nil
  }

  mutating func takeObservers() -> [Observer] {
    defer { observersByID.removeAll() }
    return observers
  }

  /// Stores a cancellation handler.
  ///
  /// - Returns: The identifier of the handler; `nil` if the work has ended.
  mutating func addCancellationHandler(_ handler: @escaping CancellationHandler, id: Int? = nil) -> Int? {
    guard ending == nil else { return nil }
    lastID += 1
    let id = id ?? lastID
    cancellationHandlersByID[id] = handler
    return id
  }

  /// Removes a cancellation handler.
  ///
  /// - Returns: The handler. The caller releases it outside the lock.
  mutating func removeCancellationHandler(_ id: Int) -> CancellationHandler? {
    cancellationHandlersByID.removeValue(forKey: id)
  }
}
