// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The well-known leading bytes of file formats, for systems without a shared MIME database and for formats that the
/// database lacks.
enum ContentSignatures {
  /// The number of leading bytes that can influence the result.
  static let extent = 4096

  /// The type that a signature determines.
  enum Match: Sendable, Hashable {
    case mimeType(String)
    /// A uniform type without a well-known MIME type.
    case identifier(String)
  }

  /// Returns the type that the signatures determine for content.
  ///
  /// - Parameter content: The first `extent` bytes, or the complete file.
  /// - Returns: The type; `nil` if no signature matches, even if the content is text.
  static func type(of content: Span<UInt8>) -> Match? {
    let content = content.extracting(first: extent)
    for signature in signatures where TextDetection.starts(content, at: signature.offset, with: signature.bytes) {
      return signature.match
    }
    if let type = containedType(content) ?? markupType(content) { return .mimeType(type) }
    return classOrUniversalBinary(content) ?? scriptType(content)
  }

  // MARK: Fixed bytes

  private struct Signature: Sendable {
    let offset: Int
    let bytes: [UInt8]
    let match: Match

    init(_ bytes: [UInt8], at offset: Int = 0, _ mimeType: String) {
      self.offset = offset
      self.bytes = bytes
      match = .mimeType(mimeType)
    }

    init(_ text: StaticString, at offset: Int = 0, _ mimeType: String) {
      self.init(text.withUTF8Buffer { Array($0) }, at: offset, mimeType)
    }

    init(_ bytes: [UInt8], identifier: String) {
      offset = 0
      self.bytes = bytes
      match = .identifier(identifier)
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
    // The start of a drop stream: `Preamble.magic` of DropTransport.
    Signature([0xD7, 0x44, 0x52, 0x50, 0x0D, 0x0A, 0x1A, 0x0A], "application/vnd.dragpipe.drop"),
    Signature("Rar!\u{1A}\u{7}", "application/vnd.rar"),
    Signature("8BPS", "image/vnd.adobe.photoshop"),
    Signature("icns", "image/x-icns"),
    Signature("ttcf", "font/collection"),
    Signature("wOFF", "font/woff"),
    Signature("wOF2", "font/woff2"),
    Signature("glTF", "model/gltf-binary"),
    Signature("#?RADIANCE", "image/vnd.radiance"),
    Signature("\u{0}asm", "application/wasm"),
    Signature("PAR1", "application/vnd.apache.parquet"),
    Signature("ARROW1", "application/vnd.apache.arrow.file"),
    Signature([0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A], "application/x-hdf5"),
    Signature("\"use strict\"", "application/javascript"),
    Signature("'use strict'", "application/javascript"),
    Signature([0x93] + Array("NUMPY".utf8), identifier: "org.dragpipe.numpy-array"),
    Signature([0xCF, 0xFA, 0xED, 0xFE], identifier: "com.apple.mach-o-binary"),
    Signature([0xCE, 0xFA, 0xED, 0xFE], identifier: "com.apple.mach-o-binary"),
    Signature([0xFE, 0xED, 0xFA, 0xCF], identifier: "com.apple.mach-o-binary"),
    Signature([0xFE, 0xED, 0xFA, 0xCE], identifier: "com.apple.mach-o-binary"),
    Signature(Array("bplist00".utf8), identifier: "com.apple.binary-property-list"),
  ]
}

// MARK: Structures

extension ContentSignatures {
  /// Returns the type of a file that fixed leading bytes do not determine: a container format, bzip2 or a bitmap.
  static func containedType(_ content: Span<UInt8>) -> String? {
    if TextDetection.starts(content, with: Array("RIFF".utf8)) {
      return riffForms.first { TextDetection.starts(content, at: 8, with: Array($0.form.utf8)) }?.type
    }
    if TextDetection.starts(content, at: 4, with: Array("ftyp".utf8)) { return typeOfBrand(content) }
    if TextDetection.starts(content, with: [0x1A, 0x45, 0xDF, 0xA3]) { return typeOfMatroska(content) }
    if TextDetection.starts(content, with: Array("BZh".utf8)) { return isBzip2(content) ? "application/x-bzip2" : nil }
    return isBitmap(content) ? "image/bmp" : nil
  }

