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
  /// - Throws: `DropStreamError`, with the code `cancelled` if the task is cancelled. No received file and no temporary
  ///   file remains then, unless it cannot be removed.
  public func receive(
    _ drop: IncomingDrop, progress: ItemProgress? = nil
  ) async throws(DropStreamError) -> Receipt {
    let receipt = try await receive(drop, observer: progress.map(Observer.init(counting:)))
    progress?.finish()
    return receipt
  }

  /// Does the same as ``receive(_:progress:)``, and reports each file to an observer.
  package func receive(_ drop: IncomingDrop, observer: Observer?) async throws(DropStreamError) -> Receipt {
    var folder = self
    if drop.actions.contains(.move) { folder.isDurable = true }
    let writer = FolderWriter(folder, observer: observer)
    do throws(DropStreamError) {
      var receipt = Receipt()
      let inPlace = takesOriginalFiles && drop.actions.contains(.move) && drop.isOfSameUser
      for (index, item) in drop.items.enumerated() {
        let load = observer?.load.map { load in { @Sendable in load(index, $0) } }
        receipt.add(try await take(item, inPlace: inPlace, writer, onLoad: load))
      }
      let publication = try await writer.publish()
      if let originals = publication.originals { drop.settleAtEnd(originals) }
      receipt.settle(publication)
      return receipt
    } catch {
      await writer.abandon()
      throw error
    }
  }

  private func take(
    _ item: ItemProvider, inPlace: Bool, _ writer: FolderWriter, onLoad: (@Sendable (ItemProgress) -> Void)?
  ) async throws(DropStreamError) -> [Arrival] {
    let representations = item.representations
    let parts = wanted.indices(among: representations.map(\.traits)).map { index in
      FolderIntake.Part(
        index: index, contentType: representations[index].contentType,
        isDirectory: representations[index].traits.conforms(to: .directory),
        byteCount: representations[index].size.expected.flatMap(UInt64.init(exactly:)), isFirst: index == 0)
    }
    let (name, attributes) = item.nameAndAttributes
    let wanted = try await writer.begin(name, attributes, parts, representations.map(\.contentType))
    for index in wanted {
      let progress = onLoad.map { _ in ItemProgress() }
      if let progress { onLoad?(progress) }
      do throws(ItemProviderError) {
        if let progress {
          try await representations[index].loading(progress) { (representation, progress) throws(ItemProviderError) in
            try await Self.store(representation, index, inPlace: inPlace, writer, progress)
          }
        } else {
          try await Self.store(representations[index], index, inPlace: inPlace, writer, ItemProgress())
        }
      } catch {
        if Task.isCancelled { throw .cancelled }
        if progress?.isCancelled == true {
          await writer.fail(index, SenderFailure(kind: .cancelled, reason: ""))
        } else if let failure = error.failureOfSource {
          await writer.fail(index, failure)
        } else {
          throw error.transportError
        }
      }
      try await writer.check()
    }
    return await writer.endItem()
  }

  /// Loads a representation into a file.
  private static func store(
    _ representation: ItemRepresentation, _ index: Int, inPlace: Bool, _ writer: FolderWriter, _ progress: ItemProgress
  ) async throws(ItemProviderError) {
    var content = try await representation.portableContent(inPlace: inPlace, progress: progress)
    if inPlace, case .file(let original) = content {
      if await writer.take(original, as: index) { return }
      // Falls back to the bytes, which are verified.
      content = try await representation.portableContent(progress: progress)
    }
    var count: UInt64 = 0
    for try await chunk in representation.stream(of: content, progress: progress) {
      count += UInt64(chunk.count)
      guard await writer.append(chunk, to: index) else { break }
    }
    await writer.end(index, byteCount: count)
  }
}

extension ItemProviderError {
  /// The failure that the source reported for the representation; `nil` for any other error.
  fileprivate var failureOfSource: SenderFailure? {
    guard let error = underlyingError as? DropStreamError, error.code == .senderFailed else { return nil }
    return error.senderFailure
  }

  fileprivate var transportError: DropStreamError {
    if code == .cancelled { return .cancelled }
    return underlyingError as? DropStreamError
      ?? DropStreamError(.representationFailed, "\(self)", underlyingError: self)
  }
}

/// An actor that stores the files of a session on a thread that may block on disk access.
actor FolderWriter {
  private let executor = BlockingExecutor(label: "org.dragpipe.folder")
  private var intake: FolderIntake
  /// The first local error.
  private var failure: DropStreamError?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

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

  /// Takes the source's own file in place of a copy.
  ///
  /// - Returns: Whether the file was taken. If not, the caller must append its bytes.
  func take(_ original: SentTransferredFile, as index: Int) -> Bool {
    guard failure == nil, let descriptor = original.owner as? SharedDescriptor,
      let status = try? SystemCalls.status(descriptor.raw)
    else { return false }
    let byteCount = UInt64(status.size)
    guard intake.take(descriptor.raw, as: index, byteCount: byteCount) else { return false }
    end(index, byteCount: byteCount)
    return true
  }

  /// Appends bytes to a representation.
  ///
  /// - Returns: Whether the caller should append more.
  func append(_ chunk: Data, to index: Int) -> Bool {
    guard failure == nil else { return false }
    let written = chunk.withUnsafeBytes { bytes in
      Result { () throws(DropStreamError) in try intake.append(bytes, to: index) }
    }
    if case .failure(let error) = written { failure = error }
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

  func endItem() -> [DropFolder.Arrival] { intake.endItem() }

  func publish() throws(DropStreamError) -> DropFolder.Publication {
    if Task.isCancelled { throw .cancelled }
    return try intake.publish()
  }

  func abandon() { intake.abandon() }
}
