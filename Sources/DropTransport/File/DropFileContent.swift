// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer

/// A reader of the frames of one representation in a file, piece by piece.
///
/// The pieces are verified when ``next()`` returns `nil`. Holes of the file are not read. All methods block.
struct DropFileContent {
  /// The maximum length of a read in bytes.
  static let pieceLength = 256 << 10
  private static let metadataLimit = UInt64(DropStreamLimits().metadataBytes)
  /// The maximum number of bytes in a request to a source that is not a file.
  static let fetchLength: UInt64 = 4 << 20

  private var handle: DropFileHandle
  /// The entry of the representation in the index.
  private let representation: DropFileIndex.Representation
  private var byteCount: UInt64 { representation.byteCount }
  private var frameOffset: UInt64
  /// The header of the frame that is being read.
  private var header: FrameHeader?
  /// The CRC of that frame so far.
  private var crc = CRC32C()
  /// The number of payload bytes of that frame that have not been read.
  private var remaining: UInt64 = 0
  /// The holes of that frame.
  private var holes = FileHoles(size: 0)
  /// The number of zeros of a run or of a hole that have not been returned.
  private var zeros: UInt64 = 0
  /// The number of bytes that have been returned.
  private var count: UInt64 = 0
  /// Whether all bytes have been returned and verified.
  private(set) var isOver = false

  init(_ handle: DropFileHandle, _ representation: DropFileIndex.Representation) {
    self.handle = handle
    self.representation = representation
    frameOffset = representation.offset
  }

  /// Returns a reader that continues at the same offset with another handle of the file.
  func read(by handle: DropFileHandle) -> DropFileContent {
    var content = self
    let rest = representation.isFailure ? 0 : min(byteCount - count, Self.fetchLength)
    content.handle = handle.fetching(rest + UInt64(2 * (FrameHeader.length + FrameHeader.checkLength)))
    return content
  }

  /// Continues after bytes that were already received; the checksum of the frame covers them too.
  ///
  /// - Returns: Whether the content is one frame that can contain them. If not, the reader must not be used.
  /// - Throws: The errors of ``next()``.
  mutating func skip(_ start: ReceivedStart) throws(DropStreamError) -> Bool {
    try beginFrame()
    guard let header, header.flags.contains(.whole), start.byteCount <= remaining else { return false }
    crc.update(start.crc, byteCount: start.byteCount)
    remaining -= start.byteCount
    count += start.byteCount
    return true
  }

  /// Returns the next bytes; `nil` at the verified end.
  ///
  /// - Throws: `damaged`, `truncated`, `systemCall`; the failure of the source if it could not load the representation.
  mutating func next() throws(DropStreamError) -> Data? {
    try nextRun(zerosAtMost: UInt64(ZeroBytes.maximumCount))?.chunk
  }

  /// Reads the next bytes, or a run of zeros.
  ///
  /// - Parameter limit: The maximum number of zeros in a run.
  /// - Returns: The run; `nil` at the verified end.
  /// - Throws: The errors of ``next()``.
  mutating func nextRun(zerosAtMost limit: UInt64) throws(DropStreamError) -> ContentRun? {
    while !isOver {
      if zeros > 0 {
        let run = min(zeros, limit)
        zeros -= run
        count += run
        return .zeros(run)
      }
      if header == nil { try beginFrame() }
      // An empty data frame still has a checksum, which `piece` verifies.
      guard header != nil else { continue }
      try skipHole()
      if zeros > 0 { continue }
      let bytes = try piece()
      if !bytes.isEmpty { return .bytes(bytes) }
    }
    return nil
  }

  /// Copies the next bytes of a long frame to the current offset of a file, within the kernel.
  ///
  /// - Returns: `nil` if ``next()`` must return the next bytes.
  /// - Throws: The errors of ``next()``.
  mutating func copy(to output: CInt) throws(DropStreamError) -> RangeCopy? {
    if header == nil, !isOver { try beginFrame() }
    guard remaining >= RangeCopy.leastByteCount, zeros == 0 else { return nil }
    try skipHole()
    let count = min(remaining, holes.dataLength(at: position))
    guard zeros == 0, let copy = handle.copy(count, at: position, to: output) else { return nil }
    crc.update(copy.crc, byteCount: copy.byteCount)
    remaining -= copy.byteCount
    self.count += copy.byteCount
    return copy
  }

