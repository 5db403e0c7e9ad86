// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
public import ItemTransfer
internal import Synchronization
internal import UniformTypes

extension DropFolder {
  /// Reads a stream to its verified end, and stores the accepted representations of each item as files.
  ///
  /// - Parameters:
  ///   - endpoint: The source of the stream.
  ///   - options: Limits and idle timeout.
  ///   - progress: Counts the bytes of the stored representations as they arrive.
  /// - Returns: The files, and the items that were not stored.
  /// - Throws: `DropStreamError`, with the code `cancelled` if the task is cancelled. No received file and no temporary
  ///   file remains then, unless it cannot be removed.
  public func receive(
    from endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(), progress: ItemProgress? = nil
  ) async throws(DropStreamError) -> Receipt {
    try await receive(from: endpoint, options: options, observer: progress.map(Observer.init(counting:)))
  }

  /// Does the same as ``receive(from:options:progress:)``, and reports each file to an observer.
  ///
  /// - Parameters:
  ///   - endpoint: The source of the stream.
  ///   - options: The limits, for all drops together, and the idle timeout.
  ///   - observer: The observer.
  ///   - eachDrop: Takes the receipt of each of several drops that follow each other; `nil` makes a second drop an error.
  ///     If a later drop fails, the earlier ones stay.
  /// - Returns: The receipt of all drops.
  /// - Throws: The errors of ``receive(from:options:progress:)``.
  package func receive(
    from endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(), observer: Observer?,
    eachDrop: ((Receipt) -> Void)? = nil
  ) async throws(DropStreamError) -> Receipt {
    let program = try await StreamProgram(endpoint, access: O_RDONLY, within: options.idleTimeout)
    let published = Lock(Receipt())
    let precedingItems = Lock(0)
    let folder = notResumable
    @Sendable func intake() -> sending FolderIntake {
      FolderIntake(folder, observer: observer, precedingItems: precedingItems.withLock { $0 }) { receipt in
        published.withLock { $0 = receipt }
      }
    }
    let reader = try StreamReader(program.endpoint, options, sink: intake(), takesSequence: eachDrop != nil)
    var all = Receipt()
    do throws(DropStreamError) {
      repeat {
        var itemCount = 0
        while try await reader.next(isolation: nil) != nil { itemCount += 1 }
        let receipt = published.withLock { $0 }.following(precedingItems.withLock { $0 })
        all.append(receipt)
        eachDrop?(receipt)
        precedingItems.withLock { [itemCount] in $0 += itemCount }
      } while reader.beginNext(intake)
      await program.end()
      observer?.end()
      return all
    } catch {
      throw await program.fail(with: error)
    }
  }

  private var notResumable: DropFolder {
    var folder = self
    folder.isResumable = false
    return folder
  }

  /// Requests the acceptable representations of each item that another process offers, and stores them as files.
  ///
  /// The source never produces a representation that is not requested. Call ``IncomingDrop/finish(_:keeping:)`` after
  /// this method returns: only then may the source remove the files that were moved. It throws an error for an action
  /// that the source does not allow, so check ``IncomingDrop/actions`` first. If the source allows a move, all files
  /// are flushed to the disk before this method returns (``isDurable``).
  ///
  /// ```swift
  /// let receipt = try await folder.receive(drop)
  /// try await drop.finish(.copy, keeping: receipt.keptItems)
  /// ```
  ///
  /// - Parameters:
  ///   - drop: The drop that the other process offers.
  ///   - progress: Counts the bytes of the stored representations as they arrive.
  /// - Returns: The files, and the items that were not stored.
  /// - Throws: `DropStreamError`, with the code `cancelled` if the task is cancelled. No received file remains then. No
  ///   temporary file remains either, unless ``isResumable`` keeps it or it cannot be removed.
  public func receive(
    _ drop: IncomingDrop, progress: ItemProgress? = nil
  ) async throws(DropStreamError) -> Receipt {
    try await receive(drop, observer: progress.map(Observer.init(counting:)))
  }

