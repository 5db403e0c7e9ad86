// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A search for the type of a file by its name and its first bytes.
///
/// One decision yields both the MIME type and the uniform type:
/// 1. The name proposes a MIME type of the system's database, or else a declared type that has its extension. If
///    several MIME types claim the name, the content selects one.
/// 2. The content decides if it refutes the proposal (`isRefuted`), or if the proposal is a declared type and the
///    content has another format that is not a container. The extension then only refines a guess.
/// 3. The uniform type follows from the MIME type. The name's extension only selects among types of that format.
struct FileIdentification {
  let bridge: MIMEBridge
  private let name: String

  /// - Parameters:
  ///   - name: The last component of the path; empty to consult only the content.
  ///   - bridge: The system's MIME database.
  init(name: String, bridge: MIMEBridge = .current) {
    self.name = String(decoding: name.utf8.suffix(Self.maximumNameLength), as: UTF8.self)
    self.bridge = bridge
  }

  static let unknown = "application/octet-stream"

  /// The maximum length of a file's name in bytes.
  ///
  /// Only the end of a longer name is used, because each period in it costs a lookup.
  private static let maximumNameLength = 255

  /// The number of leading bytes of content that can influence the result.
  var extent: Int { max(bridge.database.magicExtent, ContentSignatures.extent) }

  /// Returns the type for the name alone; `nil` if the name does not determine a type.
  func byName() -> IdentifiedFile? {
    proposal { bridge.database.type(ofName: name).map { ($0, .name) } }
      ?? undeclaredTypeOfExtension.map { type in
        IdentifiedFile(type: type, mimeType: mimeType(of: type), basis: .guess)
      }
  }

  /// Returns the type for the content alone.
  func byContent(_ content: Span<UInt8>) -> IdentifiedFile {
    let match = bridge.database.type(ofContent: content)
    let signature = match.evidence == .content ? nil : ContentSignatures.type(of: content)
    switch signature {
    case .mimeType(let mimeType): return identified(as: mimeType, .content)
    case .identifier(let identifier):
      let type = UTType(named: identifier)
      return IdentifiedFile(type: type, mimeType: mimeType(of: type), basis: .content)
    case nil: return identified(as: match.type, match.evidence == .content ? .content : .guess)
    }
  }

  /// Returns the type for the name and the content.
  func byNameAndContent(_ content: Span<UInt8>) -> IdentifiedFile {
    let content = content.extracting(first: extent)
    let found = byContent(content)
    let isManual = content.count > 0 && (content[0] == UInt8(ascii: ".") || content[0] == UInt8(ascii: "'"))
    let match = bridge.database.type(ofName: name) == nil ? nil : bridge.database.type(ofName: name, content: content)
    let named = proposal(isManual: isManual) {
      match.map { ($0.type, $0.evidence == .nameAndContent ? .content : .name) }
    }
    guard let named, !isRefuted(named, by: found, content) else { return unnamed(found) }
    guard match == nil, found.basis == .content else { return named }
    // The database does not know the name, but a declared type has its extension. That type takes precedence over a
    // container format and over its own supertypes, but not over any other format of the content.
    guard Self.containers.contains(found.mimeType) || named.type.conforms(to: found.type) else { return found }
    return named.type.preferredMIMEType == nil
      ? IdentifiedFile(type: named.type, mimeType: found.mimeType, basis: .name) : named
  }

  /// The MIME types of formats in which other formats are written.
  private static let containers: Set = [
    "application/zip", "application/xml", "application/x-ole-storage", "text/plain", unknown,
  ]

  /// Returns the proposal of the name: a MIME type that claims the name, or else a declared type of its extension.
  ///
  /// A claim of manual pages on a name that ends with a version is ignored unless the content is a manual page.
  ///
  /// - Parameters:
  ///   - isManual: Whether the content begins like a manual page.
  ///   - claim: Returns the MIME type that claims the name.
  /// - Returns: The proposal; `nil` if the name proposes no type.
  private func proposal(
    isManual: Bool = false, _ claim: () -> (mimeType: String, basis: IdentifiedFile.Basis)?
  ) -> IdentifiedFile? {
    if let claim = claim(), isManual || claim.mimeType != "application/x-troff-man" || !endsWithVersion {
      return identified(as: claim.mimeType, claim.basis)
    }
    return typesOfExtension.first.map { type in
      IdentifiedFile(type: type, mimeType: mimeType(of: type), basis: .name)
    }
  }

  /// Returns the type for the content, refined by the name's extension if the content yields only a guess.
  private func unnamed(_ found: IdentifiedFile) -> IdentifiedFile {
    guard found.basis == .guess, let last = extensions.last, !isNumber(last) else { return found }
    if found.type == .data { return undeclaredTypeOfExtension.map { found.with($0) } ?? found }
    guard let special = UTType(filenameExtension: last, conformingTo: found.type) else { return found }
    return special.isDeclared
      ? IdentifiedFile(type: special, mimeType: mimeType(of: special), basis: .name) : found.with(special)
  }

  // MARK: Types of MIME types

