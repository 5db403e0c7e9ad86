// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization

/// The requests of a destination.
extension DropSession {
  /// Requests a representation.
  ///
  /// Waits while as many requests are in progress as both sides allow.
  ///
  /// - Parameters:
  ///   - item: The index of the item.
  ///   - representation: The index of the representation.
  ///   - generation: The generation of the offer.
  ///   - range: The requested bytes; `nil` for the complete content.
  ///   - startDigest: The ``StartDigest`` of all bytes before the range, which the source compares with its content.
  ///   - promised: The number of bytes of the complete content, if the offer declares it.
  ///   - inPlace: Whether the source's own file is preferred to its bytes.
  ///   - progress: Shows the progress of the source's loader.
  /// - Returns: The content of the response. The caller reads it to its end or cancels the request.
  /// - Throws: The failure of the session; `limitExceeded` when the request numbers are exhausted; `cancelled`.
  func ask(
    for item: UInt32, _ representation: UInt32, of generation: UInt32, range: Range<UInt64>? = nil,
    startDigest: [UInt8]? = nil, promised: UInt64? = nil, inPlace: Bool = false, progress: ItemProgress
  ) async throws(DropStreamError) -> SessionContent {
    guard await permits.wait() else { throw .cancelled }
    let accepts: SessionRequest.Acceptance = range == nil ? acceptance(inPlace: inPlace) : []
    let part = promised.map { all in range.map { min($0.upperBound, all) - min($0.lowerBound, all) } ?? all }
    do throws(DropStreamError) {
      let content = try state.withLock { state throws(DropStreamError) in
        try state.checkIsOpen()
        let content = try state.destination.request { number, credit in
          SessionContent(
            number: number, generation: generation, window: credit, accepts: accepts, promised: part,
            zerosEnd: part ?? (startDigest == nil ? range.map { $0.upperBound - $0.lowerBound } : nil) ?? 0,
            progress: progress)
        }
        // The request is queued inside the lock, because request numbers must arrive in ascending order.
        let request = SessionRequest(
          generation: generation, item: item, representation: representation, accepts: accepts,
          credit: content.window, range: range, startDigest: startDigest)
        output.enqueue(.request(number: content.number, request))
        return content
      }
      output.writeEnqueued()
      return content
    } catch {
      permits.signal()
      throw error
    }
  }

  private func acceptance(inPlace: Bool) -> SessionRequest.Acceptance {
    guard handsDescriptors, state.withLock({ $0.peer?.features.contains(.descriptors) == true }) else { return [] }
    var accepts: SessionRequest.Acceptance =
      options.acceptsUncheckedFiles ? [.sealedMemory, .fileToCopy] : .sealedMemory
    if inPlace { accepts.insert(.originalFile) }
    return accepts
  }

  /// Cancels a request if it is still in progress.
  func cancel(_ number: UInt32) {
    guard state.withLock({ $0.destination.endRequest(number) }) else { return }
    output.send(.cancellation(number: number, SenderFailure(kind: .cancelled, reason: "")))
    // The permit is returned after the cancellation is queued: the peer must receive it before the next request.
    permits.signal()
  }

  /// Reports the kept items and waits for the source's acknowledgement.
  ///
  /// - Parameters:
  ///   - contents: The contents of the offer, which are marked as finished when the report is about to be sent.
  ///   - finish: The report.
  /// - Throws: `closed` if the drop was finished before; `withdrawn` if the offer is no longer open; `timedOut` if no
  ///   acknowledgement arrives in time; the failure of the session. `cancelled` if the task is cancelled. If it was
  ///   cancelled before the call, nothing is sent or set, so another task can still finish the drop. If it is cancelled
  ///   later, the outcome is unknown.
  func finish(_ contents: DropContents, _ finish: SessionFinish) async throws(DropStreamError) {
    let generation = contents.offer.generation
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        do throws(DropStreamError) {
          try state.withLock { state throws(DropStreamError) in
            if Task.isCancelled { throw .cancelled }
            if contents.isFinished.withLock({ $0 }) { throw DropStreamError(.closed, "the drop is finished") }
            try state.checkIsOpen()
            try state.destination.finish(generation, as: SessionWaiter(continuation), at: .now)
            contents.isFinished.withLock { $0 = true }
          }
        } catch {
          return continuation.resume(returning: .failure(error))
        }
        endContents(of: generation)
        output.send(.finish(generation: generation, finish))
        if Task.isCancelled { endFinishing(generation, .cancelled) }
      }
    } onCancel: {
      endFinishing(generation, .cancelled)
    }
    guard try answer.get() else { throw DropStreamError.withdrawnOffer }
  }

  /// Ends the loads of a finished offer.
  ///
  /// They fail with `closed`.
  private func endContents(of generation: UInt32) {
    let contents = state.withLock { $0.destination.requestedContents }
    for content in contents where content.generation == generation {
      content.end(.failure(DropStreamError(.closed, "the drop is finished")))
      cancel(content.number)
    }
  }

  /// Ends the wait for the source's acknowledgement with an error.
  func endFinishing(_ generation: UInt32, _ error: DropStreamError) {
    state.withLock { $0.destination.endFinishing(generation) }?.resume(returning: .failure(error))
  }

  /// Finishes an offer that is still open, and reports that nothing was kept.
  ///
  /// Does not wait for the acknowledgement.
  func endIfOpen(_ generation: UInt32) {
    guard state.withLock({ $0.destination.close(generation) }) else { return }
    output.send(.finish(generation: generation, SessionFinish()))
  }
}
