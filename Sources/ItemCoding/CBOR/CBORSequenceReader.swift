// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials

/// A decoder of a CBOR sequence (RFC 8742) that arrives in chunks.
///
/// Each value is available as soon as it is complete.
///
/// A sequence is any number of data items one after another, as ``CBOREncoder/encode(sequence:)`` writes them. The
/// reader stores at most one item and one chunk, and a limit bounds the length of the item.
///
/// ```swift
/// var reader = CBORSequenceReader<Hero>()
/// while let chunk = readChunk() {
///   reader.append(chunk)
///   while let hero = try reader.next() { show(hero) }
/// }
/// reader.finish()
/// while let hero = try reader.next() { show(hero) }
/// ```
///
/// For asynchronous chunks, use ``values(in:decoder:limits:)``.
public struct CBORSequenceReader<Value: Decodable>: Sendable {
  private let decoder: CBORDecoder
  private var items: CBORItemReader

  /// Creates a reader at the start of a sequence.
  ///
  /// - Parameters:
  ///   - decoder: The decoder of the values. Its limits also bound the depth of arrays and maps.
  ///   - limits: The limits of the sequence.
  public init(decoder: CBORDecoder = CBORDecoder(), limits: CBORSequenceLimits = CBORSequenceLimits()) {
    self.decoder = decoder
    items = CBORItemReader(maximumDepth: decoder.limits.depth, limits: limits)
  }

  /// The number of bytes that the reader stores.
  var retainedByteCount: Int { items.retainedByteCount }

  /// Appends the next bytes of the sequence, which may end anywhere.
  ///
  /// Call ``next()`` until it returns `nil` before you append the next chunk. Otherwise the reader stores all chunks.
  ///
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ bytes: Data) {
    items.append(bytes)
  }

  /// Marks the end of the sequence, so that ``next()`` can detect truncation.
  public mutating func finish() {
    items.finish()
  }

  /// Returns the next value.
  ///
  /// `nil` means that more bytes are needed or, after ``finish()``, that the sequence has ended.
  ///
  /// After a value that cannot be decoded, the next call continues with the next value. Malformed or truncated bytes,
  /// or an exceeded limit, end the sequence: each further call throws the same error.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if the error ends the sequence, and otherwise an error of
  ///   ``CBORDecoder/decode(_:from:)``. Offsets in errors are relative to the start of the sequence.
  public mutating func next() throws -> Value? {
    guard let item = try items.next() else { return nil }
    return try decoder.decode(Value.self, from: item, at: items.offset - item.count)
  }

  /// Returns the values of a sequence whose chunks arrive over time.
  ///
  /// The result can be iterated once.
  ///
  /// ```swift
  /// for try await hero in CBORSequenceReader<Hero>.values(in: chunks) { show(hero) }
  /// ```
  ///
  /// The sequence throws the errors of ``next()`` and of `chunks`, and ends with the first error. If its task is
  /// cancelled, it throws `CancellationError`.
  ///
  /// - Parameters:
  ///   - chunks: The bytes of the sequence, in pieces of any length.
  ///   - decoder: The decoder of the values.
  ///   - limits: The limits of the sequence.
  /// - Returns: A sequence that requests no more chunks than its next value needs.
  public static func values<Chunks: AsyncSequence & Sendable>(
    in chunks: Chunks, decoder: CBORDecoder = CBORDecoder(), limits: CBORSequenceLimits = CBORSequenceLimits()
  ) -> some AsyncSequence<Value, any Error> & Sendable where Chunks.Element == Data {
    ReaderSequence(chunks: chunks, reader: CBORSequenceReader(decoder: decoder, limits: limits))
  }
}

extension CBORSequenceReader: ChunkedReader {}

/// The limits of a reader of CBOR sequences.
///
/// The reader stores only one item and the bytes that were appended and not yet read, however long the sequence is.
public struct CBORSequenceLimits: Sendable, Hashable {
  /// The maximum length of one item in bytes; 16 777 216 (16 MiB) by default.
  ///
  /// The reader refuses a longer item as soon as the headers that have arrived show that the item exceeds the limit.
  public var itemBytes: Int