  /// Does the same as ``receive(_:progress:)-(IncomingDrop,_)``, and reports each file to an observer.
  package func receive(_ drop: IncomingDrop, observer: Observer?) async throws(DropStreamError) -> Receipt {
    var folder = self
    if drop.actions.contains(.move) { folder.isDurable = true }
    var items = drop.items.makeIterator()
    let source = ItemSource(
      failure: \.failureOfPeer, rest: drop.contents.rest, comparesDigest: true, checkIsOpen: drop.contents.checkIsOpen)
    return try await folder.receive(source, observer) { items.next() }
  }

  /// Loads the acceptable representations of the items of a drop file, and stores them as files.
  ///
  /// Only these representations are read. Each of them is verified, but not the stream as a whole.
  ///
  /// - Parameters:
  ///   - file: The drop file, which may be at another place (``RandomAccessSource``).
  ///   - progress: Counts the bytes of the stored representations.
  /// - Returns: The files, and the items that were not stored.
  /// - Throws: `DropStreamError`, with the code `cancelled` if the task is cancelled. No received file remains then. No
  ///   temporary file remains either, unless ``isResumable`` keeps it or it cannot be removed.
  public func receive(
    _ file: DropFile, progress: ItemProgress? = nil
  ) async throws(DropStreamError) -> Receipt {
    try await receive(file, observer: progress.map(Observer.init(counting:)))
  }

  /// Does the same as ``receive(_:progress:)-(DropFile,_)``, and reports each file to an observer.
  package func receive(_ file: DropFile, observer: Observer?) async throws(DropStreamError) -> Receipt {
    var items = file.makeAsyncIterator()
    var folder = self
    folder.isResumable = isResumable && file.origin != nil
    folder.origin = file.origin ?? ""
    folder.byteLimit = file.limits.bytes
    let source = ItemSource(failure: \.failureOfPeer, rest: file.rest)
    return try await folder.receive(source, observer) { () async throws(DropStreamError) in
      try await items.next(isolation: nil)
    }
  }

  /// Loads the acceptable representations of items that this process has, and stores them as files.
  ///
  /// A representation whose loader fails is missing in the receipt; the others are stored.
  ///
  /// - Parameters:
  ///   - items: The items, such as those of a clipboard.
  ///   - limits: The maximum number of items, and of bytes of all loaded representations.
  ///   - progress: Counts the bytes of the stored representations.
  /// - Returns: The files, and the items that were not stored.
  /// - Throws: `DropStreamError`, with the code `cancelled` if the task is cancelled. No received file and no temporary
  ///   file remains then, unless it cannot be removed.
  public func receive(
    _ items: [ItemProvider], limits: DropStreamLimits = DropStreamLimits(), progress: ItemProgress? = nil
  ) async throws(DropStreamError) -> Receipt {
    try await receive(items, limits: limits, observer: progress.map(Observer.init(counting:)))
  }

  /// Does the same as ``receive(_:limits:progress:)``, and reports each file to an observer.
  package func receive(
    _ items: [ItemProvider], limits: DropStreamLimits, observer: Observer?
  ) async throws(DropStreamError) -> Receipt {
    try limits.check(itemCount: UInt64(items.count))
    var folder = notResumable
    folder.byteLimit = limits.bytes
    var items = items.makeIterator()
    let source = ItemSource(failure: { error in
      let error = DropStreamError(error)
      observer?.fail(error)
      return SenderFailure(error)
    })
    return try await folder.receive(source, observer) { items.next() }
  }

  private func receive(
    _ source: ItemSource, _ observer: Observer?, next: () async throws(DropStreamError) -> ItemProvider?
  ) async throws(DropStreamError) -> Receipt {
    try await withTaskExecutorPreference(BlockingExecutor.shared) { () async throws(DropStreamError) in
      let loader = ItemLoader(self, source, observer)
      do throws(DropStreamError) {
        var index = 0
        while let item = try await next() {
          try await loader.load(item, index)
          index += 1
        }
        let receipt = try loader.publish()
        observer?.end()
        return receipt
      } catch {
        loader.abandon()
        throw error
      }
    }
  }
}

