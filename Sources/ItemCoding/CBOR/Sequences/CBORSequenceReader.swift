// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Reads a CBOR sequence (RFC 8742) that arrives in chunks, each value as soon as its last byte is there.
///
/// A sequence is any number of data items one after another, as ``CBOREncoder/encode(sequence:)`` writes them. However
/// long it is, no more is kept than one item and one chunk, and limits bound the former.
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
/// Where chunks arrive over time, ``values(in:decoder:limits:)`` does all of this.
public struct CBORSequenceReader<Value: Decodable>: Sendable {
  private let decoder: CBORDecoder
  private var items: CBORItemReader

  /// Starts at the beginning of a sequence.
  ///
  /// - Parameters:
  ///   - decoder: Reads the single values. How deep arrays and maps may be within one another is up to its limits too.
  ///   - limits: What to give up at.
  public init(decoder: CBORDecoder = CBORDecoder(), limits: CBORSequenceLimits = CBORSequenceLimits()) {
    self.decoder = decoder
    items = CBORItemReader(maximumDepth: decoder.limits.depth, limits: limits)
  }

  /// How many bytes are held at this moment.
  var retainedByteCount: Int { items.retainedByteCount }

  /// Hands over the next bytes of the sequence, cut anywhere.
  ///
  /// Take out values with ``next()`` before the next chunk is appended, or chunks pile up.
  ///
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ bytes: Data) {
    items.append(bytes)
  }

  /// Says that there are no more bytes, so that ``next()`` can tell an end from a cut.
  public mutating func finish() {
    items.finish()
  }

  /// The next value; `nil` means that more bytes are needed or, after ``finish()``, that this was all.
  ///
  /// A value that cannot be decoded is one error, and the next call goes on behind it. Bytes that are not well-formed,
  /// are cut, or go beyond a limit end the reading: each further call throws the same again.
  ///
  /// - Throws: `DecodingError`, `dataCorrupted` where the reading ends and what ``CBORDecoder/decode(_:from:)`` throws
  ///   else. Its description begins with the byte, counted from the start of the sequence.
  public mutating func next() throws -> Value? {
    guard let item = try items.next() else { return nil }
    return try decoder.decode(Value.self, from: item, at: items.offset - item.count)
  }

  /// The values of a sequence whose chunks arrive over time, to be gone through once.
  ///
  /// ```swift
  /// for try await hero in CBORSequenceReader<Hero>.values(in: chunks) { show(hero) }
  /// ```
  ///
  /// The sequence throws what ``next()`` and `chunks` throw, and ends with the first error. When its task is
  /// cancelled it throws `CancellationError`.
  ///
  /// - Parameters:
  ///   - chunks: The bytes of the sequence, cut anywhere.
  ///   - decoder: Reads the single values.
  ///   - limits: What to give up at.
  /// - Returns: A sequence that asks for no more chunks than its next value needs.
  public static func values<Chunks: AsyncSequence & Sendable>(
    in chunks: Chunks, decoder: CBORDecoder = CBORDecoder(), limits: CBORSequenceLimits = CBORSequenceLimits()
  ) -> some AsyncSequence<Value, any Error> & Sendable where Chunks.Element == Data {
    ReaderSequence(chunks: chunks, reader: CBORSequenceReader(decoder: decoder, limits: limits))
  }
}

extension CBORSequenceReader: ChunkedReader {}