  /// Creates limits.
  public init(itemBytes: Int = 16 << 20) {
    self.itemBytes = itemBytes
  }

  /// No limits, for trusted data only: other input can exhaust the memory.
  public static let unlimited = CBORSequenceLimits(itemBytes: .max)
}

/// A reader that splits a CBOR sequence, which arrives in chunks, into well-formed items.
package struct CBORItemReader: Sendable {
  private var scanner: CBORItemScanner
  private var queue = CBORChunkQueue()
  private var isFinished = false
  /// The fault that ended the sequence.
  private var fault: CBORFault?

  package init(maximumDepth: Int, limits: CBORSequenceLimits) {
    scanner = CBORItemScanner(maximumDepth: maximumDepth, maximumLength: limits.itemBytes)
  }

  /// The number of bytes that the reader stores.
  var retainedByteCount: Int { queue.retainedByteCount }

  /// The number of bytes that were scanned.
  ///
  /// After ``next()`` has returned an item, this is the end of the item.
  package var offset: Int { scanner.offset }

  /// Appends the next bytes of the sequence, which may end anywhere.
  ///
  /// - Precondition: ``finish()`` has not been called.
  package mutating func append(_ bytes: Data) {
    precondition(!isFinished, "bytes appended after the end of a CBOR sequence")
    // After a fault, the bytes are not needed.
    guard fault == nil else { return }
    queue.append(bytes)
  }

  /// Marks the end of the sequence.
  package mutating func finish() {
    isFinished = true
  }

  /// Returns the bytes of the next item.
  ///
  /// `nil` means that more bytes are needed or, after ``finish()``, that the sequence has ended.
  ///
  /// - Throws: `DecodingError.dataCorrupted`. Further calls throw the same error.
  package mutating func next() throws(DecodingError) -> Data? {
    if let fault { throw fault.corruption() }
    do throws(CBORFault) {
      if let item = try queue.nextItem(&scanner) { return item }
      guard isFinished, scanner.isInItem else { return nil }
      throw CBORFault(
        .truncated, at: scanner.offset, "the sequence ends within the item that begins at byte \(scanner.itemStart)")
    } catch {
      fault = error
      queue = CBORChunkQueue()
      throw error.corruption()
    }
  }
}

/// The unread chunks of a sequence, and the beginning of an item from earlier chunks.
///
/// An item within one chunk is a slice of the chunk. Other items are copied once.
struct CBORChunkQueue: Sendable {
  /// The current chunk.
  private var chunk = Data()
  /// The position in the chunk at which the current item begins; 0 if it began in an earlier chunk.
  private var itemPosition = 0
  /// The position in the chunk of the next byte to read.
  private var position = 0

  /// The next chunks.
  private var waiting = FIFOQueue<Data>()

  /// The beginning of the current item, from earlier chunks.
  private var carried = Data()

  /// The number of bytes that the queue stores, read or not.
  var retainedByteCount: Int {
    carried.count + chunk.count + waiting.elements.reduce(0) { $0 + $1.count }
  }

  mutating func append(_ bytes: Data) {
    guard !bytes.isEmpty else { return }
    if chunk.isEmpty {
      chunk = bytes
    } else {
      waiting.append(bytes)
    }
  }

  /// Moves `scanner` to the end of the next item and returns the item; `nil` if it is incomplete.
  mutating func nextItem(_ scanner: inout CBORItemScanner) throws(CBORFault) -> Data? {
    while !chunk.isEmpty {
      if try advance(&scanner) {
        let inChunk = chunk.dropFirst(itemPosition).prefix(position - itemPosition)
        itemPosition = position
        var item = carried
        carried = Data()
        guard !item.isEmpty else { return inChunk }
        item.append(inChunk)
        return item
      }
      carried.append(chunk.dropFirst(itemPosition))
      beginNextChunk()
    }
    return nil
  }

