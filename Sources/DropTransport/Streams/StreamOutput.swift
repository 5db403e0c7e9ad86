// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// The output of a stream: the frame encoder, the output buffer, the index of a file, and the descriptor.
///
/// Methods named `append`, `begin`, `end` and `add` encode into the buffer and never block. `failContent`, `send`,
/// `flush`, `finish` and `abandon` may wait for a descriptor or the disk.
struct StreamOutput: ~Copyable {
  /// The state of a representation that is being written.
  private struct Content {
    /// The encoder before the content began.
    ///
    /// A file is reset to this state if the content fails.
    let encoder: FrameEncoder
    /// The length of the buffer before the content began.
    let bufferCount: Int
    /// The byte count of a single frame; `nil` if the content is sent in chunks.
    let frameByteCount: UInt64?
    /// The offset of the first frame of the content, after any padding.
    let offset: UInt64
    /// Whether the buffer was flushed after the content had begun.
    var isFlushed = false
  }

  /// The interrupt that ends a waiting call.
  let interrupt: Interrupt
  private let endpoint: DropEndpoint
  private let chunkLength: Int
  /// The maximum length of short content in bytes, which is buffered with other content and not aligned in a file.
  let shortLength: Int
  private let idleTimeout: Duration?
  /// The file that is published at the end; `nil` for other endpoints.
  private let staged: StagedOutput?
  private let formerFile: FileStatus?
  /// `nil` once the stream is closed.
  private var descriptor: StreamDescriptor?
  /// The regular file that the stream is written to; `nil` for other outputs.
  let file: FileStatus?
  private var encoder = FrameEncoder()
  /// Frames that are not written yet, and the rest of a frame whose write was interrupted.
  private var buffer: [UInt8] = []
  private var offer: OfferTemplate
  private var indexer: DropFileIndexer?
  private var content: Content?
  private var isEnded = false

  init(_ endpoint: DropEndpoint, _ options: DropStreamOptions) throws(DropStreamError) {
    let staged = try endpoint.staged()
    let owned = if let staged { try staged.open() } else { try endpoint.open(access: O_WRONLY) }
    let descriptor = try StreamDescriptor.open(owned, of: endpoint, access: O_WRONLY, idleTimeout: options.idleTimeout)
    self.endpoint = endpoint
    self.staged = staged
    formerFile = options.formerFile
    chunkLength = options.chunkLength
    shortLength = min(chunkLength, (64 << 10) - FrameHeader.length - FrameHeader.checkLength)
    idleTimeout = options.idleTimeout
    offer = OfferTemplate(limits: options.limits)
    interrupt = descriptor.interrupt
    let status = try? SystemCalls.status(descriptor.raw)
    file = status?.kind == .regular ? status : nil
    self.descriptor = consume descriptor
    if staged != nil || options.writesIndex { indexer = DropFileIndexer() }
    buffer.reserveCapacity(chunkLength + 4096)
    encoder.appendPreamble(to: &buffer)
  }

  /// Whether the buffer should be flushed.
  var isFull: Bool { buffer.count > shortLength }

  // MARK: Items

  /// Appends the offer of an item.
  ///
  /// - Throws: `representationFailed` if the reader would reject the offer.
  mutating func beginItem(
    _ representations: [ItemRepresentation], suggestedName: String?, attributes: ItemFileAttributes
  ) throws(DropStreamError) {
    try offer.fit(representations, suggestedName: suggestedName, folder: attributes.folder)
    indexer?.beginItem(at: encoder.offset, named: suggestedName)
    encoder.appendOffer(offer, suggestedName: suggestedName, attributes: attributes, to: &buffer)
  }

  /// Adds a representation to the counts and the index if it is an alias, which has no frames.
  ///
  /// - Returns: Whether the representation is an alias.
  mutating func addAlias(at index: Int) -> Bool {
    guard let original = offer.representations[index].alias else { return false }
    encoder.countAlias()
    indexer?.addAlias(of: original)
    return true
  }

  mutating func endItem(representationCount: Int) {
    encoder.appendEndOfItem(representationCount: UInt32(representationCount), to: &buffer)
    appendIndexPage(isLast: false)
  }

  /// Appends the current index page if it is full or the last page.
  private mutating func appendIndexPage(isLast: Bool) {
    guard let page = indexer?.endItem(isLast: isLast, at: encoder.offset) else { return }
    encoder.appendIndexPage(page, to: &buffer)
  }

  // MARK: Content

  /// Appends a representation as one frame.
  mutating func append(complete data: Data) {
    indexer?.addRepresentation(at: encoder.offset, byteCount: UInt64(data.count))
    data.withUnsafeBytes { encoder.appendData($0, whole: true, to: &buffer) }
  }

