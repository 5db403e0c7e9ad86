// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// An incremental decoder of another program's text, which returns UTF-8.
///
/// Each chunk is decoded when it arrives, so a text of any length takes little memory.
struct TextDecoder: Sendable {
  /// The encodings of received text.
  enum Encoding: Sendable, Hashable {
    /// UTF-8 or UTF-16 by the byte order mark; without a mark UTF-8, or else Latin-1.
    ///
    /// A final NUL is removed, since some programs send the terminator of a C string with the text.
    case marked
    case latin1
    case utf8
    case utf16(isBigEndian: Bool)
  }

  private var encoding: Encoding
  private let removesTerminator: Bool
  /// Whether all text so far is ASCII, so that its encoding may still be Latin-1.
  private var mayBeLatin1: Bool
  /// The bytes that depend on the next chunk: the start, an incomplete character, or a NUL that may be the last byte.
  private var pending = Data()

  /// Creates a decoder.
  init(_ encoding: Encoding) {
    self.encoding = encoding
    removesTerminator = encoding == .marked
    mayBeLatin1 = encoding == .marked
  }

  /// Decodes a chunk.
  ///
  /// - Parameters:
  ///   - chunk: The bytes, possibly none.
  ///   - isLast: Whether the text ends with the chunk.
  /// - Returns: The decoded characters, possibly none.
  /// - Throws: `malformed` for UTF-8; `DecodingError` for UTF-16.
  mutating func decode(_ chunk: Data, isLast: Bool) throws -> Data {
    var bytes = pending.isEmpty ? chunk : pending + chunk
    pending = Data()
    if encoding == .marked {
      guard bytes.count >= 3 || isLast else {
        pending = bytes
        return Data()
      }
      bytes = removingMark(from: bytes)
    }
    if case .utf16(let isBigEndian) = encoding { return try utf16(bytes, isBigEndian, isLast) }
    if removesTerminator, bytes.last == 0 {
      if !isLast { pending = bytes.suffix(1) }
      bytes = bytes.dropLast()
    }
    return encoding == .latin1 ? Self.latin1(bytes) : try utf8(bytes, isLast)
  }

  private mutating func removingMark(from bytes: Data) -> Data {
    encoding = .utf8
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      mayBeLatin1 = false
      return bytes.dropFirst(3)
    }
    let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
    guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else { return bytes }
    encoding = .utf16(isBigEndian: isBigEndian)
    return bytes.dropFirst(2)
  }

  private mutating func utf8(_ bytes: Data, _ isLast: Bool) throws -> Data {
    let rest = isLast ? Data() : Self.incompleteCharacter(in: bytes)
    let text = bytes.dropLast(rest.count)
    guard let span = try? UTF8Span(validating: text.span) else {
      guard mayBeLatin1 else { throw DesktopError(.malformed, "the text is not valid UTF-8") }
      encoding = .latin1
      return Self.latin1(bytes)
    }
    mayBeLatin1 = mayBeLatin1 && span.isKnownASCII
    pending = rest + pending
    return text
  }

  /// Returns the start of a character at the end of UTF-8, whose other bytes are in the next chunk.
  private static func incompleteCharacter(in bytes: Data) -> Data {
    let end = bytes.suffix(3)
    guard let first = end.lastIndex(where: { $0 >= 0xC0 }) else { return Data() }
    let length = bytes[first] >= 0xF0 ? 4 : bytes[first] >= 0xE0 ? 3 : 2
    return end.endIndex - first < length ? end[first...] : Data()
  }

  private static func latin1(_ bytes: Data) -> Data {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return bytes }
    return Data(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
  }

  private mutating func utf16(_ bytes: Data, _ isBigEndian: Bool, _ isLast: Bool) throws -> Data {
    var restCount = isLast ? 0 : bytes.count % 2
    let units = bytes.dropLast(restCount)
    // The first half of a surrogate pair needs the second.
    if !isLast, let high = units.dropLast(isBigEndian ? 1 : 0).last, 0xD8...0xDB ~= high { restCount += 2 }
    pending = bytes.suffix(restCount)
    let mark = isBigEndian ? Data([0xFE, 0xFF]) : Data([0xFF, 0xFE])
    return Data(try ForeignText.text(mark + bytes.dropLast(restCount), of: .utf16ExternalPlainText).utf8)
  }
}

/// The text of a value, decoded to UTF-8 while it is received.
struct DecodedText: AsyncSequence, Sendable {
  typealias Element = Data

  let chunks: ForeignChunks
  let encoding: TextDecoder.Encoding

  func makeAsyncIterator() -> Iterator {
    Iterator(chunks: chunks.makeAsyncIterator(), decoder: TextDecoder(encoding))
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var chunks: ForeignChunks.Iterator
    fileprivate var decoder: TextDecoder
    fileprivate var isAtEnd = false

    mutating func next() async throws -> Data? {
      while !isAtEnd {
        let chunk = try await chunks.next()
        isAtEnd = chunk == nil
        let text = try decoder.decode(Data(chunk ?? []), isLast: isAtEnd)
        if !text.isEmpty { return text }
      }
      return nil
    }
  }
}