  private mutating func advance(_ scanner: inout CBORItemScanner) throws(CBORFault) -> Bool {
    var position = self.position
    // The closure of `Data` cannot throw a typed error.
    let result = chunk.withUnsafeBytes { bytes -> Result<Bool, CBORFault> in
      do throws(CBORFault) {
        return .success(try scanner.advance(over: bytes, from: &position))
      } catch {
        return .failure(error)
      }
    }
    self.position = position
    return try result.get()
  }

  private mutating func beginNextChunk() {
    chunk = waiting.popFirst() ?? Data()
    itemPosition = 0
    position = 0
  }
}

/// A scanner that finds the ends of items in bytes that arrive in pieces, and rejects malformed items.
///
/// The scanner reads each byte once. Between pieces it stores a level for each open array and map, and a truncated
/// header.
struct CBORItemScanner: Sendable {
  /// An array or map that is not complete.
  private struct Level {
    let major: CBORMajorType
    /// The number of items left; `nil` if a break ends them.
    var left: UInt64?
    /// Whether the value of a key is missing, so that a break is not allowed.
    var awaitsValue = false
  }

  /// The maximum depth of nested arrays and maps.
  private let maximumDepth: Int
  /// The maximum length of an item in bytes.
  private let maximumLength: Int

  /// The number of bytes of all items that were scanned.
  private(set) var offset = 0
  /// The offset of the current item, or of the next item if none has begun.
  private(set) var itemStart = 0

  private var open: [Level] = []
  /// The number of bytes left in a string.
  private var stringLeft = 0
  /// The kind of the string whose chunks are being scanned.
  private var chunkMajor: CBORMajorType?
  /// Whether the last header was a tag, after which an item must follow.
  private var isTagged = false
  /// The beginning of a truncated header.
  private var head: [UInt8] = []

  init(maximumDepth: Int, maximumLength: Int) {
    self.maximumDepth = maximumDepth
    self.maximumLength = max(0, maximumLength)
  }

  /// Whether an item has begun and not ended.
  var isInItem: Bool { offset > itemStart }