  /// Begins a representation.
  ///
  /// In a file, long content of known size is a single frame. Other content is sent in chunks.
  mutating func beginContent(byteCount: UInt64?) {
    let (before, count) = (encoder, buffer.count)
    let frameByteCount = staged == nil ? nil : byteCount.flatMap { $0 > UInt64(shortLength) ? $0 : nil }
    if let frameByteCount { encoder.beginWhole(byteCount: frameByteCount, to: &buffer) }
    content = Content(encoder: before, bufferCount: count, frameByteCount: frameByteCount, offset: encoder.offset)
  }

  /// Appends a piece of the content, at most a chunk.
  mutating func append(_ piece: Data) {
    piece.withUnsafeBytes { append($0) }
  }

  private mutating func append(_ piece: UnsafeRawBufferPointer) {
    if content?.frameByteCount == nil {
      encoder.appendData(piece, whole: false, to: &buffer)
    } else {
      encoder.extendWhole(piece)
      buffer.append(contentsOf: piece)
    }
  }

  /// Ends the representation.
  mutating func endContent() {
    guard let content else { return }
    let byteCount = encoder.counts.bytes - content.encoder.counts.bytes
    if let count = content.frameByteCount {
      encoder.endWhole(byteCount: count, to: &buffer)
    } else if byteCount == 0 {
      // Chunks are never empty; an empty representation is one complete frame.
      encoder.appendData(UnsafeRawBufferPointer(start: nil, count: 0), whole: true, to: &buffer)
    } else {
      encoder.appendEndOfRepresentation(byteCount: byteCount, to: &buffer)
    }
    close(content, byteCount: byteCount)
  }

  private mutating func close(_ content: Content, byteCount: UInt64) {
    indexer?.addRepresentation(at: content.offset, byteCount: byteCount)
    self.content = nil
  }

  /// Appends the failure of the representation that has begun, or that would be next.
  ///
  /// A file is first truncated to the start of the content, because a partial frame would corrupt the file.
  mutating func failContent(_ failure: SenderFailure) throws(DropStreamError) {
    if let content, staged != nil {
      encoder = content.encoder
      if content.isFlushed {
        buffer.removeAll(keepingCapacity: true)
        try mapError(descriptor?.truncate(to: encoder.offset)) { writeError($0) }
      } else {
        buffer.removeLast(buffer.count - content.bufferCount)
      }
    }
    content = nil
    indexer?.addRepresentation(at: encoder.offset, byteCount: DropFileIndex.Representation.failureByteCount)
    encoder.appendFailureOfRepresentation(failure, to: &buffer)
  }

  // MARK: Work that may block

  /// Writes bytes as pieces of the content.
  ///
  /// Each frame is encoded and written while it is in the processor's cache.
  mutating func send(_ data: Data, _ progress: ItemProgress?) throws(DropStreamError) {
    var rest = data[...]
    while !rest.isEmpty {
      let piece = rest.prefix(chunkLength)
      rest = rest.dropFirst(piece.count)
      try flush()
      append(piece)
      try flush()
      progress?.advance(by: Int64(piece.count))
    }
  }

  /// Writes a regular file, or another file that can be read to its end, as a representation.
  mutating func send(fileAt path: String, promised: UInt64?, _ progress: ItemProgress?) throws(DropStreamError) {
    var source = try FileSource.open(path, promised: promised, interrupt: interrupt, idleTimeout: idleTimeout)
    beginContent(byteCount: source.promised)
    var total: UInt64 = 0
    var isLast = false
    while !isLast {
      let hole = try source.skipHole()
      if hole > 0 {
        total += hole
        try source.check(total, isLast: false)
        try send(zeros: hole)
        progress?.advance(by: Int64(hole))
      }
      var count = try copyRange(of: &source, after: total)
      if count == 0 { (count, isLast) = try sendChunk(of: &source, after: total) }
      total += UInt64(count)
      progress?.advance(by: Int64(count))
    }
    if content != nil { endContent() }
  }

  /// Copies a part of the source to the file that is written.
  ///
  /// - Returns: The number of bytes; 0 if the kernel cannot copy them, and at the end of the source.
  private mutating func copyRange(of source: inout FileSource, after total: UInt64) throws(DropStreamError) -> Int {
    guard let whole = content?.frameByteCount, whole >= RangeCopy.leastByteCount, whole > total else { return 0 }
    if interrupt.hasBeenRaised { throw .cancelled }
    try flush()
    guard let output = descriptor?.raw, let copy = try source.copy(atMost: whole - total, to: output) else { return 0 }
    encoder.extendWhole(copy.crc, byteCount: copy.byteCount)
    return Int(copy.byteCount)
  }

  mutating func send(zeros count: UInt64) throws(DropStreamError) {
    if content?.frameByteCount == nil { return encoder.appendZeros(count, to: &buffer) }
    encoder.extendWhole(CRC32C(zeros: count), byteCount: count)
    try flush()
    if let raw = descriptor?.raw {
      _ = try mapError(SystemCalls.seek(raw, Int64(count), SEEK_CUR)) { writeError($0) }
    }
  }

