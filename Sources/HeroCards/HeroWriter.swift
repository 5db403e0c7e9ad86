// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Writes heroes as JSON, one a line, without ever holding more than what has not been taken.
///
/// Keys are sorted and slashes not escaped: the same heroes give the same bytes, always.
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

  /// Starts a text.
  ///
  /// - Parameter style: One array, unless told otherwise.
  public init(style: HeroCardStyle = .array) {
    writer = JSONElementWriter(style: style)
  }

  /// Writes a hero.
  ///
  /// - Throws: `EncodingError` where the hero cannot be written; nothing of it is then.
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ hero: Hero) throws {
    try writer.append(hero)
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
