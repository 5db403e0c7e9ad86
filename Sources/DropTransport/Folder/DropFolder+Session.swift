// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
public import ItemTransfer
internal import UniformTypes

extension DropFolder {
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
    let receipt = try await receive(drop, observer: progress.map(Observer.init(counting:)))
    progress?.finish()
    return receipt
  }

  /// Does the same as ``receive(_:progress:)-(IncomingDrop,_)``, and reports each file to an observer.
  package func receive(_ drop: IncomingDrop, observer: Observer?) async throws(DropStreamError) -> Receipt {
    var folder = self
    if drop.actions.contains(.move) { folder.isDurable = true }
    var items = drop.items.makeIterator()
    return try await folder.receive(
      Contents(
        checkIsOpen: drop.contents.checkIsOpen, comparesDigest: true, rest: drop.contents.rest),
      observer: observer, next: { items.next() })
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
    let receipt = try await receive(file, observer: progress.map(Observer.init(counting:)))
    progress?.finish()
    return receipt
  }

  /// Does the same as ``receive(_:progress:)-(DropFile,_)``, and reports each file to an observer.
  package func receive(_ file: DropFile, observer: Observer?) async throws(DropStreamError) -> Receipt {
    var items = file.makeAsyncIterator()
    var folder = self
    folder.isResumable = isResumable && file.origin != nil
    folder.origin = file.origin ?? ""
    return try await folder.receive(
      Contents(byteLimit: file.limits.bytes, rest: file.rest), observer: observer,
      next: { () async throws(DropStreamError) in try await items.next(isolation: nil) })
  }

  /// The contents of items that are loaded one by one.
  private struct Contents: Sendable {
    typealias Rest =
      @Sendable (_ item: Int, UTType, ReceivedStart) async throws(DropStreamError) -> ContentRest?

    /// Checks that the drop can still be finished.
    let checkIsOpen: @Sendable () throws(DropStreamError) -> Void
    /// Loads the rest of a representation, or returns `nil` if it can only be loaded from its start.
    let rest: Rest
    /// Whether the source compares the bytes that an interrupted receive has kept by their digest.
    let comparesDigest: Bool
    /// The error of a load if the source's content starts with other bytes.
    var difference: DropStreamError.Code { comparesDigest ? .representationFailed : .damaged }
    /// The maximum number of bytes of all loaded representations; a session has a limit of its own.
    private let byteLimit: UInt64
    private var byteCount: UInt64 = 0

    init(
      checkIsOpen: @escaping @Sendable () throws(DropStreamError) -> Void = {},
      comparesDigest: Bool = false, byteLimit: UInt64 = .max, rest: @escaping Rest
    ) {
      self.comparesDigest = comparesDigest
      self.checkIsOpen = checkIsOpen
      self.byteLimit = byteLimit
      self.rest = rest
    }

    /// Counts the bytes of a representation.
    ///
    /// - Throws: `limitExceeded`.
    mutating func count(_ representation: ItemRepresentation) throws(DropStreamError) {
      byteCount &+= representation.size.promised.map { UInt64($0) } ?? 0
      guard byteCount <= byteLimit else { throw DropStreamError(.limitExceeded, "more than \(byteLimit) bytes") }
    }
  }

  private func receive(
    _ contents: Contents, observer: Observer?, next: () async throws(DropStreamError) -> ItemProvider?
  ) async throws(DropStreamError) -> Receipt {
    try await withTaskExecutorPreference(BlockingExecutor.shared) { () async throws(DropStreamError) in
      let writer = FolderWriter(self, observer: observer)
      do throws(DropStreamError) {
        var index = 0
        var contents = contents
        while let item = try await next() {
          let load = observer?.load.map { [index] load in { @Sendable in load(index, $0) } }
          try await take(item, index, &contents, writer, onLoad: load)
          index += 1
        }
        return try writer.publish(if: contents.checkIsOpen)
      } catch {
        writer.abandon()
        throw error
      }
    }
  }

  private func take(
    _ item: ItemProvider, _ itemIndex: Int, _ contents: inout Contents, _ writer: FolderWriter,
    onLoad: (@Sendable (ItemProgress) -> Void)?
  ) async throws(DropStreamError) {
    let representations = item.representations
    let parts = wanted.indices(among: representations.map(\.traits)).map { index in
      FolderIntake.Part(
        index: index, contentType: representations[index].contentType,
        isDirectory: representations[index].traits.conforms(to: .directory),
        byteCount: representations[index].size.expected.flatMap(UInt64.init(exactly:)), isFirst: index == 0)
    }
    let (name, attributes) = item.nameAndAttributes
    let wanted = try writer.begin(name, attributes, parts, representations.map(\.contentType))
    for index in wanted {
      try contents.count(representations[index])
      let progress = onLoad.map { _ in ItemProgress() }
      if let progress { onLoad?(progress) }
      do throws(ItemProviderError) {
        let byteCount = try await representations[index].loading(progress) {
          [contents] (representation, progress) throws(ItemProviderError) -> UInt64 in
          do throws(DropStreamError) {
            let type = representation.contentType
            if let byteCount = try await Self.resume(itemIndex, index, type, contents, writer) { return byteCount }
          } catch {
            throw ItemProviderError(.representationFailed, contentType: nil, underlyingError: error)
          }
          return try await Self.store(representation, index, writer, progress)
        }
        // A cancellation has no effect from here on.
        writer.end(index, byteCount: byteCount)
      } catch {
        if Task.isCancelled { throw .cancelled }
        if progress?.isCancelled == true {
          writer.fail(index, SenderFailure(kind: .cancelled, reason: ""))
        } else if let failure = error.failureOfSource {
          writer.fail(index, failure)
        } else {
          throw error.transportError
        }
      }
      try writer.check()
    }
    writer.endItem()
  }

  /// Loads the rest of a representation whose start an interrupted receive has kept.
  ///
  /// - Returns: The length of the complete content; `nil` if the file is empty.
  private static func resume(
    _ item: Int, _ index: Int, _ type: UTType, _ contents: Contents, _ writer: FolderWriter
  ) async throws(DropStreamError) -> UInt64? {
    guard let start = try writer.start(of: index, hashing: contents.comparesDigest) else { return nil }
    do throws(DropStreamError) {
      if let rest = try await contents.rest(item, type, start) {
        return try await writer.append(rest, to: index, after: start)
      }
    } catch {
      // The complete content may still be available. If not, its own failure is reported.
      guard error.code == contents.difference else { throw error }
    }
    try writer.restart(index)
    return nil
  }

  /// Loads a representation into a file.
  ///
  /// - Returns: The length of the content.
  private static func store(
    _ representation: ItemRepresentation, _ index: Int, _ writer: FolderWriter, _ progress: ItemProgress
  ) async throws(ItemProviderError) -> UInt64 {
    let content = try await representation.portableContent(progress: progress)
    var count: UInt64 = 0
    var chunks = representation.stream(of: content, progress: progress).makeAsyncIterator()
    while let run = try await chunks.nextRun() {
      count += UInt64(run.byteCount)
      guard writer.append(run, to: index) else { break }
    }
    return count
  }
}

