// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding
public import ItemTransfer
internal import UniformTypes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Writes items to a drop stream, each as a whole: several tasks may write at once and never mix their items.
///
/// ``DropStream/withWriter(to:options:isolation:_:)`` makes one.
public actor DropStreamWriter {
  private enum State {
    case open
    case failed(DropStreamError)
    case finished
  }

  /// What a reader allows by default: the writer keeps to it.
  private static let readersLimits = DropStreamLimits()

  private let lane: OutputLane
  private let chunkLength: Int
  private let audience: ItemVisibility
  private let turns = TurnQueue()
  private var state = State.open
  private var encoder = FrameEncoder()
  private var isEndWritten = false
  /// Frames not written yet; never much longer than a chunk.
  private var buffer: [UInt8] = []

  init(endpoint: DropEndpoint, options: DropStreamOptions) throws(DropStreamError) {
    lane = try OutputLane(endpoint: endpoint, idleTimeout: options.idleTimeout)
    chunkLength = options.chunkLength
    audience = options.audience
    buffer.reserveCapacity(chunkLength + 4096)
    encoder.appendPreamble(to: &buffer)
  }

  /// Hands an item over in all of its representations that the reader may have, in their order.
  ///
  /// A pipe is one way: nothing can be asked, so every loader runs. Waits its turn while another task is writing an
  /// item. Small items gather in memory until a chunk is full.
  ///
  /// - Parameters:
  ///   - provider: The item.
  ///   - progress: Counts the bytes as they are written.
  /// - Throws: `representationFailed` and the like when the item cannot be made, `peerGone` when the reader has left,
  ///   `cancelled` when the task is. The stream has then failed for good: the reader is told, every later call throws.
  public func write(_ provider: ItemProvider, progress: ItemProgress? = nil) async throws(DropStreamError) {
    do throws(DropStreamError) {
      try await turns.wait()
      defer { turns.pass() }
      try checkOpen()
      try await writeItem(provider, progress)
    } catch {
      // One that was cancelled while it waited would be missing: that is a failure of the stream like any other.
      if case .open = state { state = .failed(error) }
      throw error
    }
  }

  private func writeItem(_ provider: ItemProvider, _ progress: ItemProgress?) async throws(DropStreamError) {
    let representations = provider.representations(visibleTo: audience)
    try checkOffer(of: representations)
    let offer = DropOffer(
      suggestedName: provider.suggestedName.flatMap { $0.isEmpty ? nil : $0 },
      representations: representations.map {
        .init(
          typeIdentifier: $0.contentType.identifier, byteCount: $0.size.promised.flatMap(UInt64.init(exactly:)),
          supertypes: $0.supertypesToState.prefix(Self.readersLimits.supertypes).map(\.identifier))
      })
    encoder.appendOffer(offer, to: &buffer)
    for representation in representations {
      try await writeContent(of: representation, progress)
      try await flush(ifLongerThan: chunkLength)
    }
    // The stream may have been ended meanwhile, by a scope that did not wait for this task.
    try checkOpen()
    encoder.appendEndOfItem(representationCount: UInt32(representations.count), to: &buffer)
    try await flush(ifLongerThan: chunkLength)
    progress?.finish()
  }

  /// Refuses here what every reader would refuse there.
  private func checkOffer(of representations: [ItemRepresentation]) throws(DropStreamError) {
    let limits = Self.readersLimits
    guard (1...limits.representations).contains(representations.count) else {
      throw DropStreamError(.representationFailed, "an item with \(representations.count) representations")
    }
    for type in representations.map(\.contentType.identifier)
    where !DropOffer.isReadable(typeIdentifier: type) || type.utf8.count > limits.typeIdentifierBytes {
      throw DropStreamError(.representationFailed, "\"\(type.escapedForDisplay())\" cannot stand for a type")
    }
  }

  private func writeContent(
    of representation: ItemRepresentation, _ progress: ItemProgress?
  ) async throws(DropStreamError) {
    let promised = representation.size.promised.flatMap(UInt64.init(exactly:))
    let content: ItemContent
    do throws(ItemProviderError) {
      content = try await representation.portableContent(progress: ItemProgress())
    } catch {
      throw DropStreamError(error)
    }
    switch content {
    case .data(let data):
      if let promised, promised != UInt64(data.count) {
        throw DropStreamError(
          .sourceChanged, "\(representation.contentType) has \(data.count) bytes where \(promised) were promised")
      }
      try await write(data, progress)
    case .file(let sent):
      try await write(fileAt: sent.file.path, promised: promised, progress)
    case .stream:
      try await write(representation.stream(of: content, progress: ItemProgress()), progress)
    }
  }

  private func write(_ chunks: ItemByteStream, _ progress: ItemProgress?) async throws(DropStreamError) {
    var chunks = chunks.makeAsyncIterator()
    var count: UInt64 = 0
    while let chunk = try await Self.next(of: &chunks) {
      var rest = chunk[...]
      while !rest.isEmpty {
        let piece = rest.prefix(chunkLength)
        piece.withUnsafeBytes { encoder.appendData($0, whole: false, to: &buffer) }
        rest = rest.dropFirst(piece.count)
        try await flush(ifLongerThan: chunkLength)
      }
      count += UInt64(chunk.count)
      progress?.advance(by: Int64(chunk.count))
    }
    encoder.appendEndOfRepresentation(byteCount: count, to: &buffer)
  }

  private static func next(of chunks: inout ItemByteStream.Iterator) async throws(DropStreamError) -> Data? {
    do throws(ItemProviderError) {
      return try await chunks.next()
    } catch {
      throw DropStreamError(error)
    }
  }

  private func write(_ data: Data, _ progress: ItemProgress?) async throws(DropStreamError) {
    if data.count <= chunkLength {
      data.withUnsafeBytes { encoder.appendData($0, whole: true, to: &buffer) }
      progress?.advance(by: Int64(data.count))
      return
    }
    var rest = data[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(chunkLength)
      chunk.withUnsafeBytes { encoder.appendData($0, whole: false, to: &buffer) }
      rest = rest.dropFirst(chunk.count)
      try await flush(ifLongerThan: 0)
      progress?.advance(by: Int64(chunk.count))
    }
    encoder.appendEndOfRepresentation(byteCount: UInt64(data.count), to: &buffer)
  }

  private func write(fileAt path: String, promised: UInt64?, _ progress: ItemProgress?) async throws(DropStreamError) {
    let outcome = try await onLane { [encoder, buffer, chunkLength] lane throws(DropStreamError) in
      await lane.sendFile(
        path, promised: promised, chunkLength: chunkLength, encoder: encoder, after: buffer, progress: progress)
    }
    encoder = outcome.encoder
    buffer = outcome.buffer
    _ = try outcome.byteCount.get()
  }

  /// Writes what has gathered, if it is enough to be worth it.
  private func flush(ifLongerThan length: Int) async throws(DropStreamError) {
    guard buffer.count > length else { return }
    let full = buffer
    buffer = []
    buffer = try await onLane { lane throws(DropStreamError) in try await lane.write(full) }
  }

  private func onLane<Value: Sendable>(
    _ body: (OutputLane) async throws(DropStreamError) -> Value
  ) async throws(DropStreamError) -> Value {
    try await lane.interrupt.raisedOnCancellation { () async throws(DropStreamError) in try await body(lane) }
  }

  private func checkOpen() throws(DropStreamError) {
    switch state {
    case .open: if Task.isCancelled { throw .cancelled }
    case .failed(let error):
      throw DropStreamError(.closed, "the stream has failed: \(error.reason)", underlyingError: error)
    case .finished: throw DropStreamError(.closed, "the stream has ended")
    }
  }

  /// Writes the end of the stream and closes.
  func finish() async throws(DropStreamError) {
    try await turns.wait()
    defer { turns.pass() }
    do throws(DropStreamError) {
      // A failure that the body has swallowed must not end as a whole stream.
      if case .failed(let error) = state { throw error }
      try checkOpen()
      encoder.appendEndOfStream(to: &buffer)
      isEndWritten = true
      try await flush(ifLongerThan: 0)
      try await lane.close()
      state = .finished
    } catch {
      if case .open = state { state = .failed(error) }
      throw error
    }
  }

  /// Tells the reader that this stream will not be whole, and closes.
  func fail(_ error: any Error) async {
    if case .finished = state { return }
    let cause: any Error = if case .failed(let first) = state { first } else { error }
    state = .failed(cause as? DropStreamError ?? DropStreamError(.closed, "\(cause)", underlyingError: cause))
    // A task that nobody waited for may still be at it: it stops, and its half of a frame is where the stream is cut.
    lane.interrupt.raise()
    if turns.tryTake() {
      await writeLastWords(about: cause)
      turns.pass()
    }
    buffer = []
    // There is an error already; another would add nothing.
    try? await lane.close()
  }

  private func writeLastWords(about cause: any Error) async {
    let code = (cause as? DropStreamError)?.code
    // Behind half an end there is room for the other half only, and nobody hears a word who has gone.
    guard !isEndWritten, code != .peerGone else { return }
    let isCancelled = cause is CancellationError || code == .cancelled
    let failure = SenderFailure(kind: isCancelled ? .cancelled : .failed, reason: isCancelled ? "" : "\(cause)")
    encoder.appendFailure(failure, to: &buffer)
    await lane.writeLastWords(buffer)
  }
}

extension DropStreamError {
  /// What a representation that cannot be made is to the stream.
  fileprivate init(_ error: ItemProviderError) {
    switch error.code {
    case .cancelled: self = .cancelled
    case .wrongSize: self.init(.sourceChanged, "\(error)", underlyingError: error)
    default: self.init(.representationFailed, "\(error)", underlyingError: error)
    }
  }
}
