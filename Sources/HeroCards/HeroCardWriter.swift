// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A writer of heroes.
public typealias HeroWriter = HeroCardWriter<Hero>

/// A writer of cards.
public typealias CardWriter = HeroCardWriter<Card>

/// A writer of heroes or cards as JSON, with one element per line.
///
/// The writer buffers only the bytes that the caller has not taken yet. Keys are sorted and slashes are not escaped, so
/// equal elements produce equal bytes.
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
public struct HeroCardWriter<Element: Encodable>: Sendable {
  private let style: HeroCardStyle
  private let isFieldCodable = JSONValueCoder.isFieldCodable(Element.self)
  private var bytes = Data()
  private var isAtStart = true
  private var isFinished = false

  /// Creates a writer.
  ///
  /// - Parameter style: The style of the text, one array by default.
  public init(style: HeroCardStyle = .array) {
    self.style = style
  }

  /// Appends an element.
  ///
  /// - Throws: `EncodingError` if the element cannot be encoded. In that case, nothing is written.
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ element: Element) throws {
    let isFieldCodable = isFieldCodable
    try append { try JSONValueCoder.shared.append(element, to: &$0, isFieldCodable: isFieldCodable) }
  }

  /// Appends an element that was encoded before, without the newline of its style.
  ///
  /// - Precondition: ``finish()`` has not been called.
  package mutating func append(encoded json: Data) {
    append { $0 += json }
  }

  private mutating func append(_ write: (inout Data) throws -> Void) rethrows {
    precondition(!isFinished, "append(_:) called after finish()")
    let start = bytes.count
    if style == .array {
      bytes.append(isAtStart ? UInt8(ascii: "[") : UInt8(ascii: ","))
      bytes.append(newline)
    }
    do {
      try write(&bytes)
    } catch {
      bytes.removeSubrange(start...)
      throw error
    }
    if style == .lines { bytes.append(newline) }
    isAtStart = false
  }

  /// Returns and removes the buffered bytes.
  public mutating func takeBytes() -> Data {
    defer { bytes = Data() }
    return bytes
  }

  /// Ends the text; ``takeBytes()`` then returns the last bytes, which include an array's closing bracket.
  public mutating func finish() {
    guard !isFinished else { return }
    if style == .array { bytes += isAtStart ? "[]\n".utf8 : "\n]\n".utf8 }
    isFinished = true
  }
}

private let newline = UInt8(ascii: "\n")

/// The style in which writers combine several heroes or cards in one text; readers accept both styles.
public enum HeroCardStyle: Hashable, Sendable {
  /// One JSON array, with an element per line. A truncated array is not valid JSON, so readers detect it.
  case array

  /// JSON Lines: every line is a separate value, so texts can be concatenated.
  case lines
}
