// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A class of tags, the names that other systems have for types: filename extensions or MIME types, for example.
///
/// ```swift
/// UTType.png.tags[.filenameExtension]     // ["png"]
/// UTType(tag: "image/png", tagClass: .mimeType, conformingTo: nil)
/// ```
///
/// Follows Apple's [`UTTagClass`](https://developer.apple.com/documentation/uniformtypeidentifiers/uttagclass).
public struct UTTagClass: RawRepresentable, Sendable {
  /// The name of the class, such as `public.mime-type`.
  public let rawValue: String

  /// Creates a class by its name, which need not be one of the constants.
  ///
  /// - Parameter rawValue: The name of the class, in any case.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Extensions of file names, without the period: `png`.
  public static let filenameExtension = UTTagClass(rawValue: "public.filename-extension")

  /// MIME types (RFC 2045): `image/png`.
  public static let mimeType = UTTagClass(rawValue: "public.mime-type")

  /// Four-letter codes of the classic Mac OS: `PNGf`.
  static let osType = UTTagClass(rawValue: "com.apple.ostype")

  /// Names of types on a pasteboard of AppKit.
  static let pasteboardType = UTTagClass(rawValue: "com.apple.nspboard-type")

  /// Schemes of URLs: `https`.
  static let urlScheme = UTTagClass(rawValue: "public.url-scheme")

  /// Whether tags of this class are compared without regard to case.
  var ignoresCase: Bool { self == .filenameExtension || self == .mimeType }

  /// The kind of key under which the table of system types stores tags of this class; `nil` if it stores none.
  var systemKeyKind: SystemTypes.KeyKind? {
    switch self {
    case .filenameExtension: .filenameExtension
    case .mimeType: .mimeType
    case .osType: .osType
    case .pasteboardType: .pasteboardType
    default: nil
    }
  }
}

extension UTTagClass: Hashable {
  /// Returns whether both are the same class; the case of their names does not matter.
  public static func == (lhs: UTTagClass, rhs: UTTagClass) -> Bool {
    lhs.rawValue.isEqualIgnoringASCIICase(to: rhs.rawValue)
  }

  /// Feeds the name in lower case into `hasher`.
  public func hash(into hasher: inout Hasher) {
    rawValue.hashIgnoringASCIICase(into: &hasher)
  }
}

extension UTTagClass: Codable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The name of the class.
  public var description: String { rawValue }

  /// The name of the class.
  public var debugDescription: String { rawValue }
}