  /// Scans `bytes` from `position` to the end of the item, or to the end of the bytes.
  ///
  /// - Returns: Whether an item ended at `position`.
  /// - Throws: A fault whose offset is relative to the start of the first item. The scanner cannot be used afterwards.
  mutating func advance(over bytes: UnsafeRawBufferPointer, from position: inout Int) throws(CBORFault) -> Bool {
    guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return false }
    let input = CBORInput(base: base, count: bytes.count, acceptsLongArguments: true)
    while position < input.count {
      if stringLeft > 0 {
        let length = min(stringLeft, input.count - position)
        position += length
        offset += length
        stringLeft -= length
        guard stringLeft == 0, chunkMajor == nil else { continue }
        if endItem() { return true }
        continue
      }
      let start = offset - head.count
      guard let header = try header(in: input, &position) else { return false }
      if try take(header, at: start) { return true }
    }
    return false
  }

  // MARK: Headers

  /// Returns the next header; `nil` if more bytes are needed.
  private mutating func header(in input: CBORInput, _ position: inout Int) throws(CBORFault) -> CBORHeader? {
    let start = position
    let left = input.count - position
    if head.isEmpty {
      if left >= CBORHeader.length(input.base[position]) {
        let header = try Self.header(in: input, &position, start: offset)
        offset += position - start
        return header
      }
    }
    let length = CBORHeader.length(head.first ?? input.base[position])
    let taken = min(length - head.count, left)
    head.append(contentsOf: UnsafeBufferPointer(start: input.base + position, count: taken))
    position += taken
    offset += taken
    guard head.count == length else { return nil }
    let headStart = offset - length
    // The closure of `Array` cannot throw a typed error.
    let result = head.withUnsafeBufferPointer { bytes -> Result<CBORHeader?, CBORFault> in
      guard let base = bytes.baseAddress else { return .success(nil) }
      let input = CBORInput(base: base, count: bytes.count, acceptsLongArguments: true)
      var position = 0
      do throws(CBORFault) {
        return .success(try Self.header(in: input, &position, start: headStart))
      } catch {
        return .failure(error)
      }
    }
    head.removeAll(keepingCapacity: true)
    return try result.get()
  }

  /// Returns the header at `position`, which is at offset `start` of the sequence.
  @inline(__always)
  private static func header(
    in input: CBORInput, _ position: inout Int, start: Int
  ) throws(CBORFault) -> CBORHeader {
    let shift = start - position
    do throws(CBORFault) {
      return try input.header(&position)
    } catch {
      throw CBORFault(error.kind, at: error.offset + shift, error.text)
    }
  }

  /// Processes the header that began at `start`, and returns whether the header ends the item.
  private mutating func take(_ header: CBORHeader, at start: Int) throws(CBORFault) -> Bool {
    try expectRoom(0)
    if let chunkMajor { return try takeChunk(header, of: chunkMajor, at: start) }
    if header.isBreak { return try takeBreak(at: start) }
    isTagged = header.major == .tag
    switch header.major {
    case .unsignedInteger, .negativeInteger, .simple:
      return endItem()
    case .tag:
      return false
    case .byteString, .textString:
      if header.isIndefinite {
        chunkMajor = header.major
        return false
      }
      try expectRoom(header.argument)
      stringLeft = Int(header.argument)
      return stringLeft == 0 && endItem()
    case .array, .map:
      return try takeContainer(header, at: start)
    }
  }

  private mutating func takeContainer(_ header: CBORHeader, at start: Int) throws(CBORFault) -> Bool {
    guard open.count < maximumDepth else {
      throw CBORFault(.limit, at: start, "more than \(maximumDepth) nested maps and arrays")
    }
    if header.isIndefinite {
      open.append(Level(major: header.major, left: nil))
      return false
    }
    let (count, overflow) = header.argument.multipliedReportingOverflow(by: header.major == .map ? 2 : 1)
    // Each item takes at least one byte.
    try expectRoom(overflow ? .max : count)
    guard count > 0 else { return endItem() }
    open.append(Level(major: header.major, left: count))
    return false
  }

  private mutating func takeChunk(
    _ header: CBORHeader, of major: CBORMajorType, at start: Int
  ) throws(CBORFault) -> Bool {
    if header.isBreak {
      chunkMajor = nil
      return endItem()
    }
    guard header.major == major, !header.isIndefinite else {
      throw CBORFault(at: start, "\(header.name) as a chunk of a string of another kind")
    }
    try expectRoom(header.argument)
    stringLeft = Int(header.argument)
    return false
  }

  private mutating func takeBreak(at start: Int) throws(CBORFault) -> Bool {
    guard let level = open.last, level.left == nil, !level.awaitsValue, !isTagged else {
      throw CBORInput.misplacedBreak(start)
    }
    open.removeLast()
    return endItem()
  }

  // MARK: Ends

  /// Ends the containers that end with the last item, and returns whether the outermost one has ended.
  private mutating func endItem() -> Bool {
    while let last = open.indices.last {
      guard let left = open[last].left else {
        if open[last].major == .map { open[last].awaitsValue.toggle() }
        return false
      }
      if left > 1 {
        open[last].left = left - 1
        return false
      }
      open.removeLast()
    }
    itemStart = offset
    return true
  }

  /// Throws if the current item exceeds the maximum length with `count` more bytes.
  @inline(__always)
  private func expectRoom(_ count: UInt64) throws(CBORFault) {
    let room = maximumLength - (offset - itemStart)
    guard room < 0 || count > UInt64(room) else { return }
    throw CBORFault(.limit, at: itemStart, "an item longer than \(maximumLength) bytes")
  }
}

extension CBORHeader {
  /// Returns the length of a header whose first byte is `initialByte`.
  fileprivate static func length(_ initialByte: UInt8) -> Int {
    let additional = initialByte & 31
    return (24...27).contains(additional) ? 1 + 1 << Int(additional - 24) : 1
  }
}
