// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

/// A CBOR, JSON or property list representation, or its beginning, as text.
///
/// The preview relies on the type that the sender declared, so the content may be in another format. The text is
/// escaped and of limited length.
struct ContentPreview {
  /// A format that has a preview.
  enum Form: Sendable {
    case cbor
    case json
    case propertyList

    /// Chooses a format by the type's identifier, extension or supertypes.
    init?(_ type: UTType) {
      let identifier = type.identifier.lowercased()
      let filenameExtension = type.preferredFilenameExtension?.lowercased()
      if identifier.hasSuffix(".cbor") || filenameExtension == "cbor" {
        self = .cbor
      } else if type.conforms(to: .json) || identifier.hasSuffix(".json") || filenameExtension == "json" {
        self = .json
      } else if type.conforms(to: .propertyList) || identifier.hasSuffix(".plist") || filenameExtension == "plist" {
        self = .propertyList
      } else {
        return nil
      }
    }

    var noun: String {
      switch self {
      case .cbor: "CBOR"
      case .json: "JSON"
      case .propertyList: "property list"
      }
    }

    /// The number of bytes of a representation to keep for its preview.
    ///
    /// A character has at most four bytes.
    fileprivate var prefixLength: Int {
      switch self {
      case .cbor, .json: 4 * PreviewText.maximumLength
      case .propertyList: PropertyListPreview.maximumByteCount
      }
    }
  }

  /// Returns the number of bytes to keep for a preview of a type; 0 for a type without a preview.
  static func prefixLength(of type: UTType) -> Int { Form(type)?.prefixLength ?? 0 }

  let form: Form
  /// The text, or `nil` if ``fault`` is set.
  private(set) var text: String?
  /// The reason why there is no text.
  private(set) var fault: String?
  /// The size of a JSON representation in bytes, if only its beginning was kept.
  private(set) var byteCountOfWhole: UInt64?

  /// Creates a preview, or `nil` if no bytes were kept or the type has no preview.
  init?(_ representation: DropItemDescription.Representation) {
    guard !representation.prefix.isEmpty, let form = Form(representation.contentType) else { return nil }
    self.form = form
    let isWhole = UInt64(representation.prefix.count) == representation.byteCount
    do {
      switch form {
      case .cbor: text = try Self.notation(of: representation.prefix, isWhole: isWhole)
      case .json:
        text = try JSONPreview.text(of: representation.prefix, isPrefix: !isWhole).text
        if !isWhole { byteCountOfWhole = representation.byteCount }
      case .propertyList where isWhole: text = try PropertyListPreview.text(of: Data(representation.prefix)).text
      // The list is too large. Or it is an alias, which shares the bytes that were kept for its original: the
      // original's type may need fewer bytes.
      case .propertyList: fault = "too few bytes were kept for a preview"
      }
    } catch let error as JSONPreview.Fault {
      fault = "at byte \(error.offset): \(error.reason)"
    } catch {
      fault = ((error as? DecodingError)?.sentence ?? "\(error)").escapedForDisplay()
    }
  }

  private static func notation(of prefix: [UInt8], isWhole: Bool) throws -> String {
    var notation = CBORDiagnosticNotation()
    notation.maximumLength = PreviewText.maximumLength
    let bytes = Data(prefix)
    return isWhole ? try notation.text(ofSequence: bytes) : try notation.text(ofSequencePrefix: bytes)
  }

  /// The lines to show below the representation.
  var lines: [String] {
    if let fault { return [form == .propertyList ? "\(form.noun): \(fault)" : "not \(form.noun): \(fault)"] }
    let all = (text ?? "").split(separator: "\n")
    var lines = all.prefix(PreviewText.maximumLineCount).map(String.init)
    if lines.count < all.count { lines.append("…") }
    if let byteCountOfWhole { lines.append("(truncated: the text has \(byteCountOfWhole) bytes)") }
    return lines
  }
}

