// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import ItemCoding

/// A reader of heroes.
///
/// The text may be an array of heroes, a single hero, or the envelope of a catalogue. An envelope is an object with the
/// array of heroes at the path `data.results`; the reader skips everything else in the envelope.
public typealias HeroReader = HeroCardReader<Hero>

/// A reader of cards.
///
/// The text may be a board, an array of columns, an array of cards, a single column or a single card. An object with the
/// key `cards` is a column, an object with `columns` is a board, and an object with `content` is a card. Cards from a
/// column have its title in ``Card/column``.
public typealias CardReader = HeroCardReader<Card>

/// A reader of heroes or cards from JSON that arrives in chunks.
///
/// Each hero is available once its last byte has arrived, and each card once its column is complete. Several texts may
/// follow each other, as in JSON Lines. An initial byte order mark is skipped.
///
/// Memory is bounded regardless of the length of the text. The reader buffers one chunk and one element: a hero, a card,
/// a column, a board in an array, or the start of an envelope. The limits bound the element. A column is an element
/// because its title may follow its cards.
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
/// For asynchronous chunks, use ``heroes(in:limits:)`` or ``cards(in:limits:)``.
public struct HeroCardReader<Element: Sendable>: Sendable {
  private var scanner: JSONElementScanner
  /// Decodes an element and appends its heroes or cards to the array.
  private let decode: @Sendable (JSONElement, inout [Element]) throws -> Void
  /// The heroes or cards of the last element.
  private var batch: [Element] = []
  private var nextInBatch = 0

  init(
    layout: JSONElementLayout, limits: HeroCardLimits,
    decode: @escaping @Sendable (JSONElement, inout [Element]) throws -> Void
  ) {
    scanner = JSONElementScanner(layout: layout, limits: limits)
    self.decode = decode
  }

  /// The number of buffered bytes.
  var retainedByteCount: Int { scanner.retainedByteCount }

  /// Appends the next bytes of the text, which may be split at any byte.
  ///
  /// Call ``next()`` until it returns `nil` before you append the next chunk. Otherwise the reader stores all chunks.
  ///
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ bytes: Data) {
    scanner.append(bytes)
  }

  /// Marks the end of the text, so that ``next()`` can detect truncation.
  public mutating func finish() {
    scanner.finish()
  }

  /// Returns the next hero or card; `nil` if more bytes are needed or, after ``finish()``, at the end.
  ///
  /// If an element cannot be decoded, the call throws, and the next call continues after it. Invalid JSON, truncation
  /// and exceeded limits end the text: every further call throws the same error.
  ///
  /// - Throws: ``HeroCardError/Code/malformed``, ``HeroCardError/Code/truncated``, ``HeroCardError/Code/empty`` or
  ///   ``HeroCardError/Code/limitExceeded`` for the text. ``HeroCardError/Code/invalidValue``,
  ///   ``HeroCardError/Code/notHeroes`` or ``HeroCardError/Code/notCards`` for an element.
  public mutating func next() throws(HeroCardError) -> Element? {
    while nextInBatch == batch.count {
      // The next batch reuses the memory of the last one.
      var next = batch
      (batch, nextInBatch) = ([], 0)
      next.removeAll(keepingCapacity: true)
      guard try decodeElement(into: &next) else { return nil }
      batch = next
    }
    defer { nextInBatch += 1 }
    return batch[nextInBatch]
  }

  /// Appends the heroes or cards of the next element to an array, and returns whether there is an element.
  private mutating func decodeElement(into elements: inout [Element]) throws(HeroCardError) -> Bool {
    guard let element = try scanner.next() else { return false }
    do {
      try decode(element, &elements)
    } catch {
      throw HeroCardError(error, in: element, mismatch: scanner.layout.mismatch)
    }
    return true
  }

  /// Returns all heroes or cards of a complete text.
  private consuming func elements(of bytes: Data) throws(HeroCardError) -> [Element] {
    append(bytes)
    finish()
    var elements: [Element] = []
    while try decodeElement(into: &elements) {}
    return elements
  }
}

