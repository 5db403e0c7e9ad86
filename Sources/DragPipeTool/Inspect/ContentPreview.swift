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

  /// Loads the system's type database on a thread outside the cooperative pool, so later lookups do not block.
  static func prepare() async throws {
    _ = await runBlocking { UTType.identify(content: [UInt8]().span) }
  }

  /// Returns the type that the content indicates; `nil` if it agrees with the declared type, or if no bytes were kept.
  static func type(of representation: DropItemDescription.Representation) -> UTType? {
    let prefix = representation.prefix.prefix(prefixLength)
    return representation.contentType.contradiction(by: prefix.span)
  }
}
