// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

/// The state of a transfer at one moment.
struct TransferSnapshot: Sendable, Hashable {
  var phase = ItemProgress.Phase.preparing
  /// The number of the current item, from 1; 0 before the first item.
  var item = 0
  /// The name from the item's source, not escaped.
  var name: String?
  var totalItems: Int?
  var bytes: UInt64 = 0
  var totalBytes: UInt64?
  /// The number of bytes of the current item.
  ///
  /// They are also included in ``bytes``.
  var itemBytes: UInt64 = 0
  var totalItemBytes: UInt64?

  /// The bytes done and the total: of all items if their total is known, otherwise of the current item.
  var extent: (done: UInt64, total: UInt64)? {
    if let totalBytes { return (bytes, max(totalBytes, bytes)) }
    return totalItemBytes.map { (itemBytes, max($0, itemBytes)) }
  }
}

/// The changing state of a transfer.
///
/// Its owner protects it with a lock.
struct TransferState: Sendable {
  /// Another progress, whose bytes are added to the current item.
  struct Followed: Sendable {
    let id: Int
    let progress: ItemProgress
    var countedBytes: UInt64 = 0
    var hasTotal = false
    /// The last known phase.
    ///
    /// The initial phase does not change the transfer's phase, since not every loader reports phases.
    var phase = ItemProgress.Phase.preparing
  }

  /// The maximum number of phase changes to keep; the oldest changes are dropped first.
  static let phaseChangeLimit = 32

  private(set) var now = TransferSnapshot()
  private(set) var followed: [Followed] = []
  /// The states at the starts of phases, since the last call of ``takePhaseChanges()``.
  private(set) var phaseChanges: [TransferSnapshot] = []
  private let keepsPhaseChanges: Bool
  private var lastID = 0

  init(keepsPhaseChanges: Bool) {
    self.keepsPhaseChanges = keepsPhaseChanges
  }

  mutating func setTotal(bytes: UInt64?, items: Int?) {
    now.totalBytes = bytes
    now.totalItems = items.flatMap { $0 < 0 ? nil : $0 }
  }

  /// Begins the next item.
  ///
  /// - Returns: The progress that was followed for the previous item. Release it outside the lock.
  mutating func begin(item name: String?, byteCount: UInt64?) -> [Followed] {
    defer { followed = [] }
    now.item += 1
    now.name = name
    now.itemBytes = 0
    now.totalItemBytes = byteCount
    return followed
  }

  mutating func advance(by bytes: UInt64) {
    now.bytes.addSaturating(bytes)
    now.itemBytes.addSaturating(bytes)
  }

  mutating func enter(_ phase: ItemProgress.Phase) {
    guard phase != now.phase else { return }
    now.phase = phase
    guard keepsPhaseChanges else { return }
    if phaseChanges.count == Self.phaseChangeLimit { phaseChanges.removeFirst() }
    phaseChanges.append(now)
  }

  mutating func takePhaseChanges() -> [TransferSnapshot] {
    defer { phaseChanges = [] }
    return phaseChanges
  }

  // MARK: Following

  mutating func follow(_ progress: ItemProgress) {
    lastID += 1
    followed.append(Followed(id: lastID, progress: progress))
  }

  /// Adds the new bytes of a followed progress, and stops following it at its end.
  ///
  /// Two threads may read the progress at the same time, so the older of two snapshots is ignored.
  mutating func count(_ seen: ItemProgress.Snapshot, ofFollowed id: Int) {
    guard let index = followed.firstIndex(where: { $0.id == id }) else { return }
    let completed = UInt64(max(0, seen.completed))
    guard completed >= followed[index].countedBytes else { return }
    advance(by: completed - followed[index].countedBytes)
    followed[index].countedBytes = completed
    if !followed[index].hasTotal, let total = seen.total, total >= 0 {
      followed[index].hasTotal = true
      // A size that the item's source reported takes precedence.
      if now.totalItemBytes == nil, followed.count == 1 { now.totalItemBytes = UInt64(total) }
    }
    if seen.phase != followed[index].phase {
      followed[index].phase = seen.phase
      enter(seen.phase)
    }
    if seen.ending != nil { followed.remove(at: index) }
  }
}

extension UInt64 {
  fileprivate mutating func addSaturating(_ other: UInt64) {
    let (sum, overflow) = addingReportingOverflow(other)
    self = overflow ? .max : sum
  }
}
