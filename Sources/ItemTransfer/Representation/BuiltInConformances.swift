// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
package import UniformTypes

extension String: Transferable {
  /// Exports text in UTF-8.
  ///
  /// Imports UTF-8, UTF-16 and text of unstated encoding.
  ///
  /// | imported type | encoding |
  /// |---|---|
  /// | `public.utf8-plain-text` | UTF-8, every character preserved |
  /// | `public.utf16-external-plain-text` | UTF-16 by its byte order mark, else big-endian |
  /// | `public.utf16-plain-text` | UTF-16 by its byte order mark, else in native order |
  /// | `public.plain-text` | by its byte order mark, else UTF-8 |
  ///
  /// `importedContentTypes()` lists the first type alone, as on Apple's systems.
  ///
  /// Malformed bytes are an error, since repaired text would look like a success. Other text, such as HTML or JSON, is
  /// not imported; `data(for: .text)` loads it.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .utf8PlainText) {
      Data($0.utf8)
    } importing: {
      try ForeignText.utf8($0)
    }
    DataRepresentation(unlistedContentType: .utf16ExternalPlainText) { try ForeignText.utf16($0, else: .big) }
    DataRepresentation(unlistedContentType: .utf16PlainText) { try ForeignText.utf16($0, else: .native) }
    DataRepresentation(unlistedContentType: .plainText) { try ForeignText.unstated($0) }
  }
}

/// A strict decoder of untrusted text: malformed bytes are an error.
package enum ForeignText {
  enum ByteOrder {
    case big
    case little

    static var native: ByteOrder { 1.littleEndian == 1 ? .little : .big }
  }

  /// Decodes text of one of the types that ``Swift/String`` imports.
  package static func text(_ data: Data, of type: UTType) throws -> String {
    switch type {
    case .utf8PlainText: try utf8(data)
    case .utf16ExternalPlainText: try utf16(data, else: .big)
    case .utf16PlainText: try utf16(data, else: .native)
    default: try unstated(data)
    }
  }

  static func utf8(_ data: Data) throws -> String {
    guard let text = String(validating: data, as: UTF8.self) else { throw malformed("UTF-8") }
    return text
  }

  static func utf16(_ data: Data, else order: ByteOrder) throws -> String {
    let mark = byteOrderMark(of: data)
    guard data.count.isMultiple(of: 2) else { throw malformed("UTF-16: odd number of bytes") }
    let units = UTF16Units(bytes: mark == nil ? data : data.dropFirst(2), order: mark ?? order)
    guard let text = String(validating: units, as: UTF16.self) else { throw malformed("UTF-16: unpaired surrogate") }
    return text
  }

  /// Decodes text by its byte order mark, which is not part of the text, else as UTF-8.
  static func unstated(_ data: Data) throws -> String {
    if data.starts(with: [0xEF, 0xBB, 0xBF]) { return try utf8(data.dropFirst(3)) }
    return byteOrderMark(of: data) == nil ? try utf8(data) : try utf16(data, else: .big)
  }

  private static func byteOrderMark(of data: Data) -> ByteOrder? {
    data.starts(with: [0xFE, 0xFF]) ? .big : data.starts(with: [0xFF, 0xFE]) ? .little : nil
  }

  private static func malformed(_ encoding: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "malformed \(encoding)"))
  }
}

/// An even number of bytes as UTF-16 code units.
private struct UTF16Units: Sequence, IteratorProtocol {
  private var bytes: Data.Iterator
  private let order: ForeignText.ByteOrder

  init(bytes: Data, order: ForeignText.ByteOrder) {
    self.bytes = bytes.makeIterator()
    self.order = order
  }

  mutating func next() -> UInt16? {
    guard let first = bytes.next(), let second = bytes.next() else { return nil }
    let (high, low) = order == .big ? (first, second) : (second, first)
    return UInt16(high) << 8 | UInt16(low)
  }
}

extension URL: Transferable {
  /// Exports a URL as a string: any URL as `public.url`, and a file URL also as `public.file-url`.
  ///
  /// The string is the URL, not the resource: `ItemProvider(contentsOf:)` offers a file's contents. Only absolute URLs
  /// are exported and imported, since another process may have another base URL. White space around a URL is ignored.
  ///
  /// A list of URLs (`text/uri-list`, RFC 2483) is not imported: using its first line would lose the others silently.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .fileURL) {
      try $0.foreignText()
    } importing: { data in
      let url = try URL(foreignText: data)
      guard url.isFileURL else { throw unusable("not the URL of a file") }
      return url
    }
    .exportingCondition(\.isFileURL)
    DataRepresentation(contentType: .url) {
      try $0.foreignText()
    } importing: {
      try URL(foreignText: $0)
    }
  }

  /// Encodes an absolute URL; throws `EncodingError` for a relative URL.
  package func foreignText() throws -> Data {
    guard scheme != nil else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: [], debugDescription: "a relative URL has no meaning in another process"))
    }
    return Data(absoluteString.utf8)
  }

  /// Decodes an absolute URL; throws `DecodingError` for a relative URL, and for control characters.
  ///
  /// Invalid characters are percent-encoded, as browsers do.
  package init(foreignText data: Data) throws {
    let text = try ForeignText.utf8(data).trimmingWhiteSpace
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw unusable("a URL with control characters") }
    guard let url = URL(string: text), url.scheme?.isEmpty == false else { throw unusable("not an absolute URL") }
    self = url
  }
}

private func unusable(_ reason: String) -> DecodingError {
  .dataCorrupted(.init(codingPath: [], debugDescription: reason))
}

extension String {
  /// The string without spaces, tabs and line ends at its start and its end.
  fileprivate var trimmingWhiteSpace: String {
    let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let start = utf8.drop(while: isSpace)
    let end = start.lastIndex { !isSpace($0) }
    return end.map { String(Substring(start[...$0])) } ?? ""
  }
}

extension Data: Transferable {
  /// Exports and imports bytes as `public.data`.
  ///
  /// Every type of bytes conforms to `public.data`, so the first representation as bytes is imported. To offer bytes
  /// with a specific type, register them: `provider.register(.png) { _ in bytes }`.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .data) {
      $0
    } importing: {
      $0
    }
  }
}

extension AttributedString: Transferable {
  /// Exports and imports the characters as `String` does, without attributes.
  ///
  /// Outside Apple's systems `AttributedString` is not `Codable`, and its attributes have no common encoding.
  public static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation {
      String($0.characters)
    } importing: {
      AttributedString($0)
    }
  }
}