extension ItemProviderError {
  /// The failure that the source reported for the representation; `nil` for any other error.
  fileprivate var failureOfSource: SenderFailure? {
    guard let error = underlyingError as? DropStreamError, error.code == .representationFailed else { return nil }
    return error.senderFailure
  }

  fileprivate var transportError: DropStreamError {
    if code == .cancelled { return .cancelled }
    return underlyingError as? DropStreamError
      ?? DropStreamError(.representationFailed, "\(self)", underlyingError: self)
  }
}

/// A writer of the files of a session; blocks on disk access.
///
/// One task uses it at a time, on the ``BlockingExecutor``.
final class FolderWriter: @unchecked Sendable {
  private var intake: FolderIntake
  /// The first local error.
  private var failure: DropStreamError?

  init(_ folder: DropFolder, observer: DropFolder.Observer?) {
    intake = FolderIntake(folder, observer: observer)
  }

  /// Begins an item.
  ///
  /// - Returns: The indices of the representations to request.
  func begin(
    _ suggestedName: String?, _ attributes: ItemFileAttributes, _ parts: [FolderIntake.Part], _ types: [UTType]
  ) throws(DropStreamError) -> [Int] {
    try intake.begin(suggestedName, attributes, parts) { types }
    return intake.awaitedIndices
  }

  func start(of index: Int, hashing isHashed: Bool) throws(DropStreamError) -> ReceivedStart? {
    try intake.start(of: index, hashing: isHashed)
  }

  func restart(_ index: Int) throws(DropStreamError) { try intake.restart(index) }

  /// Appends the rest of a representation.
  ///
  /// - Returns: The length of the complete content.
  func append(_ rest: ContentRest, to index: Int, after start: ReceivedStart) async throws(DropStreamError) -> UInt64 {
    intake.resume(after: start)
    var byteCount = start.byteCount
    do {
      var chunks: any AsyncIteratorProtocol<Data, any Error> = rest.makeAsyncIterator()
      while let run = try await chunks.nextRun() {
        try Task.checkCancellation()
        byteCount += UInt64(run.byteCount)
        guard append(run, to: index) else { break }
      }
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw error as? DropStreamError ?? DropStreamError(.representationFailed, "\(error)", underlyingError: error)
    }
    return byteCount
  }

  /// Appends bytes to a representation.
  ///
  /// - Returns: Whether the caller should append more.
  func append(_ run: ContentRun, to index: Int) -> Bool {
    guard failure == nil else { return false }
    do throws(DropStreamError) {
      switch run {
      case .zeros(let count): try intake.append(zeros: count, to: index)
      case .bytes(let chunk):
        let written = chunk.withUnsafeBytes { bytes in
          Result { () throws(DropStreamError) in try intake.append(bytes, to: index) }
        }
        try written.get()
      }
    } catch {
      failure = error
    }
    return failure == nil
  }

  func end(_ index: Int, byteCount: UInt64) {
    guard failure == nil else { return }
    do throws(DropStreamError) {
      try intake.end(index, byteCount: byteCount)
    } catch {
      failure = error
    }
  }

  func fail(_ index: Int, _ failure: SenderFailure) { intake.fail(index, failure) }

  func check() throws(DropStreamError) {
    if let failure { throw failure }
  }

  func endItem() { intake.endItem() }

  /// Gives all files their names.
  ///
  /// - Parameter checkIsOpen: Called first.
  /// - Returns: The files, and the items that were not stored.
  /// - Throws: The error of `checkIsOpen`; `cancelled`; the errors of ``FolderIntake/publish()``.
  func publish(
    if checkIsOpen: () throws(DropStreamError) -> Void
  ) throws(DropStreamError) -> DropFolder.Receipt {
    if Task.isCancelled { throw .cancelled }
    try checkIsOpen()
    return try intake.publish()
  }

  func abandon() { intake.abandon() }
}
