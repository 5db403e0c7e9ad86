// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import ItemCoding

/// A reader of cards from JSON that arrives in chunks.
///
/// The text may be a board, an array of columns, an array of cards, a single column or a single card. Several of these
/// may follow each other, as in JSON Lines. An object with the key `cards` is a column, an object with `columns` is a
/// board, and an object with `content` is a card. Cards from a column have its title in ``Card/column``. An initial
/// byte order mark is skipped.
///
/// Memory is bounded regardless of the length of the text: the reader buffers one chunk and one column, and the limits
/// bound the column. The reader buffers an entire column because the title may follow the cards. It also buffers an
/// entire board if the board is in an array.
///
/// ```swift
/// var reader = CardReader()
/// reader.append(bytes)
/// reader.finish()
/// while let card = try reader.next() { board.add(card) }
/// ```
public struct CardReader: Sendable {
  private var reader: JSONElementReader<CardBatch>
  private var batch: [Card] = []
  private var nextInBatch = 0

  /// Creates a reader at the start of a text.
  ///
  /// - Parameter limits: The limits of the text. An element is a card, a column, or a board in an array.
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

  /// Returns the next card; `nil` if more bytes are needed or, after ``finish()``, at the end.
  ///
  /// If a card or column cannot be decoded, the call throws, and the next call continues after it. Invalid JSON,
  /// truncation and exceeded limits end the text: every further call throws the same error.
  ///
  /// - Throws: ``HeroCardError/Code/malformed``, ``HeroCardError/Code/truncated``, ``HeroCardError/Code/empty`` or
  ///   ``HeroCardError/Code/limitExceeded`` for the text. ``HeroCardError/Code/invalidValue`` or
  ///   ``HeroCardError/Code/notCards`` for an element.
  public mutating func next() throws(HeroCardError) -> Card? {
    while nextInBatch == batch.count {
      guard let next = try reader.next() else { return nil }
      batch = next.cards
      nextInBatch = 0
    }
    defer { nextInBatch += 1 }
    return batch[nextInBatch]
  }

  /// Returns all cards of a complete text.
  ///
  /// - Throws: The errors of ``next()``, at the first fault.
  public static func cards(
    from bytes: Data, limits: HeroCardLimits = HeroCardLimits()
  ) throws(HeroCardError) -> [Card] {
    try JSONElementReader<CardBatch>.values(in: bytes, limits: limits).flatMap(\.cards)
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

extension CardReader: ChunkedReader {}

/// The cards of an element: of a column, of a board, or a single card.
struct CardBatch: JSONElementDecodable, Decodable, Hashable {
  static let layout = JSONElementLayout(route: ["columns"], mismatch: .notCards)

  let cards: [Card]

  static func decode(in keys: [String], from source: inout some JSONElementSource) throws -> CardBatch {
    // An element with enclosing keys is in the array `columns` of a board, so it is a column even without cards.
    keys.isEmpty ? try source.decode(CardBatch.self) : CardBatch(cards: try source.decode(Column.self).titledCards)
  }

  init(cards: [Card]) {
    self.cards = cards
  }

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
