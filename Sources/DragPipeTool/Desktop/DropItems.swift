// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
    /// The latest load; an item may have several representations.
    var load: ItemProgress?
    var isCancelled = false

    init(_ row: WindowRow) {
      self.row = row
    }

    var state: ItemState {
      if isCancelled { return .failed("cancelled") }
      guard let now = load?.snapshot else { return .loading(0) }
      switch now.ending {
      case .finished: return .done
      case .cancelled: return .failed("cancelled")
      case .failed: return .failed("failed to load")
      case nil: return .loading(now.total.map { $0 == 0 ? 1 : Double(now.completed) / Double($0) })
      }
    }
  }

  private struct List {
    let progress: ItemProgress
    let cancel: @Sendable () -> Void
  }

  private struct State {
    /// The items of the drop that is under way.
    var items: [Item] = []
    /// The rows of the earlier drops.
    var earlier: [WindowRow] = []
    /// The request for the list of items.
    var list: List?
  }

  private let state = Lock(State())

  /// Begins a drop whose items are not known yet.
  ///
  /// - Parameters:
  ///   - progress: The progress of the request for the list, in bytes.
  ///   - cancel: Called if the user cancels the drop before ``begin(_:)``.
  func begin(_ progress: ItemProgress, cancel: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.items = [Item(WindowRow(name: "Dropped items", icon: .symbol(.several)))]
      state.list = List(progress: progress, cancel: cancel)
    }
  }

  /// Replaces the row of the drop by the rows of its items, which are loaded now.
  func begin(_ items: [ItemProvider]) {
    let items = items.map { Item(WindowRow($0)) }
    state.withLock { state in
      (state.items, state.list) = (items, nil)
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

  /// Cancels the load of the item in a row of the present drop, or the request for the list of items.
  ///
  /// The call has no effect if the load has ended.
  func cancel(row: Int) {
    let (list, load) = state.withLock { state -> (List?, ItemProgress?) in
      guard state.items.indices.contains(row), state.items[row].load?.snapshot.ending == nil else { return (nil, nil) }
      state.items[row].isCancelled = true
      return (state.list, state.items[row].load)
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
    let states = items.map { list == nil || $0.isCancelled ? $0.state : .loading(nil) }
    let rows = zip(items, states).map { item, state in
      var row = item.row
      row.state = state
      return row
    }
    model.rows = Array((rows + earlier).prefix(Self.rowLimit))
    let doneCount = model.rows.count { $0.state == .done }
    let openCount = states.count { $0.isLoading }
    model.status =
      if model.rows.isEmpty {
        ""
      } else if let list {
        "\(ProgressAmounts.bytes(UInt64(clamping: list.progress.snapshot.completed))) received"
      } else if openCount > 0 {
        "\(ToolHelp.count(openCount, "item")) to receive"
      } else {
        "\(ToolHelp.count(doneCount, "item")) received"
      }
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

extension WindowRow {
  /// Creates the row of an item.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - byteCount: The size in bytes; `nil` for the size of the best representation, if known.
  init(_ item: ItemProvider, byteCount: UInt64? = nil) {
    let best = item.representations(visibleTo: .ownProcess).first
    let type = best?.contentType ?? .data
    // The row of a folder shows no size, because only the size of its archive is known.
    let isFolder = type.conforms(to: .directory)
    let byteCount = isFolder ? nil : byteCount ?? best?.size.expected.flatMap(UInt64.init(exactly:))
    let description = type.localizedDescription ?? type.identifier
    self.init(
      name: item.suggestedName ?? description, type: description,
      size: byteCount.map { ProgressAmounts.bytes($0) } ?? "", icon: .symbol(Self.symbol(for: type)))
  }

  private static func symbol(for type: UTType) -> Symbol {
    if type.conforms(to: .directory) { return .folder }
    if type.conforms(to: .image) { return .picture }
    if type.conforms(to: .url) { return .link }
    return type.conforms(to: .text) ? .text : .file
  }
}
