// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The targets of ICCCM: the names under which programs offer types.
///
/// They are MIME types, older X11 names, or conventions of a vendor.
enum TargetName {
  /// A drop stream of all items, for programs that use this package.
  static let drop = "application/vnd.dragpipe.drop"
  /// Addresses of files and web pages, one per line: RFC 2483, section 5.
  static let uriList = "text/uri-list"
  /// The addresses of files that the user has copied, or marked for a move, in a file manager.
  static let copiedFiles = "x-special/gnome-copied-files"
  /// The key of files in the file transfer portal, for programs in a sandbox.
  static let portalFiles = "application/vnd.portal.filetransfer"
  /// The hint to clipboard managers that the content is secret and must not be stored.
  static let passwordHint = "x-kde-passwordManagerHint"
  /// The hint of a browser that a web page, and not the user, has chosen the content.
  static let rendererTaint = "chromium/x-renderer-taint"

  /// The start of names that state a type of one of several items, for a target that judges a drag; they have no value.
  static let hintPrefix = "application/vnd.dragpipe.type+"

  /// A conversion between the bytes of a uniform type and the bytes that cross under a target name.
  enum Conversion: Sendable {
    case none
    /// UTF-8 text; the uniform type may have another encoding.
    case utf8
    /// Latin-1 text; other characters are an error.
    case latin1
    /// Received text: UTF-8, or UTF-16 with a byte order mark, or else Latin-1.
    case markedText
    /// An address and a title in UTF-16, one per line.
    case mozillaURL
  }

  /// The names for plain text, best name first.
  static let plainTextNames: [(name: String, conversion: Conversion)] = [
    ("text/plain;charset=utf-8", .utf8), ("UTF8_STRING", .utf8), ("text/plain", .utf8), ("TEXT", .utf8),
    ("STRING", .latin1),
  ]

  /// Returns whether a string can be a target name: 1 to 255 printable ASCII characters.
  static func isPlausible(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count) && name.utf8.allSatisfy { 0x20..<0x7F ~= $0 }
  }

  // MARK: Offering

  /// Returns the target names for a type, best name first, each with the conversion of the type's bytes.
  ///
  /// File URLs have no such names, since ``uriList`` is their only form.
  static func names(for type: UTType) -> [(name: String, conversion: Conversion)] {
    if type.conforms(to: .fileURL) { return [] }
    if type.conforms(to: .url) { return [("text/x-moz-url", .mozillaURL)] + plainTextNames.map { ($0.name, .utf8) } }
    var names: [(String, Conversion)] = []
    let isPlainText = type == .plainText || type == .utf8PlainText || type == .text
    let isUTF16 = type == .utf16PlainText || type == .utf16ExternalPlainText
    if !isPlainText, !isUTF16 { names.append((type.preferredMIMEType ?? type.identifier, .none)) }
    let isMarkup = type.conforms(to: .html) || type.conforms(to: .rtf)
    if type.conforms(to: .text), !isMarkup { names += plainTextNames }
    return names.filter { isPlausible($0.0) }
  }

  // MARK: Receiving

  /// Returns the uniform type for a target name, with the conversion of the received bytes.
  ///
  /// - Returns: `nil` for hints, for ``drop`` and ``uriList``, and for names without a uniform type.
  static func type(for name: String) -> (type: UTType, conversion: Conversion)? {
    switch name {
    case "UTF8_STRING": return (.utf8PlainText, .markedText)
    case "STRING": return (.utf8PlainText, .latin1)
    case "text/x-moz-url": return (.url, .mozillaURL)
    default: break
    }
    guard let slash = name.firstIndex(of: "/") else {
      // Only programs that use this package offer uniform type identifiers.
      return UTType(name).flatMap { name.contains(".") ? ($0, .none) : nil }
    }
    let skipped = ["x-special", "chromium", "inode", "x-content", "x-scheme-handler", "multipart"]
    guard !name.hasPrefix(hintPrefix), !skipped.contains(String(name[..<slash])), !name.hasPrefix("application/x-kde-"),
      name != "application/x-gtk-local-dnd",
      name != drop, name != uriList, !name.hasPrefix("application/vnd.portal."), !name.hasPrefix("text/x-moz-url-")
    else { return nil }
    let essence = String(name.prefix { $0 != ";" }).lowercased()
    switch essence {
    case "text/plain": return (.utf8PlainText, .markedText)
    case "text/html": return (.html, .markedText)
    default: return UTType(mimeType: essence).map { ($0, .none) }
    }
  }

  /// Returns the rank of a type within an item, where 0 is best: plain text, other content, HTML and RTF, addresses.
  static func rank(of type: UTType) -> Int {
    if type.conforms(to: .plainText) { return 0 }
    if type.conforms(to: .html) || type.conforms(to: .rtf) { return 2 }
    return type.conforms(to: .url) ? 3 : 1
  }
}

extension TargetName.Conversion {
  /// Converts the bytes of a uniform type to the bytes to send.
  func encode(_ data: Data, of type: UTType) throws -> Data {
    switch self {
    case .none: return data
    case .utf8, .markedText: return Data(try text(data, type).utf8)
    case .latin1:
      let scalars = try text(data, type).unicodeScalars
      guard scalars.allSatisfy({ $0.value < 0x100 }) else {
        throw DesktopError(.malformed, "the text has characters outside of Latin-1")
      }
      return Data(scalars.map { UInt8($0.value) })
    case .mozillaURL:
      let units = "\(try text(data, type))\n".utf16
      return Data(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    }
  }

  /// The encoding of received text; `nil` for other content.
  var textEncoding: TextDecoder.Encoding? {
    switch self {
    case .none, .mozillaURL: nil
    case .utf8: .utf8
    case .latin1: .latin1
    case .markedText: .marked
    }
  }

  /// Returns the address in the received value of ``mozillaURL``.
  static func address(ofMozillaURL data: Data) throws -> Data {
    let text = try ForeignText.text(
      data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) ? data : Data([0xFF, 0xFE]) + data,
      of: .utf16ExternalPlainText)
    return Data(text.prefix { !$0.isNewline && $0 != "\0" }.utf8)
  }

  /// Decodes text.
  ///
  /// Unless the type is one of UTF-16, a byte order mark may select another encoding than UTF-8.
  private func text(_ data: Data, _ type: UTType) throws -> String {
    let isUTF16 = type == .utf16PlainText || type == .utf16ExternalPlainText
    return try ForeignText.text(data, of: isUTF16 ? type : .plainText)
  }
}
