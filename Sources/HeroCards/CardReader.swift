// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import ItemCoding

/// Reads cards from JSON that arrives in chunks.
///
/// The text may be a board, an array of columns, an array of cards, a single column or card, or any number of these
/// one after another, as in JSON lines. An object with `cards` is a column, one with `columns` a board, and one with
/// `content` a card. Cards from a column come with ``Card/column`` filled in. A byte order mark at the start is
/// skipped.
///
/// However long the text is, no more is kept than one column (or, outside of columns, one card) and one chunk, and
/// limits bound the former: the title of a column may stand behind its cards, so a column is taken in whole. Boards in
/// an array are taken in whole as well.
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

  /// Starts at the beginning of a text.
  ///
  /// - Parameter limits: What to give up at; the largest element is a column.
  public init(limits: HeroCardLimits = HeroCardLimits()) {
    reader = JSONElementReader(limits: limits)
  }

  /// How many bytes of text are held at this moment.
  var retainedByteCount: Int { reader.retainedByteCount }

  /// Hands over the next bytes of the text, cut anywhere.
  ///
  /// Take out cards with ``next()`` before the next chunk is appended, or chunks pile up.
  ///
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ bytes: Data) {
    reader.append(bytes)
  }

  /// Says that there are no more bytes, so that ``next()`` can tell an end from a cut.
  public mutating func finish() {
    reader.finish()
  }

  /// The next card; `nil` means that more bytes are needed or, after ``finish()``, that this was all.
  ///
  /// A card or column that cannot be decoded is one error, and the next call goes on behind it. Text that is no JSON,
  /// is cut, or goes beyond a limit ends the reading: each further call throws the same again.
  ///
  /// - Throws: ``HeroCardError/Code/malformed``, ``HeroCardError/Code/truncated``, ``HeroCardError/Code/empty`` or
  ///   ``HeroCardError/Code/limitExceeded`` for the text, ``HeroCardError/Code/invalidValue`` or
  ///   ``HeroCardError/Code/notCards`` for what is in it.
  public mutating func next() throws(HeroCardError) -> Card? {
    while nextInBatch == batch.count {
      guard let next = try reader.next() else { return nil }
      batch = next.cards
      nextInBatch = 0
    }
    defer { nextInBatch += 1 }
    return batch[nextInBatch]
  }

  /// All cards of a text that is already there as a whole.
  ///
  /// - Throws: What ``next()`` throws, at the first fault.
  public static func cards(
    from bytes: Data, limits: HeroCardLimits = HeroCardLimits()
  ) throws(HeroCardError) -> [Card] {
    try CardReader(limits: limits).all(in: bytes)
  }

  /// The cards of a text whose chunks arrive over time, to be gone through once.
  ///
  /// ```swift
  /// for try await card in CardReader.cards(in: chunks) { board.add(card) }
  /// ```
  ///
  /// The sequence throws what ``next()`` and `chunks` throw, and ends with the first error. When its task is
  /// cancelled it throws `CancellationError`.
  public static func cards<Chunks: AsyncSequence & Sendable>(
    in chunks: Chunks, limits: HeroCardLimits = HeroCardLimits()
  ) -> some AsyncSequence<Card, any Error> & Sendable where Chunks.Element == Data {
    ReaderSequence(chunks: chunks, reader: CardReader(limits: limits))
  }
}

extension CardReader: ChunkedReader {}

/// The cards of one element: of a column, of a whole board, or one alone.
private struct CardBatch: JSONElementDecodable, Decodable {
  static let layout = JSONElementLayout(route: ["columns"], unfit: .notCards)

  let cards: [Card]

  static func decode(_ element: JSONElement, with decoder: JSONDecoder) throws -> CardBatch {
    // In the columns of a board there is nothing but columns, so one needs no cards to be known as such.
    element.keys.isEmpty
      ? try decoder.decode(CardBatch.self, from: element.bytes)
      : CardBatch(cards: try decoder.decode(Column.self, from: element.bytes).takenCards)
  }

  init(cards: [Card]) {
    self.cards = cards
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if container.contains(.cards) {
      cards = try Column(from: decoder).takenCards
    } else if container.contains(.columns) {
      cards = try Board(from: decoder).cards
    } else if let content = try container.textIfPresent(.content) {
      cards = [Card(content: content, column: try container.textIfPresent(.column))]
    } else {
      throw container.notFound(.content, "an object with neither \"content\", \"cards\" nor \"columns\" is no card")
    }
  }

  private enum CodingKeys: String, CodingKey {
    case content, column, cards, columns
  }
}
