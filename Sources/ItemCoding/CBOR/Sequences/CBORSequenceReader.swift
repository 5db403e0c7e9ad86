// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
