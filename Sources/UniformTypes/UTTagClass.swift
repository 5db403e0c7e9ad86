// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A kind of name by which the world outside knows a type: filename extensions, MIME types.
///
/// ```swift
/// UTType.png.tags[.filenameExtension]     // ["png"]
/// UTType(tag: "image/png", tagClass: .mimeType, conformingTo: nil)
/// ```
///
/// Follows Apple's [`UTTagClass`](https://developer.apple.com/documentation/uniformtypeidentifiers/uttagclass).
public struct UTTagClass: RawRepresentable, Sendable {
  /// The class's own name, such as `public.mime-type`.
  public let rawValue: String

  /// Names a class, which need not be one of the constants.
  ///
  /// - Parameter rawValue: The class's own name, in any case.
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

  static let urlScheme = UTTagClass(rawValue: "public.url-scheme")

  /// Whether tags of this class are the same in whatever case.
  var ignoresCase: Bool { self == .filenameExtension || self == .mimeType }

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
  /// Whether both name the same class, in whatever case.
  public static func == (lhs: UTTagClass, rhs: UTTagClass) -> Bool {
    lhs.rawValue.isEqualIgnoringASCIICase(to: rhs.rawValue)
  }

  /// Feeds the name without its case into `hasher`.
  public func hash(into hasher: inout Hasher) {
    rawValue.hashIgnoringASCIICase(into: &hasher)
  }
}

extension UTTagClass: Codable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The class's own name.
  public var description: String { rawValue }

  /// The class's own name.
  public var debugDescription: String { rawValue }
}
