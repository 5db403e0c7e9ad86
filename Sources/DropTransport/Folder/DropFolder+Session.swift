// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
public import ItemTransfer
internal import UniformTypes

extension DropFolder {
  /// Asks for what is wanted of each item that another process offers, and keeps it as files.
  ///
  /// The source never makes what is not wanted. Call ``IncomingDrop/finish(_:keeping:)`` when this has returned: only
  /// then may the source remove what was moved. If the source allows a move, everything is on the disk by then
  /// (``isDurable``). The source refuses an action that it does not allow: check ``IncomingDrop/actions`` first.
  ///
  /// ```swift
  /// let receipt = try await folder.receive(drop)
  /// try await drop.finish(.copy, keeping: receipt.keptItems)
  /// ```
  ///
  /// - Parameters:
  ///   - drop: What is offered.
  ///   - progress: Counts the bytes that are kept, as they come.
  /// - Returns: The files, and what is not among them.
  /// - Throws: `DropStreamError`; no file is there then, nor any temporary one. `cancelled` when the task is.
  public func receive(
    _ drop: IncomingDrop, progress: ItemProgress? = nil
  ) async throws(DropStreamError) -> Receipt {
    let receipt = try await receive(drop, observer: progress.map(Observer.init(counting:)))
    progress?.finish()
    return receipt
  }

  /// The same for who wants to know more of what is going on.
  package func receive(_ drop: IncomingDrop, observer: Observer?) async throws(DropStreamError) -> Receipt {
    var folder = self
    if drop.actions.contains(.move) { folder.isDurable = true }
    let lane = FolderLane(folder, observer: observer)
    do throws(DropStreamError) {
      var receipt = Receipt()
      let inPlace = takesOriginalFiles && drop.actions.contains(.move) && drop.isOfSameUser
      for item in drop.items { receipt.add(try await take(item, inPlace: inPlace, lane)) }
      let publication = try await lane.publish()
      if let originals = publication.originals { drop.settleAtEnd(originals) }
      receipt.settle(publication)
      return receipt
    } catch {
      await lane.abandon()
      throw error
    }
  }

  private func take(
    _ item: ItemProvider, inPlace: Bool, _ lane: FolderLane
  ) async throws(DropStreamError) -> [Arrival] {
    let representations = item.representations
    let parts = wanted.indices(among: representations.map(\.traits)).map { index in
      FolderIntake.Part(
        index: index, contentType: representations[index].contentType,
        isDirectory: representations[index].traits.conforms(to: .directory),
        byteCount: representations[index].size.expected.flatMap(UInt64.init(exactly:)), isFirst: index == 0)
    }
    let (name, attributes) = item.nameAndAttributes
    let wanted = try await lane.begin(name, attributes, parts, representations.map(\.contentType))
    for index in wanted {
      do throws(ItemProviderError) {
        let progress = ItemProgress()
        var content = try await representations[index].portableContent(inPlace: inPlace, progress: progress)
        var isTaken = false
        if inPlace, case .file(let original) = content {
          isTaken = await lane.take(original, as: index)
          // As bytes, which are verified.
          if !isTaken { content = try await representations[index].portableContent(progress: progress) }
        }
        if !isTaken {
          var count: UInt64 = 0
          for try await chunk in representations[index].stream(of: content, progress: progress) {
            count += UInt64(chunk.count)
            guard await lane.append(chunk, to: index) else { break }
          }
          await lane.end(index, byteCount: count)
        }
      } catch {
        if Task.isCancelled { throw .cancelled }
        guard let failure = error.failureOfSource else { throw error.transportError }
        await lane.fail(index, failure)
      }
      try await lane.check()
    }
    return await lane.endItem()
  }
}

extension ItemProviderError {
  /// The source's words, where it could not make the representation and the session goes on.
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

/// Takes the files of a session on a thread that may wait for a disk.
actor FolderLane {
  private let executor = BlockingExecutor(label: "org.dragpipe.folder")
  private var intake: FolderIntake
  /// What went wrong on this side.
  private var failure: DropStreamError?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ folder: DropFolder, observer: DropFolder.Observer?) {
    intake = FolderIntake(folder, observer: observer)
  }

  /// - Returns: The representations that are to be asked for.
  func begin(
    _ suggestedName: String?, _ attributes: ItemFileAttributes, _ parts: [FolderIntake.Part], _ types: [UTType]
  ) throws(DropStreamError) -> [Int] {
    try intake.begin(suggestedName, attributes, parts) { types }
    return intake.awaitedIndices
  }

  /// - Returns: Whether the source's own file is taken.
  func take(_ original: SentTransferredFile, as index: Int) -> Bool {
    guard failure == nil, let descriptor = original.owner as? SharedDescriptor,
      let status = try? SystemCalls.status(descriptor.raw)
    else { return false }
    let byteCount = UInt64(status.size)
    guard intake.take(descriptor.raw, as: index, byteCount: byteCount) else { return false }
    end(index, byteCount: byteCount)
    return true
  }

  /// - Returns: Whether more is wanted.
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
      try intake.end(index, byteCount: byteCount) { Task.isCancelled }
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
