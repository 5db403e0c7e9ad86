// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import DropWindows
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// The rows of a drop window: the dropped items with the progress of their loads, the latest drop first.
final class DropItems: Sendable {
  /// The maximum number of rows.
  static let rowLimit = 1000

  private struct Item {
    var row: WindowRow
    /// The number of bytes, if known.
    var byteCount: UInt64?
    /// The bytes of the item in the list that is received, if known.
    var bytesInList: Range<UInt64>?
    /// Whether the bytes have arrived with the list, so that a load only stores them.
    var hasArrived = false
    /// The latest load; an item may have several representations.
    var load: ItemProgress?
    var isCancelled = false

    init(_ row: WindowRow, byteCount: UInt64?, bytesInList: Range<UInt64>? = nil) {
      self.row = row
      self.byteCount = byteCount
      self.bytesInList = bytesInList
    }

    init(_ item: ItemProvider) {
      self.init(WindowRow(item), byteCount: item.rowByteCount(nil))
    }

    /// The state while the item is loaded.
    var state: ItemState {
      if isCancelled { return .failed("cancelled") }
      guard let now = load?.snapshot else { return .loading(hasArrived ? 1 : 0) }
      switch now.ending {
      case .finished: return .done
      case .cancelled: return .failed("cancelled")
      case .failed: return .failed("failed to load")
      case nil: return .loading(hasArrived ? 1 : now.total.map { $0 == 0 ? 1 : Double(now.completed) / Double($0) })
      }
    }

    /// Returns the state while the list of items is received.
    func state(received count: UInt64) -> ItemState {
      if isCancelled { return .failed("cancelled") }
      guard let bytes = bytesInList else { return .loading(nil) }
      if count >= bytes.upperBound { return .loading(1) }
      // A range of announced bytes may be longer than any Int.
      let total = Double(bytes.upperBound - bytes.lowerBound)
      return .loading(count <= bytes.lowerBound ? 0 : Double(count - bytes.lowerBound) / total)
    }

    /// The number of bytes that have arrived.
    var receivedByteCount: UInt64 {
      guard let now = load?.snapshot else { return 0 }
      return now.ending == .finished ? byteCount ?? 0 : UInt64(clamping: now.completed)
    }
  }

  private struct List {
    let progress: ItemProgress
    let cancel: @Sendable () -> Void

    var receivedCount: UInt64 { UInt64(clamping: progress.snapshot.completed) }
  }

  private struct State {
    /// The items of the drop that is under way.
    var items: [Item] = []
    /// The rows of the earlier drops.
    var earlier: [WindowRow] = []
    /// The request for the list of items.
    var list: List?
    /// The number of items that the source has announced; `nil` if it has announced none.
    var announcedCount: Int?
  }

  private let state = Lock(State())