/// The limits of a reader, whose text may come from an untrusted source.
///
/// A reader's memory is bounded by ``elementBytes`` and the size of a chunk, regardless of the length of the text.
public struct HeroCardLimits: Hashable, Sendable {
  /// The maximum size of an element in bytes, 16 MiB by default.
  ///
  /// An element is a hero, a card, a column with its cards, or a board in an array. The part of an envelope or of a
  /// board before its heroes or columns is treated as an element.
  public let elementBytes: Int

  /// The maximum depth of nested arrays and objects, the outermost included; 512 by default.
  public let depth: Int

  /// Creates limits.
  ///
  /// Values below 1 are raised to 1. A `depth` above 512 is reduced to 512, the limit of `JSONDecoder`, and
  /// `elementBytes` above 1 TiB to 1 TiB.
  public init(elementBytes: Int = 16 << 20, depth: Int = 512) {
    self.elementBytes = min(max(elementBytes, 1), 1 << 40)
    self.depth = min(max(depth, 1), JSONGrammar.maximumDepth)
  }
}

extension HeroCardReader: ChunkedReader {}

extension HeroCardReader<Hero> {
  static var layout: JSONElementLayout { JSONElementLayout(route: ["data", "results"], mismatch: .notHeroes) }

  /// Creates a reader of heroes at the start of a text.
  ///
  /// - Parameter limits: The limits of the text.
  public init(limits: HeroCardLimits = HeroCardLimits()) {
    self.init(layout: Self.layout, limits: limits) { $1.append(try $0.decode(Hero.self)) }
  }

  /// Returns all heroes of a complete text.
  ///
  /// - Throws: The errors of ``next()``, at the first fault.
  public static func heroes(
    from bytes: Data, limits: HeroCardLimits = HeroCardLimits()
  ) throws(HeroCardError) -> [Hero] {
    try HeroReader(limits: limits).elements(of: bytes)
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

extension HeroCardReader<Card> {
  static var layout: JSONElementLayout { JSONElementLayout(route: ["columns"], mismatch: .notCards) }

  /// Creates a reader of cards at the start of a text.
  ///
  /// - Parameter limits: The limits of the text.
  public init(limits: HeroCardLimits = HeroCardLimits()) {
    self.init(layout: Self.layout, limits: limits) { element, cards in
      if !element.keys.isEmpty {
        // The element is in the array `columns` of a board, so it is a column even without cards.
        cards += try element.decode(Column.self).titledCards
      } else if let items = element.items, let card = items.decode(Card.self), items.isObject(ofCount: card.keyCount) {
        // Most elements have only the keys of a card, which is the fastest to decode.
        cards.append(card)
      } else {
        cards += try element.decode(CardBatch.self).cards
      }
    }
  }

  /// Returns all cards of a complete text.
  ///
  /// - Throws: The errors of ``next()``, at the first fault.
  public static func cards(
    from bytes: Data, limits: HeroCardLimits = HeroCardLimits()
  ) throws(HeroCardError) -> [Card] {
    try CardReader(limits: limits).elements(of: bytes)
  }

  /// Returns the cards of a text whose chunks arrive over time, as a single-pass sequence.
  ///
  /// ```swift
  /// for try await card in CardReader.cards(in: chunks) { board.add(card) }
  /// ```
  ///
  /// The sequence throws the errors of ``next()`` and of `chunks`, and ends with the first error. If its task is
  /// cancelled, it throws `CancellationError`.
  public static func cards<Chunks: AsyncSequence & Sendable>(
    in chunks: Chunks, limits: HeroCardLimits = HeroCardLimits()
  ) -> some AsyncSequence<Card, any Error> & Sendable where Chunks.Element == Data {
    ReaderSequence(chunks: chunks, reader: CardReader(limits: limits))
  }
}

/// The cards of an element that is a column, a board or a single card.
struct CardBatch: Decodable {
  let cards: [Card]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if container.contains(.cards) {
      cards = try Column(from: decoder).titledCards
    } else if container.contains(.columns) {
      cards = try Board(from: decoder).cards
    } else if let content = try container.textIfPresent(.content) {
      cards = [Card(content: content, column: try container.textIfPresent(.column))]
    } else {
      throw container.notFound(.content, "an object with neither \"content\", \"cards\" nor \"columns\" is not a card")
    }
  }

  private enum CodingKeys: String, CodingKey {
    case content, column, cards, columns
  }
}