  private mutating func beginFrame() throws(DropStreamError) {
    let (header, check) = try handle.headerAndCheck(at: frameOffset)
    switch header.type {
    // For a failure, the index states no byte count, so only a failure frame may be at this offset.
    case .data
    where !representation.isFailure && (header.flags.contains(.whole) ? count == 0 : header.payloadLength > 0):
      crc = check
      guard header.payloadLength <= byteCount - count else { throw wrongLength }
      remaining = header.payloadLength
      holes = handle.holes(in: header, at: frameOffset)
      self.header = header
    case .zeros where !representation.isFailure:
      zeros = try handle.zeros(at: frameOffset)
      guard zeros <= byteCount - count else { throw wrongLength }
      frameOffset += UInt64(FrameHeader.length + FrameHeader.checkLength) + header.payloadLength
    case .endOfRepresentation where count > 0:
      let payload = try handle.payload(of: .endOfRepresentation, at: frameOffset, limit: Self.metadataLimit)
      let fields = FieldReader(owner: "the end of a representation", frameOffset: frameOffset)
      guard try fields.leadingInteger(payload) == count else {
        throw DropStreamError(
          .damaged, "corrupt: the byte count at the end of a representation differs from its bytes", at: frameOffset)
      }
      try finish()
    case .failureOfRepresentation where representation.isFailure:
      let payload = try handle.payload(of: .failureOfRepresentation, at: frameOffset, limit: Self.metadataLimit)
      throw try SenderFailure(payload, frameOffset: frameOffset).errorOfRepresentation
    case let type where type.isAncillary && count > 0:
      // Ancillary frames between two chunks are not content.
      frameOffset += UInt64(FrameHeader.length + FrameHeader.checkLength) + header.payloadLength
    default:
      throw DropStreamError(
        .damaged, "corrupt: the index locates content at a frame of type \(header.type.rawValue)", at: frameOffset)
    }
  }

  /// The offset of the first byte of the frame's payload that has not been read.
  private var position: UInt64 {
    frameOffset + UInt64(FrameHeader.length) + (header?.payloadLength ?? 0) - remaining
  }

  /// Turns the hole at the current position into zeros.
  private mutating func skipHole() throws(DropStreamError) {
    zeros = try handle.hole(at: position, in: &holes)
    crc.update(zeros: zeros)
    remaining -= zeros
  }

  /// Returns the next bytes of a frame.
  ///
  /// The last bytes of a frame are read together with its checksum.
  private mutating func piece() throws(DropStreamError) -> Data {
    guard let header else { return Data() }
    let length = min(remaining, UInt64(Self.pieceLength), holes.dataLength(at: position))
    let isLast = length == remaining
    var bytes = try handle.bytes(at: position, count: Int(length) + (isLast ? FrameHeader.checkLength : 0))
    if isLast {
      try handle.expectCheck(atEndOf: &bytes, after: &crc, frameAt: frameOffset)
    } else {
      bytes.withUnsafeBytes { crc.update($0) }
    }
    remaining -= length
    count += length
    if isLast { try endFrame(header) }
    return Data(bytes)
  }

  /// Continues after a frame that was verified.
  private mutating func endFrame(_ header: FrameHeader) throws(DropStreamError) {
    self.header = nil
    frameOffset += UInt64(FrameHeader.length + FrameHeader.checkLength) + header.payloadLength
    if header.flags.contains(.whole) { try finish() }
  }

  private mutating func finish() throws(DropStreamError) {
    guard count == byteCount else { throw wrongLength }
    isOver = true
  }

  private var wrongLength: DropStreamError {
    DropStreamError(.damaged, "corrupt: the content does not have the \(byteCount) bytes of the index", at: frameOffset)
  }
}

/// The bytes of a representation in a file, read on demand.
struct DropFileChunks: AsyncSequence, Sendable {
  /// The maximum length in bytes of content that the calling task may read itself.
  ///
  /// A thread that may block reads longer content, so that the task does not occupy a thread of the cooperative pool.
  private static let shortLength: UInt64 = 64 << 10

  let handle: DropFileHandle
  let content: DropFileContent
  private let isShort: Bool

  init(_ handle: DropFileHandle, _ representation: DropFileIndex.Representation, rest: DropFileContent? = nil) {
    self.handle = handle
    isShort = representation.byteCount <= Self.shortLength
    content = rest ?? DropFileContent(handle, representation)
  }

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  struct Iterator: ContentRunIterator {
    private let handle: DropFileHandle
    private let isShort: Bool
    private var content: DropFileContent

    fileprivate init(_ chunks: DropFileChunks) {
      handle = chunks.handle
      isShort = chunks.isShort
      content = chunks.content
    }

    mutating func next() async throws -> Data? {
      try await nextRun(zerosAtMost: UInt64(ZeroBytes.maximumCount))?.chunk
    }

    /// Copies the next bytes of a long frame of a file within the kernel, and blocks.
    ///
    /// - Returns: `nil` if ``next()`` must return the next bytes.
    /// - Throws: The errors of ``next()``.
    mutating func copy(to output: CInt) throws(DropStreamError) -> RangeCopy? {
      handle.source == nil ? try content.copy(to: output) : nil
    }

    mutating func nextRun(isolation: isolated (any Actor)?) async throws -> ContentRun? {
      try await nextRun(zerosAtMost: UInt64(Int64.max))
    }

    private mutating func nextRun(
      zerosAtMost limit: UInt64, isolation: isolated (any Actor)? = #isolation
    ) async throws -> ContentRun? {
      if content.isOver { return nil }
      let work = { @Sendable [content] (handle: DropFileHandle) throws(DropStreamError) in
        var content = content.read(by: handle)
        let run = try content.nextRun(zerosAtMost: limit)
        return (content, run)
      }
      let next: DropFileContent
      let run: ContentRun?
      if isShort || handle.source != nil {
        (next, run) = try await handle.read(work)
      } else {
        (next, run) = try await runBlocking { [handle] () throws(DropStreamError) in try work(handle) }
      }
      content = next
      return run
    }
  }
}