  private static let riffForms = [
    (form: "WEBP", type: "image/webp"), (form: "WAVE", type: "audio/x-wav"), (form: "AVI ", type: "video/x-msvideo"),
  ]

  private static let brands: [(brand: String, type: String)] = [
    ("heic", "image/heif"), ("heix", "image/heif"), ("heim", "image/heif"), ("heis", "image/heif"),
    ("mif1", "image/heif"), ("msf1", "image/heif"), ("avif", "image/avif"), ("avis", "image/avif"),
    ("qt  ", "video/quicktime"), ("M4A ", "audio/mp4"), ("M4B ", "audio/mp4"), ("M4V ", "video/mp4"),
    ("isom", "video/mp4"), ("iso2", "video/mp4"), ("iso4", "video/mp4"), ("iso5", "video/mp4"),
    ("iso6", "video/mp4"), ("mp41", "video/mp4"), ("mp42", "video/mp4"), ("avc1", "video/mp4"),
    ("dash", "video/mp4"),
  ]

  /// Returns the type for the major brand of an ISO base media file.
  ///
  /// Still images of several codecs share a major brand, and are distinguished by their compatible brands.
  private static func typeOfBrand(_ content: Span<UInt8>) -> String? {
    guard let major = brands.first(where: { TextDetection.starts(content, at: 8, with: Array($0.brand.utf8)) }) else {
      return nil
    }
    guard major.brand == "mif1" || major.brand == "msf1" else { return major.type }
    let stated = (0..<4).reduce(0) { $0 << 8 | Int(content[$1]) }
    let end = min(stated, content.count, 256)
    let isAVIF = stride(from: 16, to: end, by: 4).contains {
      TextDetection.starts(content, at: $0, with: Array("avif".utf8))
    }
    return isAVIF ? "image/avif" : major.type
  }

  /// Returns the type of a Matroska file by its document type.
  ///
  /// The document type is an element near the start of the header: its identifier, a length of one byte, and its name.
  private static func typeOfMatroska(_ content: Span<UInt8>) -> String? {
    for offset in 4..<max(4, min(content.count, 64)) {
      guard TextDetection.starts(content, at: offset, with: [0x42, 0x82]) else { continue }
      if TextDetection.starts(content, at: offset + 3, with: Array("webm".utf8)) { return "video/webm" }
      if TextDetection.starts(content, at: offset + 3, with: Array("matroska".utf8)) { return "video/x-matroska" }
    }
    return nil
  }

  /// Returns the type of a Java class or of a universal Mach-O file, which begin with the same four bytes.
  ///
  /// The number of architectures follows in a Mach-O file, and the version in a class, which is at least 45.
  private static func classOrUniversalBinary(_ content: Span<UInt8>) -> Match? {
    guard content.count >= 8, TextDetection.starts(content, with: [0xCA, 0xFE, 0xBA, 0xBE]) else { return nil }
    let number = (4..<8).reduce(0) { $0 << 8 | Int(content[$1]) }
    return number < 45 ? .identifier("com.apple.mach-o-binary") : .mimeType("application/x-java")
  }

