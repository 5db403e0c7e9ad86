// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A titled stack of cards, from top to bottom.
public struct Column: Codable, Hashable, Sendable {
  /// What stands above the cards, and what ``Card/column`` refers to.
  public var title: String

  /// The cards, whose own ``Card/column`` counts for nothing here and is not written.
  public var cards: [Card]

  /// Makes a column, without cards unless some are given.
  public init(title: String, cards: [Card] = []) {
    self.title = title
    self.cards = cards
  }

  /// Reads a column, with an empty title or no cards where either is missing or `null`.
  ///
  /// - Throws: `DecodingError.keyNotFound` where there is neither `title` nor `cards`, what ``Card`` throws for a
  ///   card, and `DecodingError.typeMismatch` where a value has the wrong type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard container.contains(.title) || container.contains(.cards) else {
      throw container.notFound(.cards, "an object with neither \"title\" nor \"cards\" is no column")
    }
    title = try container.text(.title)
    cards = (try container.decodeIfPresent([Card].self, forKey: .cards) ?? []).map(\.placed)
  }

  /// Writes the title and the cards, these without their ``Card/column``.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(title, forKey: .title)
    try container.encode(cards.map(\.placed), forKey: .cards)
  }

  private enum CodingKeys: String, CodingKey {
    case title, cards
  }
}

extension Column {
  /// The cards as they are when taken out, each with this column's title.
  var takenCards: [Card] {
    cards.map { Card(content: $0.content, column: title) }
  }
}

extension Card {
  /// The card as it lies in a column, without the name of one.
  var placed: Card {
    Card(content: content)
  }
}