  /// Reads a chunk into the buffer, encodes it there and flushes it.
  ///
  /// If the source ends within its first chunk, the chunk is one complete frame, which stays in the buffer.
  private mutating func sendChunk(
    of source: inout FileSource, after total: UInt64
  ) throws(DropStreamError) -> (count: Int, isLast: Bool) {
    let start = buffer.count
    let isChunk = content?.frameByteCount == nil
    if isChunk { encoder.beginChunk(in: &buffer) }
    let (count, isLast, offset): (Int, Bool, UInt64?)
    do throws(DropStreamError) {
      (count, isLast, offset) = try source.append(to: &buffer, atMost: chunkLength)
      try source.check(total + UInt64(count), isLast: isLast)
    } catch {
      buffer.removeLast(buffer.count - start)
      throw error
    }
    if !isChunk {
      buffer.withUnsafeBytes { encoder.extendWhole(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    } else if isLast, total == 0, let content {
      encoder.endChunk(from: start, whole: true, in: &buffer)
      close(content, byteCount: UInt64(count))
      return (count, isLast)
    } else if count == 0 {
      buffer.removeLast(buffer.count - start)
    } else {
      encoder.endChunk(from: start, whole: false, in: &buffer)
    }
    // Moved bytes change with the file until the peer reads them. So the last bytes are written: when the pipe has room
    // for all of them, no moved byte is left in it, and the check finds every change.
    if isChunk, count > 0, let offset, let promised = source.promised, let capacity = descriptor?.pipeCapacity,
      promised >= total + UInt64(count + capacity)
    {
      try move(count, of: source.file, at: offset, from: start + FrameHeader.length)
    }
    try flush()
    if isLast { try source.check(total + UInt64(count), isLast: true) }
    return (count, isLast)
  }

  /// Writes the start of the buffer, and moves the bytes that follow it from a file into the pipe.
  ///
  /// - Parameters:
  ///   - count: The number of these bytes. Without those of an incomplete page at their end, which stay in the buffer:
  ///     some kernels add the next write to the page of the file (CVE-2022-0847).
  ///   - file: The file.
  ///   - offset: The offset of the bytes in the file.
  ///   - start: Their index in the buffer.
  /// - Throws: The errors of ``flush(grace:)``.
  private mutating func move(_ count: Int, of file: CInt, at offset: UInt64, from start: Int) throws(DropStreamError) {
    let end = start + count - Int((offset + UInt64(count)) % UInt64(getpagesize()))
    content?.isFlushed = true
    var written = 0
    defer { buffer.removeFirst(written) }
    try descriptor?.write(buffer.span.extracting(first: start).bytes, from: &written)
    while written < end {
      let more = try descriptor?.moveSome(of: file, at: offset + UInt64(written - start), end - written) ?? 0
      if more == 0 { break }
      written += more
    }
  }

  /// Writes the buffer.
  ///
  /// - Parameter grace: The time that the write may take, during which interrupts are ignored. With `nil`, the idle
  ///   timeout applies, and an interrupt ends the write.
  /// - Throws: `closed`, `peerGone`, `timedOut`, `cancelled`, `systemCall`; the unwritten rest stays in the buffer.
  mutating func flush(grace: Duration? = nil) throws(DropStreamError) {
    if buffer.isEmpty { return }
    guard descriptor != nil else { throw DropStreamError(.closed, "the stream has ended") }
    content?.isFlushed = true
    var written = 0
    do throws(DropStreamError) {
      try descriptor?.write(buffer.span.bytes, from: &written, grace: grace)
    } catch {
      buffer.removeFirst(written)
      throw error
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes the end of the stream, closes the descriptor, and publishes a file under its name.
  mutating func finish() throws(DropStreamError) {
    appendIndexPage(isLast: true)
    if let names = indexer?.names() { encoder.appendIndexNames(names, to: &buffer) }
    if let footer = indexer?.end() { encoder.appendIndexFooter(footer, to: &buffer) }
    encoder.appendEndOfStream(to: &buffer)
    isEnded = true
    try flush()
    try close()
    try staged?.publish(like: formerFile)
  }

  /// Closes the descriptor and removes an unfinished file.
  ///
  /// - Parameter failure: Written as the final frame, if that is possible within half a second.
  mutating func abandon(_ failure: SenderFailure?) {
    // If the end frame was partly written, only its rest could follow.
    if let failure, !isEnded {
      encoder.appendFailure(failure, to: &buffer)
      // The stream has failed already, so an error of this write is ignored.
      try? flush(grace: .milliseconds(500))
    }
    buffer = []
    try? close()
    staged?.remove()
  }

  /// Closes the descriptor, so that the peer sees the end.
  ///
  /// - Throws: The error of an earlier write that the system reports late.
  private mutating func close() throws(DropStreamError) {
    endpoint.closeForPeer()
    guard let descriptor = descriptor.take() else { return }
    do throws(SystemError) { try descriptor.close() } catch { throw writeError(error) }
  }

  private func writeError(_ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot write to \(endpoint)", error)
  }
}
