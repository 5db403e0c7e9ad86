// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The state of a progress without synchronization; its owner's lock guards it.
struct ItemProgressState: Sendable {
  typealias CancellationHandler = @Sendable () -> Void

  private struct Child {
    weak var progress: ItemProgress?
    var units: Int64
    var fraction = 0.0
    var share = UnitShare()
  }

  /// A change that the readers and the parent must learn.
  struct Change {
    let state: ItemProgress.Snapshot
    let parent: ItemProgress?
    fileprivate var readers: [ItemProgressWatch.Continuation] = []

    /// Resumes the readers that wait for a state.
    func resumeReaders() {
      for reader in readers { reader.resume(returning: state) }
    }
  }

  /// The work that is cancelled with a progress.
  struct Dependents {
    var handlers: [CancellationHandler]
    var children: [ItemProgress]
  }

  /// The progress of the complete work, if this is a part of it.
  var parent: ItemProgress?
  var total: Int64?
  var phase = ItemProgress.Phase.preparing
  /// Whether a load uses the progress, and ends it.
  var isLoading = false
  private(set) var ending: ItemProgress.Ending?
  private var completed: Int64 = 0
  /// The children in progress.
  ///
  /// The share of an ended child moves to ``completed``, which bounds the size of the table.
  private var children: [ObjectIdentifier: Child] = [:]
  /// The sum of the shares of ``children``.
  private var share = UnitShare()
  private var watches: [ItemProgressWatch] = []
  private var cancellationHandlers: [CancellationHandler] = []

  init(total: Int64?, parent: ItemProgress? = nil) {
    self.parent = parent
    self.total = total.flatMap { $0 < 0 ? nil : $0 }
  }

  /// Whether readers or a parent must learn changes.
  var isObserved: Bool { parent != nil || !watches.isEmpty }

  var snapshot: ItemProgress.Snapshot {
    let (sum, overflow) = completed.addingReportingOverflow(share.units)
    let done = overflow ? .max : sum
    let isFinished = ending == .finished
    guard let total else {
      return .init(
        completed: done, total: isFinished ? done : nil, fraction: isFinished ? 1 : 0, phase: phase, ending: ending)
    }
    let fraction = total == 0 ? 0 : min(1, (Double(completed) + share.value) / Double(total))
    return .init(
      completed: isFinished ? total : min(done, total), total: total, fraction: isFinished ? 1 : fraction,
      phase: phase, ending: ending)
  }

  /// Changes the state, unless the work has ended, and shows it to the readers.
  ///
  /// - Parameter body: Changes the state.
  /// - Returns: The change; `nil` if there is none, or nothing must learn it.
  mutating func change(_ body: (inout ItemProgressState) -> Void) -> Change? {
    guard ending == nil else { return nil }
    body(&self)
    guard isObserved else { return nil }
    var change = Change(state: snapshot, parent: parent)
    for watch in watches { change.readers += watch.show(change.state) }
    if ending != nil { watches = [] }
    return change
  }

  /// Changes the share of a child as ``change(_:)`` changes the state.
  ///
  /// - Returns: The change; `nil` also if the new share makes no difference.
  mutating func change(of child: ObjectIdentifier, to new: ItemProgress.Snapshot) -> Change? {
    guard ending == nil else { return nil }
    let before = snapshot
    guard update(child, to: new), snapshot != before else { return nil }
    return change { _ in }
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
  /// - Returns: The work that a cancellation must end too.
  mutating func end(_ ending: ItemProgress.Ending) -> Dependents {
    self.ending = ending
    defer { cancellationHandlers = [] }
    let isCancelled = ending == .cancelled
    return Dependents(
      handlers: cancellationHandlers,
      children: isCancelled ? children.values.compactMap(\.progress) : [])
  }

  // MARK: Children

  /// Adds a child, unless the work has ended.
  ///
  /// - Returns: The outcome of the work; `nil` while it continues.
  mutating func add(_ child: ItemProgress, units: Int64) -> ItemProgress.Ending? {
    if ending == nil { children[ObjectIdentifier(child)] = Child(progress: child, units: units) }
    return ending
  }

  /// Updates the share of a child.
  ///
  /// Its fraction only grows, because reports of two threads may arrive out of order.
  ///
  /// - Returns: Whether the child has a share.
  private mutating func update(_ id: ObjectIdentifier, to state: ItemProgress.Snapshot) -> Bool {
    guard let index = children.index(forKey: id) else { return false }
    let child = children.values[index]
    if state.ending != nil {
      share -= child.share
      children.remove(at: index)
      advance(by: child.units)
    } else if state.fraction > child.fraction {
      let new = UnitShare(units: child.units, fraction: state.fraction)
      share -= child.share
      share += new
      children.values[index].fraction = state.fraction
      children.values[index].share = new
    }
    return true
  }

  // MARK: Readers

  /// Adds a reader, and shows it the current state.
  mutating func add(_ watch: ItemProgressWatch) {
    // A new reader does not wait yet.
    _ = watch.show(snapshot)
    if ending == nil { watches.append(watch) }
  }

  mutating func remove(_ watch: ItemProgressWatch) {
    watches.removeAll { $0 === watch }
  }

  /// Stores a cancellation handler, unless the work has ended.
  ///
  /// - Returns: The outcome of the work; `nil` while it continues.
  mutating func addCancellationHandler(_ handler: @escaping CancellationHandler) -> ItemProgress.Ending? {
    if ending == nil { cancellationHandlers.append(handler) }
    return ending
  }
}

/// A number of units that is not whole, as a fixed-point number.
///
/// Sums of such numbers have no rounding errors, so a share can be added and subtracted at any time.
private struct UnitShare {
  private static let partsOfUnit = 4_294_967_296.0

  /// The whole units; the sum of shares can exceed the range of `Int64`.
  private var whole: Int128 = 0
  private var parts: Int64 = 0

  init() {}

  /// - Parameters:
  ///   - units: The units of a complete share.
  ///   - fraction: The completed fraction, from 0 to 1.
  init(units: Int64, fraction: Double) {
    let share = Double(units) * fraction
    let floor = share.rounded(.down)
    whole = Int128(Int64(exactly: floor) ?? .max)
    parts = Int64((share - floor) * Self.partsOfUnit)
  }

  static func += (left: inout UnitShare, right: UnitShare) {
    left.whole += right.whole
    left.parts += right.parts
  }

  static func -= (left: inout UnitShare, right: UnitShare) {
    left.whole -= right.whole
    left.parts -= right.parts
  }

  /// The number of complete units, at most `Int64.max`.
  var units: Int64 { Int64(clamping: whole + Int128(parts >> 32)) }

  var value: Double { Double(Int64(clamping: whole)) + Double(parts) / Self.partsOfUnit }
}
