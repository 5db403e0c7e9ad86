// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Columns of cards side by side, as a board file keeps them.
///
/// ```swift
/// var board = try Board(jsonData: Data(contentsOf: file))
/// board.add(card, toColumn: "Doing")
/// try board.jsonData().write(to: file)
/// ```
public struct Board: Codable, Hashable, Sendable {
  /// What the board is about; `nil`, and left out of JSON, where nobody said.
  public var title: String?

  /// The columns from left to right.
  public var columns: [Column]

  /// Makes a board, without columns unless some are given.
  public init(title: String? = nil, columns: [Column] = []) {
    self.title = title
    self.columns = columns
  }

  /// Reads a board: an object with `columns`, or a bare array of columns.
  ///
  /// - Throws: `DecodingError.keyNotFound` for an object without `columns`, what ``Column`` throws for a column, and
  ///   `DecodingError.typeMismatch` where a value has the wrong type.
  public init(from decoder: any Decoder) throws {
    if (try? decoder.unkeyedContainer()) != nil {
      self.init(columns: try [Column](from: decoder))
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard container.contains(.columns) else {
      throw container.notFound(.columns, "an object without \"columns\" is no board")
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
  /// Every card, column by column and each from top to bottom, with its column's title filled in.
  public var cards: [Card] {
    columns.flatMap(\.takenCards)
  }

  /// Puts a card below those of a column.
  ///
  /// The column is the first one titled `title`, else the first one titled as ``Card/column`` says; where that title
  /// is not on the board yet, a column of it is added on the right. A card which names none goes to the first
  /// column, and on a board without columns to a new one titled `Cards`.
  ///
  /// - Parameters:
  ///   - card: The card; it is kept without its ``Card/column``.
  ///   - title: The title of the column, or `nil` to leave it to the card.
  public mutating func add(_ card: Card, toColumn title: String? = nil) {
    add(contentsOf: CollectionOfOne(card), toColumn: title)
  }

  /// Puts cards below those of their columns, in their order, as ``add(_:toColumn:)`` does one by one.
  ///
  /// - Parameters:
  ///   - cards: The cards.
  ///   - title: The title of the column of all, or `nil` to leave it to each card.
  public mutating func add(contentsOf cards: some Sequence<Card>, toColumn title: String? = nil) {
    // The first of several columns with one title, as when they are looked for one by one.
    var indices = Dictionary(zip(columns.map(\.title), columns.indices), uniquingKeysWith: { first, _ in first })
    for card in cards {
      let wanted = title ?? card.column
      let index = wanted.map { indices[$0] ?? columns.count } ?? 0
      if index == columns.count {
        columns.append(Column(title: wanted ?? "Cards"))
        indices[columns[index].title] = index
      }
      columns[index].cards.append(card.placed)
    }
  }
}
