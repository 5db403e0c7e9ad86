// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Well-known leading bytes, for systems without a shared MIME database and for what theirs does not know.
enum ContentSignatures {
  /// How many leading bytes decide.
  static let extent = 4096

  /// What the bytes show.
  enum Answer: Sendable, Hashable {
    case mimeType(String)
    /// Where there is no media type that others would understand.
    case identifier(String)
  }

  /// The type that content shows.
  ///
  /// - Parameter content: The first `extent` bytes, or the whole file.
  /// - Returns: Nothing when it shows none, though it may be text.
  static func type(of content: Span<UInt8>) -> Answer? {
    let content = content.extracting(first: extent)
    for signature in signatures where TextDetection.starts(content, at: signature.offset, with: signature.bytes) {
      return signature.answer
    }
    if let type = containedType(content) ?? markupType(content) { return .mimeType(type) }
    return scriptType(content)
  }

  // MARK: Fixed bytes

  private struct Signature: Sendable {
    let offset: Int
    let bytes: [UInt8]
    let answer: Answer

    init(_ bytes: [UInt8], at offset: Int = 0, _ mimeType: String) {
      self.offset = offset
      self.bytes = bytes
      answer = .mimeType(mimeType)
    }

    init(_ text: StaticString, at offset: Int = 0, _ mimeType: String) {
      self.init(text.withUTF8Buffer { Array($0) }, at: offset, mimeType)
    }

    init(_ text: StaticString, identifier: String) {
      offset = 0
      bytes = text.withUTF8Buffer { Array($0) }
      answer = .identifier(identifier)
    }
  }

  private static let signatures: [Signature] = [
    Signature([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
    Signature([0xFF, 0xD8, 0xFF], "image/jpeg"),
    Signature("GIF87a", "image/gif"),
    Signature("GIF89a", "image/gif"),
    Signature([0x49, 0x49, 0x2A, 0x00], "image/tiff"),
    Signature([0x4D, 0x4D, 0x00, 0x2A], "image/tiff"),
    Signature("%PDF-", "application/pdf"),
    Signature([0x50, 0x4B, 0x03, 0x04], "application/zip"),
    Signature([0x50, 0x4B, 0x05, 0x06], "application/zip"),
    Signature([0x50, 0x4B, 0x07, 0x08], "application/zip"),
    Signature([0x1F, 0x8B, 0x08], "application/gzip"),
    Signature([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "application/x-xz"),
    Signature([0x28, 0xB5, 0x2F, 0xFD], "application/zstd"),
    Signature([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "application/x-7z-compressed"),
    Signature("ustar", at: 257, "application/x-tar"),
    Signature([0x7F, 0x45, 0x4C, 0x46], "application/x-elf"),
    Signature("OggS", "application/ogg"),
    Signature("fLaC", "audio/flac"),
    Signature("ID3", "audio/mpeg"),
    Signature("SQLite format 3\0", "application/vnd.sqlite3"),
    Signature("%!PS-Adobe-", "application/postscript"),
    Signature("{\\rtf", "application/rtf"),
    // The start of a drop: `Preamble.magic` of DropTransport.
    Signature([0xD7, 0x44, 0x52, 0x50, 0x0D, 0x0A, 0x1A, 0x0A], "application/vnd.dragpipe.drop"),
    Signature("bplist00", identifier: "com.apple.binary-property-list"),
  ]
}
