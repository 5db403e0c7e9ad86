// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A note on a ``Board``: some text, and which column it was taken from.
///
/// ```swift
/// var board = Board(title: "Week", columns: [Column(title: "To do"), Column(title: "Done")])
/// board.add(Card(content: "Feed the cat"), toColumn: "Done")
/// ```
public struct Card: Codable, Hashable, Sendable {
  /// What is written on it.
  public var content: String

  /// The title of the column it was taken from; `nil`, and left out of JSON, where it comes from none.
  ///
  /// A card lying in a ``Column`` needs none: its place says it.
  public var column: String?

  /// Writes a card.
  public init(content: String, column: String? = nil) {
    self.content = content
    self.column = column
  }

  /// Reads a card.
  ///
  /// - Throws: `DecodingError.keyNotFound` where there is no `content`, and `DecodingError.typeMismatch` where a
  ///   value is anything but text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let content = try container.textIfPresent(.content) else {
      throw container.notFound(.content, "an object without \"content\" is no card")
    }
    self.content = content
    column = try container.textIfPresent(.column)
  }

  private enum CodingKeys: String, CodingKey {
    case content, column
  }
}