  /// Begins a drop whose items are not known yet.
  ///
  /// - Parameters:
  ///   - progress: The progress of the request for the list, in bytes.
  ///   - cancel: Called if the user cancels the drop, or all announced items, before ``begin(_:)``.
  func begin(_ progress: ItemProgress, cancel: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.items = [Item(WindowRow(name: "Dropped items", icon: .symbol(.several)), byteCount: nil)]
      state.list = List(progress: progress, cancel: cancel)
      state.announcedCount = nil
    }
  }

  /// Replaces the row of the drop by the rows of the items that the source announces.
  func announce(_ summaries: [DroppedItemSummary]) {
    guard !summaries.isEmpty else { return }
    var start: UInt64? = 0
    let items = summaries.prefix(Self.rowLimit).map { summary in
      let range = start.flatMap { start in
        summary.streamByteCount.flatMap { count in
          let (end, overflow) = start.addingReportingOverflow(count)
          return overflow ? nil : start..<end
        }
      }
      start = range?.upperBound
      return Item(WindowRow(summary), byteCount: summary.byteCount, bytesInList: range)
    }
    state.withLock { state in
      guard !state.items.contains(where: \.isCancelled) else { return }
      (state.items, state.announcedCount) = (items, summaries.count)
    }
  }

  /// Replaces the rows of the drop by the rows of its items, which are loaded now.
  func begin(_ items: [ItemProvider]) {
    let items = items.map { Item($0) }
    state.withLock { state in
      let announced = state.items
      (state.items, state.list) = (items, nil)
      // Otherwise, there were no announced items, or they were a false claim.
      guard state.announcedCount == items.count else { return }
      for index in items.indices.prefix(announced.count) {
        (state.items[index].isCancelled, state.items[index].hasArrived) = (announced[index].isCancelled, true)
      }
    }
  }

  /// Shows the progress of a load in the row of the item at an index, or cancels the load if the item is cancelled.
  func follow(_ index: Int, _ load: ItemProgress) {
    let isCancelled = state.withLock { state in
      guard state.items.indices.contains(index) else { return false }
      state.items[index].load = load
      return state.items[index].isCancelled
    }
    if isCancelled { load.cancel() }
  }

  /// Adds the paths of received files, by the indices of their items, to the rows of the present drop.
  func keep(_ paths: [Int: String]) {
    state.withLock { state in
      for (index, path) in paths where state.items.indices.contains(index) { state.items[index].row.tooltip = path }
    }
  }

  /// Cancels the load of the item in a row of the present drop.
  ///
  /// While the list of items is received, the item is cancelled once it has arrived. The request for the list is
  /// cancelled with the last item. The call has no effect if the load has ended.
  func cancel(row: Int) {
    let (list, load) = state.withLock { state -> (List?, ItemProgress?) in
      guard state.items.indices.contains(row), state.items[row].load?.snapshot.ending == nil else { return (nil, nil) }
      state.items[row].isCancelled = true
      return (state.items.allSatisfy(\.isCancelled) ? state.list : nil, state.items[row].load)
    }
    list?.cancel()
    load?.cancel()
  }

  /// Ends the drop; its rows stay.
  ///
  /// - Parameter failure: The reason why items were not received; `nil` if all items were received.
  func end(_ failure: ToolFailure?) {
    state.withLock { state in
      let ended = state.items.map { item in
        var row = item.row
        row.state = item.state
        // Only after a partial failure, the receiver keeps the loaded items.
        if row.state.isLoading || (row.state == .done && failure != nil && failure?.exitCode != .partial) {
          row.state = .failed(failure == nil || failure?.exitCode == .partial ? "left out" : "not received")
        }
        return row
      }
      state.earlier = Array((ended + state.earlier).prefix(Self.rowLimit))
      (state.items, state.list) = ([], nil)
    }
  }

  /// Updates the rows, and the status at the lower edge.
  func update(_ model: inout WindowModel) {
    let (items, earlier, list) = state.withLock { ($0.items, $0.earlier, $0.list) }
    let receivedCount = list?.receivedCount
    let states = items.map { item in receivedCount.map { item.state(received: $0) } ?? item.state }
    let rows = zip(items, states).map { item, state in
      var row = item.row
      row.state = state
      return row
    }
    model.rows = Array((rows + earlier).prefix(Self.rowLimit))
    // A row with a path can be dragged to other programs, and opened.
    let haveFiles = earlier.contains { !$0.tooltip.isEmpty }
    (model.rowsAreDraggable, model.rowsAreOpened) = (haveFiles, haveFiles)
    let doneCount = model.rows.count { $0.state == .done }
    let openCount = states.count { $0.isLoading }
    model.status =
      if model.rows.isEmpty {
        ""
      } else if let receivedCount {
        "\(Self.amount(receivedCount, of: items.last?.bytesInList?.upperBound)) received"
      } else if openCount > 0 {
        "\(ToolHelp.count(openCount, "item")) to receive\(Self.progress(of: items))"
      } else {
        "\(ToolHelp.count(doneCount, "item")) received"
      }
  }

  private static func amount(_ count: UInt64, of total: UInt64?) -> String {
    guard let total, count < total else { return ProgressAmounts.bytes(count) }
    return ProgressAmounts.bytes(count, of: total)
  }

  /// Returns the number of received bytes and the total of items whose sizes are all known; otherwise an empty string.
  private static func progress(of items: [Item]) -> String {
    var total: UInt64 = 0
    for item in items {
      guard let count = item.byteCount, case let sum = total.addingReportingOverflow(count), !sum.overflow else {
        return ""
      }
      total = sum.partialValue
    }
    let received = items.reduce(0) { min(total, $0 + min(total, $1.receivedByteCount)) }
    return total == 0 || items.contains(where: \.hasArrived) ? "" : ", \(amount(received, of: total))"
  }

  /// Returns copies of the items whose loads appear in the rows, for a destination that does not report loads.
  ///
  /// The copies lack the addresses of files on this machine, unless an item has nothing else.
  func followed(_ items: [ItemProvider]) -> [ItemProvider] {
    items.enumerated().map { index, item in
      let copy = ItemProvider(suggestedName: item.suggestedName)
      copy.fileAttributes = item.fileAttributes
      let all = item.representations(visibleTo: .all)
      for representation in all where all.count == 1 || representation.contentType != .fileURL {
        copy.register(
          ItemRepresentation(representation.traits) { [self] _ in
            let load = ItemProgress()
            follow(index, load)
            let bytes = try await item.bytes(for: representation.contentType, progress: load)
            return .stream(bytes.map { (chunk: Data) async throws -> Data in chunk })
          })
      }
      return copy
    }
  }
}

extension ItemProvider {
  /// Returns the number of bytes that a row shows: the given number, or else the expected size of the best
  /// representation; `nil` if unknown, and for a folder, since only the size of its archive is known.
  fileprivate func rowByteCount(_ byteCount: UInt64?) -> UInt64? {
    let best = representations(visibleTo: .ownProcess).first
    if best?.contentType.conforms(to: .directory) == true { return nil }
    return byteCount ?? best?.size.expected.flatMap(UInt64.init(exactly:))
  }
}

extension WindowRow {
  /// Creates the row of an item.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - byteCount: The size in bytes; `nil` for the size of the best representation, if known.
  init(_ item: ItemProvider, byteCount: UInt64? = nil) {
    let type = item.representations(visibleTo: .ownProcess).first?.contentType ?? .data
    self.init(name: item.suggestedName, type, byteCount: item.rowByteCount(byteCount))
  }

  /// Creates the row of an item that a source has announced.
  init(_ summary: DroppedItemSummary) {
    let type = UTType(summary.type) ?? .data
    self.init(
      name: summary.name, type, byteCount: type.conforms(to: .directory) ? nil : summary.byteCount)
  }

  private init(name: String?, _ type: UTType, byteCount: UInt64?) {
    let description = type.localizedDescription ?? type.shown
    self.init(
      name: name ?? description, type: description, size: byteCount.map { ProgressAmounts.bytes($0) } ?? "",
      icon: .symbol(Self.symbol(for: type)))
  }

  private static func symbol(for type: UTType) -> Symbol {
    if type.conforms(to: .directory) { return .folder }
    if type.conforms(to: .image) { return .picture }
    if type.conforms(to: .url) { return .link }
    return type.conforms(to: .text) ? .text : .file
  }
}