/// The text of a preview, which is limited in length and lines.
///
/// If the text exceeds a limit, it is truncated there and ends with `…`.
struct PreviewText: Sendable {
  /// The maximum length, in Unicode scalars.
  static let maximumLength = 2000
  static let maximumLineCount = 64

  private(set) var text = ""
  /// Whether the text has been truncated.
  private(set) var isTruncated = false
  private var length = 0
  private var lineCount = 1

  /// Adds a string unchanged, and truncates the text at the maximum length.
  mutating func write(_ piece: some StringProtocol) {
    guard !isTruncated else { return }
    for scalar in piece.unicodeScalars {
      guard length < Self.maximumLength else { return truncate() }
      text.unicodeScalars.append(scalar)
      length += 1
    }
  }

  /// Adds a string in quotes, escaped as in JSON.
  mutating func writeQuoted(_ string: String) {
    write("\"")
    for scalar in string.unicodeScalars where !isTruncated {
      switch scalar {
      case "\"": write(#"\""#)
      case "\\": write(#"\\"#)
      case "\n": write(#"\n"#)
      default: scalar.isInvisibleControl ? write(String(scalar).escapedInJSON) : write(String(scalar))
      }
    }
    write("\"")
  }

  /// Begins a new line with `level` levels of indentation, or truncates the text if it has the maximum number of lines.
  mutating func beginLine(level: Int) {
    guard !isTruncated, lineCount < Self.maximumLineCount else { return truncate() }
    lineCount += 1
    write("\n")
    for _ in 0..<level where !isTruncated { write("  ") }
  }

  /// Ends the text with `…`.
  ///
  /// Further text is ignored.
  mutating func truncate() {
    guard !isTruncated else { return }
    isTruncated = true
    text += "…"
  }
}

/// The type that the first bytes of content indicate, if it contradicts the declared type or is more specific.
///
/// The type is only a hint for the user, since the sender controls both the content and the declared type.
enum SniffedType {
  /// The number of bytes to examine.
  static let prefixLength = 4096

  /// Formats on which many other formats are based, such as zip and XML.
  private static let containers: Set = ["application/zip", "application/xml", "application/x-ole-storage", "text/xml"]

  /// Loads the system's type database on a thread outside the cooperative pool, so later lookups do not block.
  static func prepare() async throws {
    _ = try await runBlocking { UTType.identify(content: [UInt8]().span) }
  }

  /// Returns the type that the content indicates; `nil` if it agrees with the declared type, or if no bytes were kept.
  static func type(of representation: DropItemDescription.Representation) -> UTType? {
    guard !representation.prefix.isEmpty else { return nil }
    let prefix = representation.prefix.prefix(prefixLength)
    return type(of: prefix.span, declaredAs: representation.contentType)
  }

  private static func type(of content: Span<UInt8>, declaredAs declared: UTType) -> UTType? {
    let found = UTType.identify(content: content)
    let type = found.type
    if found.basis != .content { return contradicts(guess: type, declared) ? type : nil }
    if type == declared || declared.conforms(to: type) { return nil }
    if declared.tags[.mimeType, default: []].contains(found.mimeType) { return nil }
    if type.conforms(to: declared) { return type }
    if type.conforms(to: .sourceCode), declared.conforms(to: .sourceCode) { return nil }
    return containers.contains(found.mimeType) && !hasSignature(declared) && declared.isDeclared ? nil : type
  }

  /// Whether a guess contradicts the declared type: text for a format with a signature, or other content for text.
  private static func contradicts(guess: UTType, _ declared: UTType) -> Bool {
    let isText = declared.conforms(to: .text)
    if guess.conforms(to: .text) { return hasSignature(declared) && !isText }
    // UTF-16 text may have a zero in every second byte, so it does not look like text.
    return isText && !declared.conforms(to: .utf16PlainText) && !declared.conforms(to: .utf16ExternalPlainText)
  }

  /// Whether all common formats of the type begin with a signature.
  private static func hasSignature(_ type: UTType) -> Bool {
    [.image, .audiovisualContent, .archive, .pdf].contains { type.conforms(to: $0) }
  }
}
