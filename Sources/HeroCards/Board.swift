// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import ItemCoding

/// A board of card columns, as a board file stores it.
///
/// ```swift
/// var board = try Board(jsonData: Data(contentsOf: file))
/// board.add(card, toColumn: "Doing")
/// try board.jsonData().write(to: file)
/// ```
public struct Board: Codable, Hashable, Sendable {
  /// The title of the board; if it is `nil`, the encoded board has no key `title`.
  public var title: String?

  /// The columns from left to right.
  public var columns: [Column]

  /// Creates a board, empty unless columns are given.
  public init(title: String? = nil, columns: [Column] = []) {
    self.title = title
    self.columns = columns
  }

  /// Decodes a board: an object with `columns`, or an array of columns.
  ///
  /// - Throws: `DecodingError.keyNotFound` for an object without `columns`, the errors of ``Column``, and
  ///   `DecodingError.typeMismatch` for a value of the wrong type.
  public init(from decoder: any Decoder) throws {
    if (try? decoder.unkeyedContainer()) != nil {
      self.init(columns: try [Column](from: decoder))
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard container.contains(.columns) else {
      throw container.notFound(.columns, "an object without \"columns\" is not a board")
    }
    self.init(
      title: try container.textIfPresent(.title),
      columns: try container.decodeIfPresent([Column].self, forKey: .columns) ?? []
    )
  }

  private enum CodingKeys: String, CodingKey {
    case title, columns
  }
}

extension Board {
  /// All cards, column by column and from top to bottom, each with its column's title.
  public var cards: [Card] {
    columns.flatMap(\.titledCards)
  }

  /// Appends a card to a column.
  ///
  /// The card goes to the first column with the title `title`, or with the title in ``Card/column`` if `title` is
  /// `nil`. If the board has no such column, a new column is added on the right. If both titles are `nil`, the card
  /// goes to the first column, or on a board without columns to a new column with the title `Cards`.
  ///
  /// - Parameters:
  ///   - card: The card; the board stores it without its ``Card/column``.
  ///   - title: The title of the column, or `nil` to use ``Card/column``.
  public mutating func add(_ card: Card, toColumn title: String? = nil) {
    add(contentsOf: CollectionOfOne(card), toColumn: title)
  }

  /// Appends cards to their columns in order, as ``add(_:toColumn:)`` does.
  ///
  /// - Parameters:
  ///   - cards: The cards.
  ///   - title: The title of the column for all cards, or `nil` to use the ``Card/column`` of each card.
  public mutating func add(contentsOf cards: some Sequence<Card>, toColumn title: String? = nil) {
    // If several columns have the same title, the first of these gets the cards.
    var indices = Dictionary(zip(columns.map(\.title), columns.indices), uniquingKeysWith: { first, _ in first })
    for card in cards {
      let wanted = title ?? card.column
      let index = wanted.map { indices[$0] ?? columns.count } ?? 0
      if index == columns.count {
        columns.append(Column(title: wanted ?? "Cards"))
        indices[columns[index].title] = index
      }
      columns[index].cards.append(card.withoutColumn)
    }
  }
}

/// A titled column of cards.
public struct Column: Codable, Hashable, Sendable {
  /// The title, to which ``Card/column`` refers.
  public var title: String

  /// The cards from top to bottom; their ``Card/column`` is ignored and not encoded.
  public var cards: [Card]

  /// Creates a column, empty unless cards are given.
  public init(title: String, cards: [Card] = []) {
    self.title = title
    self.cards = cards
  }

  /// Decodes a column.
  ///
  /// A missing or `null` title decodes as an empty string, and missing or `null` cards as an empty array.
  ///
  /// - Throws: `DecodingError.keyNotFound` if both `title` and `cards` are missing, the errors of ``Card``, and
  ///   `DecodingError.typeMismatch` for a value of the wrong type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard container.contains(.title) || container.contains(.cards) else {
      throw container.notFound(.cards, "an object with neither \"title\" nor \"cards\" is not a column")
    }
    title = try container.text(.title)
    cards = (try container.decodeIfPresent([Card].self, forKey: .cards) ?? []).map(\.withoutColumn)
  }

  /// Encodes the title and the cards without their ``Card/column``.
  ///
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(title, forKey: .title)
    try container.encode(cards.map(\.withoutColumn), forKey: .cards)
  }

  private enum CodingKeys: String, CodingKey {
    case title, cards
  }
}

extension Column {
  /// The cards, each with this column's title.
  var titledCards: [Card] {
    cards.map { Card(content: $0.content, column: title) }
  }
}