/// The properties of a source whose items are loaded one by one.
private struct ItemSource: Sendable {
  /// Returns the failure of the source for one representation; `nil` if the error ends the receive.
  let failure: @Sendable (ItemProviderError) -> SenderFailure?
  /// Loads the rest of a representation, or returns `nil` if it can only be loaded from its start.
  var rest: (@Sendable (_ item: Int, UTType, ReceivedStart) async throws(DropStreamError) -> ContentRest?)?
  /// Whether the source compares the bytes that an interrupted receive has kept by their digest.
  var comparesDigest = false
  /// Checks that the drop can still be finished.
  var checkIsOpen: @Sendable () throws(DropStreamError) -> Void = {}

  /// The error of a load if the source's content starts with other bytes.
  var difference: DropStreamError.Code { comparesDigest ? .representationFailed : .damaged }
}

/// A loader of the representations that a folder accepts; blocks on disk access.
private final class ItemLoader: Sendable {
  private let folder: DropFolder
  private let source: ItemSource
  private let observer: DropFolder.Observer?
  private let intake: Lock<FolderIntake>

  init(_ folder: DropFolder, _ source: ItemSource, _ observer: DropFolder.Observer?) {
    self.folder = folder
    self.source = source
    self.observer = observer
    intake = Lock(FolderIntake(folder, observer: observer))
  }

  /// Loads the accepted representations of an item into files.
  func load(_ item: ItemProvider, _ itemIndex: Int) async throws(DropStreamError) {
    let offered = await item.offered(to: .all)
    let representations = offered.representations
    let accepted = intake.withLock { intake in
      intake.acceptedIndices(
        among: representations.map(\.traits), offered.suggestedName, in: offered.fileAttributes.folder)
    }
    let parts = accepted.map { index in
      FolderIntake.Part(
        index: index, contentType: representations[index].contentType,
        isDirectory: representations[index].traits.conforms(to: .directory),
        byteCount: representations[index].size.expected.flatMap(UInt64.init(exactly:)), isFirst: index == 0)
    }
    let awaited = try intake.withLock { (intake) throws(DropStreamError) in
      try intake.begin(offered.suggestedName, offered.fileAttributes, parts) { representations.map(\.contentType) }
      return intake.awaitedIndices
    }
    for index in awaited {
      if let promised = representations[index].size.promised.flatMap(UInt64.init(exactly:)) {
        try intake.withLock { (intake) throws(DropStreamError) in try intake.checkRoom(for: promised) }
      }
      let progress = observer?.load.map { _ in ItemProgress() }
      if let progress { observer?.load?(itemIndex, progress) }
      let byteCount: UInt64
      do throws(ItemProviderError) {
        byteCount = try await representations[index].loading(progress) {
          [self] (representation, progress) throws(ItemProviderError) -> UInt64 in
          try await load(representation, index, itemIndex, progress)
        }
      } catch {
        if Task.isCancelled { throw .cancelled }
        if let error = error.underlyingError as? StorageError { throw error.cause }
        let isCancelled = progress?.isCancelled == true
        let failure = isCancelled ? SenderFailure(kind: .cancelled, reason: "") : source.failure(error)
        guard let failure else { throw error.transportError }
        intake.withLock { $0.fail(index, failure) }
        continue
      }
      // A cancellation has no effect from here on.
      try intake.withLock { (intake) throws(DropStreamError) in try intake.end(index, byteCount: byteCount) }
    }
    intake.withLock { $0.endItem() }
  }

  /// The error of a disk access, to distinguish it from errors of the source.
  private struct StorageError: Error {
    let cause: DropStreamError
  }

