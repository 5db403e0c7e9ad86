// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
package import UniformTypes

extension String: Transferable {
  /// Text in UTF-8, and from others in UTF-16 or with its encoding unstated as well.
  ///
  /// | in | how it is read |
  /// |---|---|
  /// | `public.utf8-plain-text` | UTF-8, every character kept, so that what went out comes back |
  /// | `public.utf16-external-plain-text` | UTF-16 by its byte order mark, else big-endian |
  /// | `public.utf16-plain-text` | UTF-16 by its byte order mark, else in this machine's order |
  /// | `public.plain-text` | by its byte order mark, else UTF-8 |
  ///
  /// Bytes that are none of it are an error: text with holes in it would look like a success. Other text, such as HTML
  /// or JSON, is not taken for its source; `data(for: .text)` has that.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .utf8PlainText) {
      Data($0.utf8)
    } importing: {
      try ForeignText.utf8($0)
    }
    DataRepresentation(importedContentType: .utf16ExternalPlainText) { try ForeignText.utf16($0, else: .big) }
    DataRepresentation(importedContentType: .utf16PlainText) { try ForeignText.utf16($0, else: .native) }
    DataRepresentation(importedContentType: .plainText) { try ForeignText.unstated($0) }
  }
}

/// Reads text from anybody, whole or not at all.
package enum ForeignText {
  enum ByteOrder {
    case big
    case little

    static var native: ByteOrder { 1.littleEndian == 1 ? .little : .big }
  }

  /// Text of one of the types that ``Swift/String`` can be made of.
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
    guard data.count.isMultiple(of: 2) else { throw malformed("UTF-16: half a unit") }
    let units = UTF16Units(bytes: mark == nil ? data : data.dropFirst(2), order: mark ?? order)
    guard let text = String(validating: units, as: UTF16.self) else { throw malformed("UTF-16: half a pair") }
    return text
  }

  /// The mark is how text of unstated encoding states it, and no part of the text.
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

/// An even number of bytes as units of UTF-16.
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
  /// An address as its text: `public.url`, and before it `public.file-url` if it is one of a file.
  ///
  /// It is the address that goes, not what is there: `ItemProvider(contentsOf:)` offers a file's contents. Only
  /// absolute addresses go and come, since another process has another place to start from; white space around one
  /// is no part of it.
  ///
  /// A list of addresses (`text/uri-list`, RFC 2483) is no URL: taking its first line would lose the others unseen.
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

  package func foreignText() throws -> Data {
    guard scheme != nil else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: [], debugDescription: "a relative URL, which means nothing in another process"))
    }
    return Data(absoluteString.utf8)
  }

  /// Characters that belong into no URL are percent-encoded, as browsers do: people write addresses with them.
  package init(foreignText data: Data) throws {
    let text = try ForeignText.utf8(data).trimmingWhiteSpace
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw unusable("control characters") }
    guard let url = URL(string: text), url.scheme?.isEmpty == false else { throw unusable("not an absolute URL") }
    self = url
  }
}

private func unusable(_ reason: String) -> DecodingError {
  .dataCorrupted(.init(codingPath: [], debugDescription: reason))
}

extension String {
  /// Without spaces, tabs and ends of lines at either end.
  fileprivate var trimmingWhiteSpace: String {
    let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let start = utf8.drop(while: isSpace)
    let end = start.lastIndex { !isSpace($0) }
    return end.map { String(Substring(start[...$0])) } ?? ""
  }
}

extension Data: Transferable {
  /// Bytes of no stated kind, both ways: `public.data`.
  ///
  /// As every representation conforms to that type, the bytes of the first one come in. To offer bytes as what they
  /// are, register them under their type: `provider.register(.png) { _ in bytes }`.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .data) {
      $0
    } importing: {
      $0
    }
  }
}

extension AttributedString: Transferable {
  /// The characters as text, both ways as `String` has it; attributes stay behind.
  ///
  /// Outside of Apple's systems `AttributedString` is not `Codable`, and its attributes have no form of bytes that
  /// another program could read.
  public static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation {
      String($0.characters)
    } importing: {
      AttributedString($0)
    }
  }
}