extension Card {
  /// The card without a column title, as a column stores it.
  var withoutColumn: Card {
    Card(content: content)
  }

  /// The number of keys of the encoded card.
  var keyCount: UInt8 { column == nil ? 1 : 2 }
}

/// A note on a ``Board``: its text and, if known, the title of the column from which it was taken.
///
/// ```swift
/// var board = Board(title: "Week", columns: [Column(title: "To do"), Column(title: "Done")])
/// board.add(Card(content: "Feed the cat"), toColumn: "Done")
/// ```
public struct Card: CBORFieldCodable, Hashable, Sendable {
  /// The text of the note.
  public var content: String

  /// The title of the column from which the card was taken; if it is `nil`, the encoded card has no key `column`.
  ///
  /// A card in a ``Column`` does not need this title.
  public var column: String?

  /// Creates a card.
  public init(content: String, column: String? = nil) {
    self.content = content
    self.column = column
  }

  /// Decodes a card.
  ///
  /// - Throws: `DecodingError.keyNotFound` without `content`, and `DecodingError.typeMismatch` for a value that is not
  ///   a string.
  public init(fields: inout CBORFieldDecoder) throws {
    // Writers of JSON often sort the keys.
    let column = fields.isNext("column") ? try fields.decodeIfPresent(String.self, forKey: "column") : nil
    guard let content = try fields.decodeIfPresent(String.self, forKey: "content") else {
      throw fields.notFound("content", "an object without \"content\" is not a card")
    }
    self.init(content: content, column: try column ?? fields.decodeIfPresent(String.self, forKey: "column"))
  }

  /// Encodes all fields.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(content, forKey: "content")
    try fields.encodeIfPresent(column, forKey: "column")
  }
}

extension Board {
  /// Parses a board file: an object with `columns`, or an array of columns.
  ///
  /// The depth of nesting is limited. The caller must limit the size of the file.
  ///
  /// - Throws: ``HeroCardError/Code/malformed``, ``HeroCardError/Code/truncated``, ``HeroCardError/Code/empty`` or
  ///   ``HeroCardError/Code/limitExceeded`` for invalid JSON; `malformed` also for a second value after the board.
  ///   ``HeroCardError/Code/invalidValue`` or ``HeroCardError/Code/notCards`` if the JSON is not a board.
  public init(jsonData: Data) throws(HeroCardError) {
    let layout = JSONElementLayout(route: nil, mismatch: .notCards)
    var scanner = JSONElementScanner(layout: layout, limits: HeroCardLimits(elementBytes: jsonData.count))
    scanner.append(jsonData)
    scanner.finish()
    guard let element = try scanner.next() else {
      throw HeroCardError(.empty, at: JSONPath(), byteOffset: 0, reason: "the text contains no JSON value")
    }
    if let other = try scanner.next() {
      throw HeroCardError(
        .malformed, at: JSONPath(), byteOffset: other.byteOffset,
        reason: "a board file contains one JSON value, found a second one")
    }
    do {
      self = try element.decode(Board.self)
    } catch {
      throw HeroCardError(error, in: element, mismatch: .notCards)
    }
  }

  /// Returns the board as a file stores it: indented, with sorted keys, unescaped slashes and a final newline.
  ///
  /// Equal boards produce equal bytes. Cards are encoded without ``Card/column``.
  ///
  /// - Throws: `EncodingError` if the board cannot be encoded.
  public func jsonData() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + "\n".utf8
  }
}

/// Methods for lenient decoding: any key may be missing, but a present value must have the right type.
extension KeyedDecodingContainer {
  /// Returns the string for `key`, or an empty string if it is missing or `null`.
  func text(_ key: Key) throws -> String {
    try textIfPresent(key) ?? ""
  }

  /// Returns the string for `key`, or `nil` if it is missing or `null`.
  func textIfPresent(_ key: Key) throws -> String? {
    do {
      return try decodeIfPresent(String.self, forKey: key)
    } catch let error as DecodingError {
      throw error
    } catch {
      // `JSONDecoder` throws an error without a path for bytes that it cannot convert.
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath + [key], debugDescription: "a string that is not Unicode text", underlyingError: error)
      )
    }
  }

  /// Returns the error for an object that lacks a required key; `reason` is its description.
  func notFound(_ key: Key, _ reason: String) -> DecodingError {
    .keyNotFound(key, DecodingError.Context(codingPath: codingPath, debugDescription: reason))
  }
}