  /// Loads a representation into a file.
  ///
  /// - Returns: The length of the complete content.
  private func load(
    _ representation: ItemRepresentation, _ index: Int, _ item: Int, _ progress: ItemProgress
  ) async throws(ItemProviderError) -> UInt64 {
    do throws(DropStreamError) {
      if let byteCount = try await resume(item, index, representation.contentType) { return byteCount }
    } catch {
      throw ItemProviderError(.representationFailed, contentType: nil, underlyingError: error)
    }
    let content = try await representation.portableContent(progress: progress)
    var byteCount: UInt64 = 0
    var chunks = representation.stream(of: content, progress: progress).makeAsyncIterator()
    while let run = try await chunks.nextRun() {
      byteCount += UInt64(run.byteCount)
      try mapError(append(run, to: index)) {
        ItemProviderError(.fileUnavailable, contentType: nil, underlyingError: StorageError(cause: $0))
      }
    }
    return byteCount
  }

  /// Loads the rest of a representation whose start an interrupted receive has kept.
  ///
  /// - Returns: The length of the complete content; `nil` if the file is empty.
  private func resume(_ item: Int, _ index: Int, _ type: UTType) async throws(DropStreamError) -> UInt64? {
    guard folder.isResumable, let rest = source.rest else { return nil }
    let start = try intake.withLock { (intake) throws(DropStreamError) in
      try intake.start(of: index, hashing: source.comparesDigest)
    }
    guard let start else { return nil }
    do throws(DropStreamError) {
      if let rest = try await rest(item, type, start) { return try await append(rest, to: index, after: start) }
    } catch {
      // The complete content may still be available. If not, its own failure is reported.
      guard error.code == source.difference else { throw error }
    }
    try intake.withLock { (intake) throws(DropStreamError) in try intake.restart(index) }
    return nil
  }

  private func append(
    _ rest: ContentRest, to index: Int, after start: ReceivedStart
  ) async throws(DropStreamError) -> UInt64 {
    try intake.withLock { (intake) throws(DropStreamError) in try intake.resume(after: start) }
    var byteCount = start.byteCount
    do {
      var chunks: any AsyncIteratorProtocol<Data, any Error> = rest.makeAsyncIterator()
      while let run = try await chunks.nextRun() {
        try Task.checkCancellation()
        byteCount += UInt64(run.byteCount)
        try append(run, to: index)
      }
    } catch {
      if error.isCancellation { throw .cancelled }
      throw error as? DropStreamError ?? DropStreamError(.representationFailed, "\(error)", underlyingError: error)
    }
    return byteCount
  }

  private func append(_ run: ContentRun, to index: Int) throws(DropStreamError) {
    try intake.withLock { (intake) throws(DropStreamError) in
      switch run {
      case .zeros(let count): try intake.append(zeros: count, to: index)
      case .bytes(let chunk):
        // `withUnsafeBytes` would erase the type of the error, so the closure returns a `Result`.
        try chunk.withUnsafeBytes { bytes in
          Result { () throws(DropStreamError) in try intake.append(bytes, to: index) }
        }.get()
      }
    }
  }

  /// Gives all files their names.
  ///
  /// - Returns: The files, and the items that were not stored.
  /// - Throws: `cancelled`; the error of a drop that cannot be finished; the errors of the publication.
  func publish() throws(DropStreamError) -> DropFolder.Receipt {
    if Task.isCancelled { throw .cancelled }
    try source.checkIsOpen()
    return try intake.withLock { (intake) throws(DropStreamError) in try intake.publish() }
  }

  func abandon() { intake.withLock { $0.abandon() } }
}

extension ItemProviderError {
  /// The failure that the peer reported for the representation; `nil` for any other error.
  fileprivate var failureOfPeer: SenderFailure? {
    guard let error = underlyingError as? DropStreamError, error.code == .representationFailed else { return nil }
    return error.senderFailure
  }

  fileprivate var transportError: DropStreamError {
    if code == .cancelled { return .cancelled }
    return underlyingError as? DropStreamError
      ?? DropStreamError(.representationFailed, "\(self)", underlyingError: self)
  }
}
