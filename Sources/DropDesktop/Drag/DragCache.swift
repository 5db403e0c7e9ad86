// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// A cache of the representations of a drag, which creates each of them once.
///
/// Some targets request content each time that the pointer moves. A representation of at most 1 MiB stays in memory. A
/// longer representation is stored in a temporary file. A representation that is already a file is not copied.
final class DragCache: Sendable {
  /// The maximum number of bytes of a representation in memory.
  static let maximumBytesInMemory = 1 << 20

  private struct Key: Hashable {
    let item: Int
    let type: UTType
  }

  private struct Load {
    let task: Task<ItemContent, any Error>
    let number: Int
    var isComplete = false
  }

  private struct State {
    var loads: [Key: Load] = [:]
    var lastNumber = 0
  }

  private let maximumBytes: Int
  private let state = Lock(State())

  /// Creates an empty cache.
  ///
  /// - Parameter maximumBytes: The maximum length of a representation that is not a file, in bytes.
  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  deinit {
    cancelLoads()
  }

  /// Returns a copy of an item whose representations are created once.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - index: Its index in the drag.
  /// - Returns: The copy, whose loads fail once the cache is released.
  func caching(_ item: ItemProvider, at index: Int) -> ItemProvider {
    let copy = ItemProvider(copying: item)
    copy.editRepresentations { representations in
      representations.map { original in
        // An existing file does not need to be created.
        guard !original.opensInPlace else { return original }
        // An alias has the same bytes as its original, so both share an entry.
        let key = Key(item: index, type: original.aliasedType ?? original.contentType)
        return ItemRepresentation(original.traits) { [weak self] progress in
          guard let self else { throw CancellationError() }
          return try await content(for: key, of: original)
        }
      }
    }
    return copy
  }

  private func content(for key: Key, of representation: ItemRepresentation) async throws -> ItemContent {
    let limit = maximumBytes
    let load = state.withLock { state in
      if let known = state.loads[key] { return known }
      state.lastNumber += 1
      let task = Task { try await Self.create(representation, limit: limit) }
      let load = Load(task: task, number: state.lastNumber)
      state.loads[key] = load
      return load
    }
    let result = await load.task.result
    state.withLock { state in
      guard state.loads[key]?.number == load.number else { return }
      switch result {
      case .success: state.loads[key]?.isComplete = true
      case .failure: state.loads[key] = nil
      }
    }
    return try result.get()
  }

  /// Creates the content, in a form that can be read several times.
  private static func create(_ representation: ItemRepresentation, limit: Int) async throws -> ItemContent {
    let progress = ItemProgress()
    let content = try await representation.content(progress: progress)
    switch content {
    case .file: return content
    case .data(let data) where data.count <= maximumBytesInMemory: return content
    case .data, .stream: break
    }
    var bytes = Data()
    var file: SpooledFile?
    var count = 0
    for try await chunk in representation.stream(of: content, progress: progress) {
      count += chunk.count
      guard count <= limit else {
        throw DesktopError(.limitExceeded, "the content exceeds the limit of \(limit) bytes")
      }
      if file == nil, count <= maximumBytesInMemory {
        bytes += chunk
        continue
      }
      if file == nil {
        let (new, start) = (try await runBlocking { try SpooledFile() }, bytes)
        try await runBlocking { try new.write(start) }
        (file, bytes) = (new, Data())
      }
      if let file { try await runBlocking { try file.write(chunk) } }
    }
    return file.map { .file($0.sent) } ?? .data(bytes)
  }

  /// Cancels the loads that are not complete.
  ///
  /// A later request begins them again.
  func cancelLoads() {
    let running = state.withLock { state in
      let running = state.loads.filter { !$0.value.isComplete }
      for key in running.keys { state.loads[key] = nil }
      return running.values.map(\.task)
    }
    for task in running { task.cancel() }
  }

  /// Cancels the loads that are not complete, and releases the created content.
  func removeAll() {
    cancelLoads()
    // The release removes temporary files, so it happens outside of the lock.
    let loads = state.withLock { state in
      defer { state.loads = [:] }
      return state.loads
    }
    withExtendedLifetime(loads) {}
  }
}

/// A temporary file that is removed with the last reference to it.
private final class SpooledFile: Sendable {
  private let file: TransientFile
  private let descriptor: OwnedDescriptor

  /// Creates an empty file; blocks.
  init() throws {
    let (file, descriptor) = try TemporaryLocation.standard.makeFile()
    self.file = file
    self.descriptor = OwnedDescriptor(descriptor)
  }

  /// Appends bytes; blocks.
  func write(_ data: Data) throws {
    try data.withUnsafeBytes { try SystemCalls.writeAll(descriptor.raw, $0) }
  }

  /// The file as content.
  ///
  /// Its name is random, and not for display.
  var sent: SentTransferredFile {
    SentTransferredFile(
      URL(filePath: file.path, directoryHint: .notDirectory), allowAccessingOriginalFile: false, keepingAlive: self)
  }
}
