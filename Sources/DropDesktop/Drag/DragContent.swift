// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
package import FoundationEssentials
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// A short value that a drag carries beside its items.
package struct DragMark: Sendable {
  /// The name of its type.
  package let name: String
  /// The value, of at most 256 bytes.
  package let data: Data

  /// Creates a mark.
  package init(name: String, data: Data) {
    (self.name, self.data) = (name, data)
  }
}

/// The items of a drag as the content of its selection.
final class DragContent: OfferedContent {
  /// The target that sends the bytes of a promised file instead of a direct save.
  static let anyBytes = "application/octet-stream"

  let targets: [String]
  /// The suggested name for a direct save; `nil` if direct saves are disabled, or if the drag is anything but one
  /// promised file.
  let savedName: String?
  private let base: ProviderContent
  private let cache: DragCache
  /// The items, whose representations are created once.
  let items: [ItemProvider]
  private let mark: DragMark?
  private let state = Lock(State())

  private struct State {
    var saver: (@Sendable () async -> DirectSaveResult)?
    var activity: (@Sendable () -> Void)?
    var isSaved = false
    /// The number of targets that the drag has left.
    var leftCount = 0
    /// Whether the present target has received a complete value.
    var isSent = false
  }

  /// Creates the content.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - files: The ways in which targets receive promised files.
  ///   - limit: The maximum length of a representation in bytes, as for ``DragCache``.
  ///   - mark: The mark of the drag.
  init(
    _ items: [ItemProvider], files: DesktopDrag.PromisedFileDelivery, limit: Int, mark: DragMark? = nil
  ) {
    self.mark = mark
    let cache = DragCache(maximumBytes: limit)
    let cached = items.enumerated().map { cache.caching($1, at: $0) }
    (self.cache, self.items) = (cache, cached)
    base = ProviderContent(cached, isClipboard: false)
    savedName = files == .addresses ? nil : DirectSave.name(of: items)
    var names = base.targets + [DroppedItemSummary.target]
    if savedName != nil {
      if files == .directSave { names.removeAll { [TargetName.uriList, TargetName.portalFiles].contains($0) } }
      names.append(DirectSave.target)
      if !names.contains(Self.anyBytes) { names.append(Self.anyBytes) }
    }
    if let mark {
      // The types of several items are hints, which no other program takes for content.
      let types = items.count > 1 ? items.flatMap { $0.contentTypes(visibleTo: .all) } : []
      let hints = types.compactMap { TargetName.names(for: $0).first.map { TargetName.hintPrefix + $0.name } }
      for name in [mark.name] + hints where TargetName.isPlausible(name) && !names.contains(name) { names.append(name) }
    }
    targets = names
  }

  /// Checks that the files at the addresses may be given to other programs.
  func checkFiles() async throws { try await base.checkFiles() }

  /// Enables the direct save, and reports each part that a target reads.
  ///
  /// - Parameters:
  ///   - saver: Saves the item at the address that the target has set.
  ///   - activity: Called for each request and each part.
  func begin(
    saver: @escaping @Sendable () async -> DirectSaveResult, activity: @escaping @Sendable () -> Void
  ) {
    state.withLock { state in
      state.saver = saver
      state.activity = activity
    }
  }

  func value(for target: String) async throws -> OfferedValue {
    let (saver, activity, leftCount) = state.withLock { ($0.saver, $0.activity, $0.leftCount) }
    activity?()
    var value: OfferedValue
    switch target {
    case mark?.name: value = .complete(mark?.data ?? Data(), as: target)
    case DirectSave.target:
      guard let saver else { throw DesktopError(.nothingOffered, "the item cannot be saved yet") }
      value = .complete(Data(await saver().rawValue.utf8), as: target)
    case DroppedItemSummary.target:
      value = .complete(try JSONEncoder().encode(items.map { DroppedItemSummary($0) }), as: target)
    case Self.anyBytes where !base.targets.contains(target): value = try await bytes(as: target)
    default: value = try await base.value(for: target)
    }
    let next = value.next
    let isItem = target != mark?.name && target != DroppedItemSummary.target
    value.next = { [weak self] in
      activity?()
      let part = try await next()
      if part == nil, let self, isItem {
        state.withLock { if $0.leftCount == leftCount { $0.isSent = true } }
      }
      return part
    }
    return value
  }

  /// Returns the bytes of the item's best representation, regardless of its type.
  private func bytes(as target: String) async throws -> OfferedValue {
    guard let item = items.first, let type = item.contentTypes(visibleTo: .all).first else {
      throw DesktopError(.nothingOffered, "the item has no content")
    }
    return OfferedValue(chunks: try await item.bytes(for: type), as: target)
  }

  /// Saves the item in a file.
  ///
  /// - Parameter file: The address of the file, as the target has set it.
  /// - Returns: The response to the target: `failed` also if an earlier call has tried to save the item.
  func save(at file: DirectSaveAddress) async -> DirectSaveResult {
    guard let item = items.first, let type = item.contentTypes(visibleTo: .all).first,
      !state.withLock({ state in
        defer { state.isSaved = true }
        return state.isSaved
      })
    else { return .failed }
    do {
      try await file.write(try await item.bytes(for: type))
      return .saved
    } catch {
      return .failed
    }
  }

  /// Whether the present target has received a value of the items completely.
  var isSent: Bool { state.withLock { $0.isSent } }

  /// Cancels the unfinished creation of representations, after the drag has left a target.
  func cancelLoads() {
    state.withLock { state in
      state.leftCount += 1
      state.isSent = false
    }
    cache.cancelLoads()
  }

  /// Cancels all loads, and removes the files that were created.
  func remove() async {
    cache.removeAll()
    await base.removeFiles()
  }
}
