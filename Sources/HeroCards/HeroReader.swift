// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import ItemCoding

/// A reader of heroes from JSON that arrives in chunks; each hero is available once its last byte has arrived.
///
/// The text may be an array of heroes, a single hero, or the envelope of a catalogue. Several of these may follow each
/// other, as in JSON Lines. An envelope is an object with the array of heroes at the path `data.results`; the reader
/// skips everything else in the envelope. An initial byte order mark is skipped.
///
/// Memory is bounded regardless of the length of the text: the reader buffers one chunk, and one hero or the start of
/// one envelope. The limits bound the hero and the start of the envelope.
///
/// ```swift
/// var reader = HeroReader()
/// while let chunk = readChunk() {
///   reader.append(chunk)
///   while let hero = try reader.next() { show(hero) }
/// }
/// reader.finish()
/// while let hero = try reader.next() { show(hero) }
/// ```
///
/// For asynchronous chunks, use ``heroes(in:limits:)``.
public struct HeroReader: Sendable {
  private var reader: JSONElementReader<Hero>

  /// Creates a reader at the start of a text.
  ///
  /// - Parameter limits: The limits of the text.
  public init(limits: HeroCardLimits = HeroCardLimits()) {
    reader = JSONElementReader(limits: limits)
  }

  /// The number of buffered bytes.
  var retainedByteCount: Int { reader.retainedByteCount }

  /// Appends the next bytes of the text, which may be split at any byte.
  ///
  /// Call ``next()`` until it returns `nil` before you append the next chunk. Otherwise the reader stores all chunks.
  ///
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ bytes: Data) {
    reader.append(bytes)
  }

  /// Marks the end of the text, so that ``next()`` can detect truncation.
  public mutating func finish() {
    reader.finish()
  }

  /// Returns the next hero; `nil` if more bytes are needed or, after ``finish()``, at the end.
  ///
  /// If a hero cannot be decoded, the call throws, and the next call continues after that hero. Invalid JSON,
  /// truncation and exceeded limits end the text: every further call throws the same error.
  ///
  /// - Throws: ``HeroCardError/Code/malformed``, ``HeroCardError/Code/truncated``, ``HeroCardError/Code/empty`` or
  ///   ``HeroCardError/Code/limitExceeded`` for the text. ``HeroCardError/Code/invalidValue`` or
  ///   ``HeroCardError/Code/notHeroes`` for an element.
  public mutating func next() throws(HeroCardError) -> Hero? {
    try reader.next()
  }

  /// Returns all heroes of a complete text.
  ///
  /// - Throws: The errors of ``next()``, at the first fault.
  public static func heroes(
    from bytes: Data, limits: HeroCardLimits = HeroCardLimits()
  ) throws(HeroCardError) -> [Hero] {
    try JSONElementReader<Hero>.values(in: bytes, limits: limits)
  }

  /// Returns the heroes of a text whose chunks arrive over time, as a single-pass sequence.
  ///
  /// ```swift
  /// for try await hero in HeroReader.heroes(in: chunks) { show(hero) }
  /// ```
  ///
  /// The sequence throws the errors of ``next()`` and of `chunks`, and ends with the first error. If its task is
  /// cancelled, it throws `CancellationError`.
  public static func heroes<Chunks: AsyncSequence & Sendable>(
    in chunks: Chunks, limits: HeroCardLimits = HeroCardLimits()
  ) -> some AsyncSequence<Hero, any Error> & Sendable where Chunks.Element == Data {
    ReaderSequence(chunks: chunks, reader: HeroReader(limits: limits))
  }
}

extension HeroReader: ChunkedReader {}

extension Hero: JSONElementDecodable {
  static let layout = JSONElementLayout(route: ["data", "results"], mismatch: .notHeroes)

  static func decode(in keys: [String], from source: inout some JSONElementSource) throws -> Hero {
    try source.decode(Hero.self)
  }
}