  func identified(as mimeType: String, _ basis: IdentifiedFile.Basis) -> IdentifiedFile {
    let declared = bridge.declaredTypes(ofMIMEType: mimeType)
    let general = declared.first ?? UTType(mimeType: mimeType) ?? .data
    let candidates = basis == .guess ? [] : typesOfExtension + [undeclaredTypeOfExtension].compactMap(\.self)
    let type = candidates.first { type in
      if general.isSubtype(of: type) { return false }
      if !type.isDeclared { return type.conforms(to: general) }
      if declared.contains(where: { $0 != .data && type.conforms(to: $0) }) { return true }
      // No declared type has the MIME type. The type of the extension may have that format if it is of the same kind.
      return basis == .name && declared.isEmpty && !MIMEIdentifiers.foreign.contains(mimeType)
        && MediaKind(of: mimeType).parent.map(type.conforms(to:)) ?? true
    }
    return IdentifiedFile(type: type ?? general, mimeType: mimeType, basis: basis)
  }

  private func mimeType(of type: UTType) -> String {
    let declared = type.preferredMIMEType.map(MIMETypeText.essence(of:))
    return declared ?? (type.conforms(to: .text) ? "text/plain" : Self.unknown)
  }

  // MARK: Extensions

  /// The declared types of the longest extension that has declared types, best first.
  private var typesOfExtension: [UTType] {
    for each in extensions {
      let types = UTType.types(tag: each, tagClass: .filenameExtension, conformingTo: .data).filter(\.isDeclared)
      if !types.isEmpty { return types }
    }
    return []
  }

  /// The dynamic type of the last extension.
  ///
  /// The result is `nil` if a type declares one of the name's extensions, or if the last extension is missing, empty or
  /// a number.
  private var undeclaredTypeOfExtension: UTType? {
    guard typesOfExtension.isEmpty, let last = extensions.last, !isNumber(last) else { return nil }
    return UTType(filenameExtension: last)
  }

  /// The part of the name after each period, longest first.
  ///
  /// A period at the start marks a hidden file, and does not begin an extension.
  private var extensions: [String] {
    var found: [String] = []
    var rest = Substring(name)
    if rest.utf8.first == UInt8(ascii: ".") { rest.removeFirst() }
    while let period = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.utf8.index(after: period)...]
      found.append(String(rest))
    }
    return found
  }

  /// Whether the name ends with a version, as in `libdb5.3`, whose last number looks like the section of a manual page.
  private var endsWithVersion: Bool {
    guard let period = name.utf8.lastIndex(of: UInt8(ascii: ".")), period > name.startIndex else { return false }
    return isNumber(String(name[name.utf8.index(before: period)..<period]))
  }

  private func isNumber(_ text: String) -> Bool {
    text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }
}

extension IdentifiedFile {
  fileprivate func with(_ type: UTType) -> IdentifiedFile {
    IdentifiedFile(type: type, mimeType: mimeType, basis: basis)
  }
}

extension FileIdentification {
  /// Returns whether the content contradicts the proposal of the name.
  ///
  /// Binary content refutes text, but compressed data do not refute XML. Text refutes a binary format, and text that
  /// does not begin with `<` refutes XML. Any content refutes the type of the extension `bin`.
  ///
  /// Empty content refutes nothing. The content never refutes a proposal that it selected, nor a type that conforms to
  /// the type for the content or to which that type conforms.
  ///
  /// - Parameters:
  ///   - named: The proposal of the name.
  ///   - found: The type for the content alone.
  ///   - content: The first bytes.
  /// - Returns: Whether the content refutes the proposal.
  func isRefuted(_ named: IdentifiedFile, by found: IdentifiedFile, _ content: Span<UInt8>) -> Bool {
    guard !content.isEmpty, named.basis == .name, !agrees(found, with: named) else { return false }
    if named.type.identifier == Self.typeOfAnyBytes { return true }
    guard TextDetection.looksLikeText(content.extracting(first: TextDetection.traditionalLength)) else {
      // XML documents may be compressed.
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

  /// Returns whether files of the format are never text: the database has rules about their content, or their kind is
  /// binary.
  private func isBinary(_ file: IdentifiedFile) -> Bool {
    if isText(file) || file.type.conforms(to: .text) || Self.textFormats.contains(file.mimeType) { return false }
    return bridge.database.hasContentRules(of: file.mimeType)
      || Self.binaryKinds.contains(where: file.type.conforms(to:))
        && !Self.textTypes.contains(file.type.identifier)
  }

  /// The declared type of the extension `bin`, which is in use for files of any format.
  private static let typeOfAnyBytes = "com.apple.macbinary-archive"

  private static let binaryKinds: [UTType] = [
    .archive, .audiovisualContent, .compositeContent, .presentation, .spreadsheet,
  ]

  /// The MIME types of text formats whose files the database's rules about content do not always recognize.
  private static let textFormats: Set = [
    "application/mac-binhex40", "application/pkix-cert", "application/pkix-crl", "application/sparql-query",
    "application/x-gnumeric", "application/x-quicktime-media-link", "application/x-x509-ca-cert", "audio/x-ms-asx",
    "image/vnd.dxf",
  ]

  /// The types that conform to one of `binaryKinds` although their format is text.
  private static let textTypes: Set = [
    "com.adobe.postscript", "com.adobe.xfdf", "com.apple.binhex-archive", "public.uuencoded-archive",
  ]
}