  /// Returns whether the content is bzip2.
  ///
  /// Three letters are weak evidence. The block size and the magic number of the first block or of the end of the
  /// stream must match as well.
  private static func isBzip2(_ content: Span<UInt8>) -> Bool {
    guard content.count >= 10, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(content[3]) else { return false }
    return TextDetection.starts(content, at: 4, with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
      || TextDetection.starts(content, at: 4, with: [0x17, 0x72, 0x45, 0x38, 0x50, 0x90])
  }

  /// Returns whether the content is a bitmap.
  ///
  /// Two letters are weak evidence. The reserved fields must be zero, and the length of the header must be a length
  /// that formats use.
  private static func isBitmap(_ content: Span<UInt8>) -> Bool {
    guard content.count >= 18, TextDetection.starts(content, with: Array("BM".utf8)) else { return false }
    return TextDetection.starts(content, at: 6, with: [0, 0, 0, 0])
      && [12, 16, 40, 52, 56, 64, 108, 124].contains(content[14])
      && TextDetection.starts(content, at: 15, with: [0, 0, 0])
  }

  /// Returns the type of an HTML document, of XML with an XML declaration, or of a JSON object.
  ///
  /// White space may come before the document.
  static func markupType(_ content: Span<UInt8>) -> String? {
    let start = TextDetection.endOfLeadingSpace(content)
    guard start < content.count, TextDetection.looksLikeText(content) else { return nil }
    switch content[start] {
    case UInt8(ascii: "<"): return typeOfMarkup(content.extracting(droppingFirst: start))
    case UInt8(ascii: "{"): return isObject(content, from: start) ? "application/json" : nil
    default: return nil
    }
  }

  private static func typeOfMarkup(_ content: Span<UInt8>) -> String? {
    func starts(_ tag: String) -> Bool {
      guard content.count > tag.utf8.count else { return false }
      for (index, byte) in tag.utf8.enumerated() where content[index].asciiLowercased != byte { return false }
      let next = content[tag.utf8.count]
      return TextDetection.isSpace(next) || next == UInt8(ascii: ">")
    }
    if starts("<!doctype html") || starts("<html") { return "text/html" }
    return starts("<?xml") ? "application/xml" : nil
  }

  /// Returns whether the content is a JSON object.
  ///
  /// A brace alone is weak evidence. A key and a colon must follow, or the closing brace of an empty object at the end
  /// of the content.
  private static func isObject(_ content: Span<UInt8>, from start: Int) -> Bool {
    var index = start + 1
    func skipSpace() { while index < content.count, TextDetection.isSpace(content[index]) { index += 1 } }
    skipSpace()
    guard index < content.count else { return false }
    if content[index] == UInt8(ascii: "}") {
      index += 1
      skipSpace()
      return index == content.count
    }
    guard content[index] == UInt8(ascii: "\"") else { return false }
    index += 1
    while index < content.count, content[index] != UInt8(ascii: "\"") {
      index += content[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    index += 1
    skipSpace()
    return index < content.count && content[index] == UInt8(ascii: ":")
  }

  // MARK: Scripts

  private static let interpreters = [
    (name: "python", type: "text/x-python"), (name: "perl", type: "application/x-perl"),
    (name: "ruby", type: "application/x-ruby"), (name: "node", type: "application/javascript"),
    (name: "bash", type: "application/x-shellscript"), (name: "dash", type: "application/x-shellscript"),
    (name: "zsh", type: "application/x-shellscript"), (name: "ksh", type: "application/x-shellscript"),
    (name: "sh", type: "application/x-shellscript"), (name: "awk", type: "application/x-awk"),
  ]

  /// Returns the type of a script that names its interpreter in the first line, directly or through `env`.
  static func scriptType(_ content: Span<UInt8>) -> Match? {
    guard TextDetection.starts(content, with: Array("#!".utf8)) else { return nil }
    var line: [UInt8] = []
    for index in 2..<min(content.count, 256) {
      guard content[index] != UInt8(ascii: "\n") else { break }
      line.append(content[index])
    }
    let words = line.split { TextDetection.isSpace($0) }
    guard let first = words.first, first.first == UInt8(ascii: "/"), TextDetection.looksLikeText(line.span) else {
      return nil
    }
    func program(_ path: ArraySlice<UInt8>) -> String {
      String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }
    var name = program(first)
    if name == "env" {
      let isOption = { (word: ArraySlice<UInt8>) in
        word.first == UInt8(ascii: "-") || word.contains(UInt8(ascii: "="))
      }
      name = words.dropFirst().first { !isOption($0) }.map(program) ?? ""
    }
    let stem = name.prefix { !$0.isNumber && $0 != "." }
    guard let known = interpreters.first(where: { $0.name == stem }) else { return .identifier("public.script") }
    return .mimeType(known.type)
  }
}
