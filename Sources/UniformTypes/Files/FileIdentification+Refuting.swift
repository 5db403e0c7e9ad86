// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension FileIdentification {
  /// Whether the content contradicts what the name proposes.
  ///
  /// Binary content refutes text. Text refutes a binary format, and text that does not begin with `<` refutes XML.
  /// Content of the proposed format, empty content, and a proposal that the content chose are never refuted.
  ///
  /// - Parameters:
  ///   - named: What the name proposes.
  ///   - found: What the content alone says.
  ///   - content: The first bytes.
  /// - Returns: Whether the proposal does not hold.
  func isRefuted(_ named: IdentifiedFile, by found: IdentifiedFile, _ content: Span<UInt8>) -> Bool {
    guard !content.isEmpty, named.basis == .name, !agrees(found, with: named) else { return false }
    if named.type.identifier == Self.typeOfAnyBytes { return true }
    guard TextDetection.looksLikeText(content.extracting(first: TextDetection.traditionalLength)) else {
      // Documents of XML may be compressed.
      return isText(named) && !(isXML(named) && found.type.conforms(to: .gzip))
    }
    if found.basis == .content, !isText(found) { return false }
    if isXML(named) {
      let start = TextDetection.endOfLeadingSpace(content)
      return start < content.count && content[start] != UInt8(ascii: "<") && TextDetection.looksLikeText(content)
    }
    return isBinary(named) && TextDetection.looksLikeText(content)
  }

  private func agrees(_ found: IdentifiedFile, with named: IdentifiedFile) -> Bool {
    let vague: Set = ["text/plain", Self.unknown]
    guard !vague.contains(found.mimeType) else { return false }
    return bridge.database.isSubtype(found.mimeType, of: named.mimeType)
      || bridge.database.isSubtype(named.mimeType, of: found.mimeType)
      || found.type != .data && (found.type.conforms(to: named.type) || named.type.conforms(to: found.type))
  }

  private func isText(_ file: IdentifiedFile) -> Bool {
    if bridge.database.isSubtype(file.mimeType, of: "text/plain") { return true }
    return !bridge.database.isKnown(file.mimeType) && file.type.conforms(to: .text)
  }

  private func isXML(_ file: IdentifiedFile) -> Bool {
    bridge.database.isSubtype(file.mimeType, of: "application/xml")
  }

  /// Whether no file of the format is text: the database has rules about its content, or it is of a binary kind.
  private func isBinary(_ file: IdentifiedFile) -> Bool {
    if isText(file) || file.type.conforms(to: .text) || Self.textFormats.contains(file.mimeType) { return false }
    return bridge.database.hasContentRules(of: file.mimeType)
      || Self.binaryKinds.contains(where: file.type.conforms(to:))
        && !Self.textTypes.contains(file.type.identifier)
  }

  /// MacBinary owns the extension `bin`, which names bytes of any format.
  private static let typeOfAnyBytes = "com.apple.macbinary-archive"

  private static let binaryKinds: [UTType] = [
    .archive, .audiovisualContent, .compositeContent, .presentation, .spreadsheet,
  ]

  /// Formats written as text, of which the database's rules about content do not find every file.
  private static let textFormats: Set = [
    "application/mac-binhex40", "application/pkix-cert", "application/pkix-crl", "application/sparql-query",
    "application/x-gnumeric", "application/x-quicktime-media-link", "application/x-x509-ca-cert", "audio/x-ms-asx",
    "image/vnd.dxf",
  ]

  /// Types of binary kinds whose format is text.
  private static let textTypes: Set = [
    "com.adobe.postscript", "com.adobe.xfdf", "com.apple.binhex-archive", "public.uuencoded-archive",
  ]
}
