// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import ItemCoding

/// Reads heroes from JSON that arrives in chunks, each hero as soon as its last byte is there.
///
/// The text may be an array of heroes, a single hero, the envelope of a catalogue (an object whose `data` is an object
/// whose `results` is the array; what else it holds is skipped), or any number of these one after another, as in JSON
/// lines. A byte order mark at the start is skipped.
///
/// However long the text is, no more is kept than one hero and one chunk, and limits bound the former.
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
/// Where chunks arrive over time, ``heroes(in:limits:)`` does all of this.
public struct HeroReader: Sendable {
  private var reader: JSONElementReader<Hero>

  /// Starts at the beginning of a text.
  ///
  /// - Parameter limits: What to give up at.
  public init(limits: HeroCardLimits = HeroCardLimits()) {
    reader = JSONElementReader(limits: limits)
  }

  /// How many bytes are held at this moment.
  var retainedByteCount: Int { reader.retainedByteCount }

  /// Hands over the next bytes of the text, cut anywhere.
  ///
  /// Take out heroes with ``next()`` before the next chunk is appended, or chunks pile up.
  ///
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ bytes: Data) {
    reader.append(bytes)
  }

  /// Says that there are no more bytes, so that ``next()`` can tell an end from a cut.
  public mutating func finish() {
    reader.finish()
  }

  /// The next hero; `nil` means that more bytes are needed or, after ``finish()``, that this was all.
  ///
  /// A hero that cannot be decoded is one error, and the next call goes on behind it. Text that is no JSON, is cut, or
  /// goes beyond a limit ends the reading: each further call throws the same again.
  ///
  /// - Throws: ``HeroCardError/Code/malformed``, ``HeroCardError/Code/truncated``, ``HeroCardError/Code/empty`` or
  ///   ``HeroCardError/Code/limitExceeded`` for the text, ``HeroCardError/Code/invalidValue`` or
  ///   ``HeroCardError/Code/notHeroes`` for what is in it.
  public mutating func next() throws(HeroCardError) -> Hero? {
    try reader.next()
  }

  /// All heroes of a text that is already there as a whole.
  ///
  /// - Throws: What ``next()`` throws, at the first fault.
  public static func heroes(
    from bytes: Data, limits: HeroCardLimits = HeroCardLimits()
  ) throws(HeroCardError) -> [Hero] {
    try HeroReader(limits: limits).all(in: bytes)
  }

  /// The heroes of a text whose chunks arrive over time, to be gone through once.
  ///
  /// ```swift
  /// for try await hero in HeroReader.heroes(in: chunks) { show(hero) }
  /// ```
  ///
  /// The sequence throws what ``next()`` and `chunks` throw, and ends with the first error. When its task is
  /// cancelled it throws `CancellationError`.
  public static func heroes<Chunks: AsyncSequence & Sendable>(
    in chunks: Chunks, limits: HeroCardLimits = HeroCardLimits()
  ) -> some AsyncSequence<Hero, any Error> & Sendable where Chunks.Element == Data {
    ReaderSequence(chunks: chunks, reader: HeroReader(limits: limits))
  }
}

extension HeroReader: ChunkedReader {}

extension Hero: JSONElementDecodable {
  static let layout = JSONElementLayout(route: ["data", "results"], unfit: .notHeroes)

  static func decode(_ element: JSONElement, with decoder: JSONDecoder) throws -> Hero {
    try decoder.decode(Hero.self, from: element.bytes)
  }
}
