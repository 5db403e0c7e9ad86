// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization

/// What a destination asks of the other side.
extension DropSession {
  /// Asks for a representation; waits while as many requests are under way as the peer allows.
  ///
  /// - Parameters:
  ///   - item: Its index.
  ///   - representation: Its index.
  ///   - generation: Of the offer.
  ///   - range: The part that is wanted; all where there is none.
  ///   - promised: How many bytes of all there are, where the offer says so.
  ///   - inPlace: Whether the source's own file is preferred to its bytes.
  ///   - progress: Shows how far the source's making is.
  /// - Returns: What comes for it, to be gone through, or else given up.
  /// - Throws: Why nothing can be requested; `cancelled`.
  func ask(
    for item: UInt32, _ representation: UInt32, of generation: UInt32, range: Range<UInt64>? = nil,
    promised: UInt64? = nil, inPlace: Bool = false, progress: ItemProgress
  ) async throws(DropStreamError) -> SessionContent {
    guard await permits.wait() else { throw .cancelled }
    let accepts: SessionRequest.Acceptance = range == nil ? acceptance(inPlace: inPlace) : []
    let part = promised.map { all in range.map { min($0.upperBound, all) - min($0.lowerBound, all) } ?? all }
    let asked: Result<SessionContent, DropStreamError> = state.withLock { state in
      if let failure = state.failure { return .failure(failure) }
      guard state.lastRequest < .max else {
        return .failure(DropStreamError(.limitExceeded, "a session with that many requests"))
      }
      state.lastRequest += 1
      let window = max(Self.leastWindow, Self.windowsTogether / UInt64(state.contents.count + 1))
      let content = SessionContent(
        number: state.lastRequest, generation: generation, window: window, accepts: accepts,
        promised: part, zerosEnd: part ?? range.map { $0.upperBound - $0.lowerBound } ?? 0, progress: progress)
      state.contents[state.lastRequest] = content
      // Within the lock, because the numbers of requests must arrive in their order.
      let request = SessionRequest(
        generation: generation, item: item, representation: representation, accepts: accepts, credit: window,
        range: range)
      output.enqueue(.request(number: content.number, request))
      return .success(content)
    }
    output.writeEnqueued()
    do throws(DropStreamError) { return try asked.get() } catch {
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

  /// Gives up a request, if it is still under way.
  func cancel(_ number: UInt32) {
    guard state.withLock({ $0.contents.removeValue(forKey: number) }) != nil else { return }
    output.send(.cancellation(number: number, SenderFailure(kind: .cancelled, reason: "")))
    // Behind it: the peer must not count this request when another one comes.
    permits.signal()
  }

  /// Says what was kept, and waits until the source has heard.
  ///
  /// - Throws: `cancelled` where nothing was said; when that is cancelled on its way, nobody knows.
  func finish(_ generation: UInt32, _ finish: SessionFinish) async throws(DropStreamError) {
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let refusal: DropStreamError? = state.withLock { state in
          if Task.isCancelled { return .cancelled }
          if let failure = state.failure { return failure }
          guard state.openDrops.removeValue(forKey: generation) != nil else {
            return DropStreamError(.withdrawn, "it is no longer offered")
          }
          state.finishing[generation] = Finishing(answer: continuation)
          return nil
        }
        if let refusal { return continuation.resume(returning: .failure(refusal)) }
        endContents(of: generation)
        output.send(.finish(generation: generation, finish))
        if Task.isCancelled { endFinishing(generation, .cancelled) }
      }
    } onCancel: {
      endFinishing(generation, .cancelled)
    }
    guard try answer.get() else { throw DropStreamError(.withdrawn, "it is no longer offered") }
  }

  /// What is still being loaded of an offer that is finished does not come any more.
  private func endContents(of generation: UInt32) {
    let contents = state.withLock { $0.contents.values.filter { $0.generation == generation } }
    for content in contents {
      content.end(.failure(DropStreamError(.closed, "the drop is finished")))
      cancel(content.number)
    }
  }

  /// Waits no longer for the source.
  func endFinishing(_ generation: UInt32, _ error: DropStreamError) {
    state.withLock { $0.finishing.removeValue(forKey: generation) }?.answer.resume(returning: .failure(error))
  }

  /// Says that nothing was kept, to a source that may wait for it; waits for nobody.
  func letGo(_ generation: UInt32) {
    guard state.withLock({ $0.openDrops.removeValue(forKey: generation) }) != nil else { return }
    output.send(.finish(generation: generation, SessionFinish()))
  }
}
