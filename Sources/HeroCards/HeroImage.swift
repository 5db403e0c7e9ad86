// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Where a picture lies, in the two halves catalogues give it in: an address without extension, and the extension.
public struct HeroImage: Codable, Hashable, Sendable {
  /// The address up to, but without, the dot of the extension.
  public var path: String

  /// What follows the dot, such as `jpg`; `extension` in JSON.
  public var fileExtension: String

  /// Puts the halves together; without them, the image is nowhere.
  public init(path: String = "", fileExtension: String = "") {
    self.path = path
    self.fileExtension = fileExtension
  }

  /// Reads an image, with empty text for a half that is missing or `null`.
  ///
  /// - Throws: `DecodingError.typeMismatch` where a half is anything but text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    path = try container.text(.path)
    fileExtension = try container.text(.fileExtension)
  }

  /// The whole address, or `nil` where a half is missing or both together are no URL.
  public var url: URL? {
    path.isEmpty || fileExtension.isEmpty ? nil : URL(string: "\(path).\(fileExtension)")
  }

  private enum CodingKeys: String, CodingKey {
    case path
    case fileExtension = "extension"
  }
}
