// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A writer of heroes as JSON, one per line, that buffers only the bytes not yet taken.
///
/// Keys are sorted and slashes are not escaped, so equal heroes produce equal bytes.
///
/// ```swift
/// var writer = HeroWriter()
/// for hero in heroes {
///   try writer.append(hero)
///   output.write(writer.takeBytes())
/// }
/// writer.finish()
/// output.write(writer.takeBytes())
/// ```
public struct HeroWriter: Sendable {
  private var writer: JSONElementWriter<Hero>

  /// Creates a writer.
  ///
  /// - Parameter style: The style of the text, one array by default.
  public init(style: HeroCardStyle = .array) {
    writer = JSONElementWriter(style: style)
  }

  /// Appends a hero.
  ///
  /// - Throws: `EncodingError` if the hero cannot be encoded; nothing is written then.
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ hero: Hero) throws {
    try writer.append(hero)
  }

  /// Returns and removes the buffered bytes.
  public mutating func takeBytes() -> Data {
    writer.takeBytes()
  }

  /// Ends the text; ``takeBytes()`` then returns the last bytes, which include an array's closing bracket.
  public mutating func finish() {
    writer.finish()
  }
}

/// A writer of cards as JSON, one per line, that buffers only the bytes not yet taken.
///
/// Keys are sorted and slashes are not escaped, so equal cards produce equal bytes.
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

  /// Creates a writer.
  ///
  /// - Parameter style: The style of the text, one array by default.
  public init(style: HeroCardStyle = .array) {
    writer = JSONElementWriter(style: style)
  }

  /// Appends a card.
  ///
  /// - Throws: `EncodingError` if the card cannot be encoded; nothing is written then.
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ card: Card) throws {
    try writer.append(card)
  }

  /// Returns and removes the buffered bytes.
  public mutating func takeBytes() -> Data {
    writer.takeBytes()
  }

  /// Ends the text; ``takeBytes()`` then returns the last bytes, which include an array's closing bracket.
  public mutating func finish() {
    writer.finish()
  }
}

/// The style in which writers combine several heroes or cards in one text; readers accept both.
public enum HeroCardStyle: Hashable, Sendable {
  /// One JSON array, with an element per line. A truncated array is not valid JSON, so readers detect it.
  case array

  /// JSON lines: every line is a separate value, so texts can be concatenated.
  case lines
}

/// A writer of values as JSON, one per line, that buffers the bytes until they are taken.
struct JSONElementWriter<Value: Encodable>: Sendable {
  private let style: HeroCardStyle
  private let encoder = JSONEncoder()
  private var bytes = Data()
  private var isAtStart = true
  private var isFinished = false

  init(style: HeroCardStyle) {
    self.style = style
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// Appends a value; if encoding throws, nothing is written.
  mutating func append(_ value: Value) throws {
    precondition(!isFinished, "append(_:) called after finish()")
    let element = try encoder.encode(value)
    if style == .array { bytes += isAtStart ? "[\n".utf8 : ",\n".utf8 }
    bytes += element
    if style == .lines { bytes += "\n".utf8 }
    isAtStart = false
  }

  mutating func takeBytes() -> Data {
    defer { bytes = Data() }
    return bytes
  }

  mutating func finish() {
    guard !isFinished else { return }
    if style == .array { bytes += isAtStart ? "[]\n".utf8 : "\n]\n".utf8 }
    isFinished = true
  }
}
