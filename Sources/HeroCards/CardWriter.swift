// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Writes cards as JSON, one a line, without ever holding more than what has not been taken.
///
/// Keys are sorted and slashes not escaped: the same cards give the same bytes, always.
///
/// ```swift
/// var writer = CardWriter()
/// for card in cards {
///   try writer.append(card)
///   output.write(writer.takeBytes())
/// }
/// writer.finish()
/// output.write(writer.takeBytes())
/// ```
public struct CardWriter: Sendable {
  private var writer: JSONElementWriter<Card>

  /// Starts a text.
  ///
  /// - Parameter style: One array, unless told otherwise.
  public init(style: HeroCardStyle = .array) {
    writer = JSONElementWriter(style: style)
  }

  /// Writes a card.
  ///
  /// - Throws: `EncodingError` where the card cannot be written; nothing of it is then.
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ card: Card) throws {
    try writer.append(card)
  }

  /// Hands over what has been written and not been taken yet.
  public mutating func takeBytes() -> Data {
    writer.takeBytes()
  }

  /// Ends the text, which for an array is the closing bracket; ``takeBytes()`` has the last of it afterwards.
  public mutating func finish() {
    writer.finish()
  }
}
