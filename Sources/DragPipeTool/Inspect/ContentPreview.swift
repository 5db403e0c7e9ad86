// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

/// A CBOR representation, or its beginning, in diagnostic notation.
///
/// The preview relies on the type that the sender declared, so the content may be in another format. The text is
/// escaped and of limited length.
struct ContentPreview {
  /// The maximum length of the text, in Unicode scalars.
  private static let maximumLength = 2000
  private static let maximumLineCount = 64

  /// Returns the number of bytes to keep for a preview of a type; 0 for a type without a preview.
  static func prefixLength(of type: UTType) -> Int {
    // A character has at most four bytes.
    isCBOR(type) ? 4 * maximumLength : 0
  }

  private static func isCBOR(_ type: UTType) -> Bool {
    type.identifier.lowercased().hasSuffix(".cbor") || type.preferredFilenameExtension?.lowercased() == "cbor"
  }

  /// The text, or `nil` if ``fault`` is set.
  private(set) var text: String?
  /// The reason why there is no text.
  private(set) var fault: String?

  /// Creates a preview, or `nil` if no bytes were kept or the type has no preview.
  init?(_ representation: DropItemDescription.Representation) {
    guard !representation.prefix.isEmpty, Self.isCBOR(representation.contentType) else { return nil }
    var notation = CBORDiagnosticNotation()
    notation.maximumLength = Self.maximumLength
    let bytes = Data(representation.prefix)
    do {
      let isWhole = UInt64(bytes.count) == representation.byteCount
      text = try isWhole ? notation.text(ofSequence: bytes) : notation.text(ofSequencePrefix: bytes)
    } catch {
      fault = ((error as? DecodingError)?.sentence ?? "\(error)").escapedForDisplay()
    }
  }

  /// The lines to show below the representation.
  var lines: [String] {
    if let fault { return ["not CBOR: \(fault)"] }
    let all = (text ?? "").split(separator: "\n")
    let lines = all.prefix(Self.maximumLineCount).map(String.init)
    return lines.count < all.count ? lines + ["…"] : lines
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
    _ = await runBlocking { UTType.identify(content: [UInt8]().span) }
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
