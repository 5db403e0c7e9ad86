// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A page about a hero, with what kind of page it is.
public struct HeroLink: Codable, Hashable, Sendable {
  /// What is to be read there, such as `detail` or `wiki`.
  public var type: String

  /// The address, in the words of the catalogue.
  public var url: String

  /// Names a page; without arguments, none.
  public init(type: String = "", url: String = "") {
    self.type = type
    self.url = url
  }

  /// Reads a link, with empty text for what is missing or `null`.
  ///
  /// - Throws: `DecodingError.typeMismatch` where a value is anything but text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    type = try container.text(.type)
    url = try container.text(.url)
  }

  private enum CodingKeys: String, CodingKey {
    case type, url
  }
}
