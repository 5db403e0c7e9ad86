// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A search for the type of a file by its name and its first bytes.
///
/// One decision yields both the uniform type and the MIME type:
/// 1. The name proposes types: the declared types of its extension, then the MIME types of the system's database that
///    claim it. The MIME types come first if they claim more of the name than the extension, as in `a.tar.gz`.
/// 2. If several types are proposed and the content has the format of one, that type comes first.
/// 3. The result is the first proposal that the content does not refute (`isRefuted`). Text never refutes a declared
///    text type. Without such a proposal the content decides, and an extension only refines a guess.
struct FileIdentification {
  let bridge: MIMEBridge
  private let name: String
  /// The part of the name after each period, longest first.
  private let extensions: [String]
  /// The longest extension that has declared types, or else the last one.
  private var declaredExtension = ""
  /// The declared types of the extension, best first.
  private var typesOfExtension: [UTType] = []

  /// - Parameters:
  ///   - name: The last component of the path; empty to consult only the content.
  ///   - bridge: The system's MIME database.
  init(name: String, bridge: MIMEBridge = .current) {
    self.name = String(decoding: name.utf8.suffix(Self.maximumNameLength), as: UTF8.self)
    self.bridge = bridge
    extensions = Self.extensions(of: self.name)
    for each in extensions where typesOfExtension.isEmpty {
      declaredExtension = each
      typesOfExtension = UTType.types(tag: each, tagClass: .filenameExtension, conformingTo: .data)
        .filter(\.isDeclared)
    }
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
    proposals(bridge.database.claims(onName: name)).first
      ?? undeclaredTypeOfExtension.map { type in
        IdentifiedFile(type: type, mimeType: mimeType(of: type), basis: .guess)
      }
  }

  /// Returns the type for the content alone.
  func byContent(_ content: Span<UInt8>) -> IdentifiedFile {
    byContent(content, bridge.database.type(ofContent: content))
  }

  private func byContent(_ content: Span<UInt8>, _ match: MIMEDatabase.Match) -> IdentifiedFile {
    let isCertain = match.evidence == .content && !Self.uncertain.contains(match.type)
    let signature = isCertain ? nil : ContentSignatures.type(of: content)
    switch signature {
    case .mimeType(let mimeType): return identified(as: mimeType, .content)
    case .identifier(let identifier):
      let type = UTType(named: identifier)
      return IdentifiedFile(type: type, mimeType: mimeType(of: type), basis: .content)
    case nil:
      let found = identified(as: match.type, match.evidence == .content ? .content : .guess)
      let isNameless = extensions.last.map(isNumber) ?? true
      let isUTF8 = found.type == .plainText && isNameless && TextDetection.encoding(of: content) == .utf8
      return isUTF8 ? found.with(.utf8PlainText) : found
    }
  }

  /// The MIME types for which the database takes files of other formats: universal Mach-O files for Java classes, and
  /// JavaScript with `"use strict"` for Perl.
  private static let uncertain: Set = ["application/x-java", "application/x-perl"]

  /// Returns the type for the name and the content.
  func byNameAndContent(_ content: Span<UInt8>) -> IdentifiedFile {
    let content = content.extracting(first: extent)
    let sniffed = bridge.database.type(ofContent: content)
    let found = byContent(content, sniffed)
    let isManual = content.count > 0 && (content[0] == UInt8(ascii: ".") || content[0] == UInt8(ascii: "'"))
    let claims = bridge.database.claims(onName: name)
    var proposals = proposals(claims, isManual: isManual)
    // The words of a text select another type than a declared one only if the database has several for the extension.
    let isDecided =
      claims.topCount < 2 && isText(found) && proposals.first.map { $0.type.isDeclared && isText($0) } ?? false
    if !isDecided {
      if case let match = bridge.database.type(claims, sniffed), match.evidence == .nameAndContent,
        case let selected = identified(as: match.type, .content), !isProgram(found, namedAs: selected)
      {
        proposals.insert(selected, at: 0)
      } else if found.basis == .content, let index = proposals.firstIndex(where: { agrees(found, with: $0) }) {
        proposals.swapAt(0, index)
      }
    }
    // Once the content has refuted the best proposal, another proposal of a binary format must agree with it.
    let named = proposals.enumerated().first { index, proposal in
      !isRefuted(proposal, by: found, content)
        && (index == 0 || found.basis != .content || isText(found) && isText(proposal) || agrees(found, with: proposal))
    }?.element
    guard let named else { return unnamed(found) }
    // Without a MIME type of its own, the file has that of the format in which it is written.
    guard found.basis == .content, named.type.preferredMIMEType == nil,
      named.mimeType == Self.unknown && Self.containers.contains(found.mimeType)
        || [Self.unknown, "text/plain"].contains(named.mimeType) && named.type.conforms(to: found.type)
    else { return named }
    return IdentifiedFile(type: named.type, mimeType: found.mimeType, basis: .name)
  }

  /// The MIME types of formats in which other formats are written.
  private static let containers: Set = [
    "application/zip", "application/xml", "application/x-ole-storage", "text/plain", unknown,
  ]

  /// Returns the types that the name proposes, best first.
  ///
  /// A claim of manual pages on a name that ends with a version is ignored unless the content is a manual page.
  ///
  /// - Parameters:
  ///   - claims: The claims of the database on the name.
  ///   - isManual: Whether the content begins like a manual page.
  /// - Returns: The proposals.
  private func proposals(_ claims: MIMEDatabase.NameClaims, isManual: Bool = false) -> [IdentifiedFile] {
    let mimeTypes = claims.types.filter { isManual || $0 != "application/x-troff-man" || !endsWithVersion }
    let claimed = mimeTypes.map { identified(as: $0, .name) }
    let declared = typesOfExtension.map { type in
      IdentifiedFile(
        type: type, mimeType: mimeType(of: type, claimedBy: claims.extent > 0 ? mimeTypes : []), basis: .name)
    }
    let claimsMore = claims.isCaseSensitive || claims.extent > declaredExtension.unicodeScalars.count + 1
    return claimsMore ? claimed + declared : declared + claimed
  }

  /// Returns the type for the content, refined by the name's extension if the content yields only a guess.
  private func unnamed(_ found: IdentifiedFile) -> IdentifiedFile {
    guard found.basis == .guess, let last = extensions.last, !isNumber(last) else { return found }
    if found.type == .data { return undeclaredTypeOfExtension.map { found.with($0) } ?? found }
    guard let special = UTType(filenameExtension: last, conformingTo: found.type) else { return found }
    return special.isDeclared ? stated(special) : found.with(special)
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
      return basis == .name && declared.isEmpty && isPossible(mimeType, for: type)
    }
    return IdentifiedFile(type: type ?? general, mimeType: mimeType, basis: basis)
  }

  /// Returns the MIME type of a declared type of the extension, preferably a type of the database that claims the name.
  private func mimeType(of type: UTType, claimedBy mimeTypes: [String]) -> String {
    let declared = mimeTypes.map { bridge.declaredTypes(ofMIMEType: $0) }
    let index =
      declared.firstIndex { $0.contains(type) }
      ?? zip(mimeTypes, declared).enumerated().first { _, claim in
        claim.1.isEmpty ? isPossible(claim.0, for: type) : claim.1.contains { $0 != .data && type.conforms(to: $0) }
      }?.offset
    if let index { return mimeTypes[index] }
    let isFree = type.preferredMIMEType == nil && !type.conforms(to: .text)
    return mimeTypes.first { isFree && !MIMEIdentifiers.foreign.contains($0) } ?? mimeType(of: type)
  }

  /// Returns whether a MIME type that no declared type has may be that of a type with the same extension.
  private func isPossible(_ mimeType: String, for type: UTType) -> Bool {
    if MIMEIdentifiers.foreign.contains(mimeType) { return false }
    return MediaKind(of: mimeType).parent.map(type.conforms(to:))
      ?? (!type.conforms(to: .text) || bridge.database.isSubtype(mimeType, of: "text/plain"))
  }

  /// Returns the proposal that consists of a type.
  func stated(_ type: UTType) -> IdentifiedFile {
    IdentifiedFile(type: type, mimeType: mimeType(of: type), basis: .name)
  }

  /// Returns the MIME type of a type, or else that of its nearest supertype.
  private func mimeType(of type: UTType) -> String {
    if let declared = type.preferredMIMEType { return MIMETypeText.essence(of: declared) }
    let tagged = type.supertypes.filter { $0 != .data && $0.preferredMIMEType != nil }
    let nearest = tagged.filter { one in !tagged.contains { $0.isSubtype(of: one) } }
    let inherited = nearest.min { $0.identifier < $1.identifier }?.preferredMIMEType.map(MIMETypeText.essence(of:))
    return inherited ?? (type.conforms(to: .text) ? "text/plain" : Self.unknown)
  }

  // MARK: Extensions

  /// The dynamic type of the last extension.
  ///
  /// The result is `nil` if a type declares one of the name's extensions, or if the last extension is missing, empty or
  /// a number.
  private var undeclaredTypeOfExtension: UTType? {
    guard typesOfExtension.isEmpty, let last = extensions.last, !isNumber(last) else { return nil }
    return UTType(filenameExtension: last)
  }

  /// Returns the part of a name after each period, longest first.
  ///
  /// A period at the start marks a hidden file, and does not begin an extension.
  private static func extensions(of name: String) -> [String] {
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
  /// Returns whether the content contradicts a proposal of the name.
  ///
  /// - Binary content refutes text, but compressed data do not refute XML.
  /// - Text refutes a binary format. Text that does not begin with `<` refutes XML, unless the type is declared.
  /// - The leading bytes of a binary format refute another (``families``).
  /// - Any content refutes the type of the extension `bin`.
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
    let isDeclaredText = named.type.isDeclared && named.type.conforms(to: .text)
    if isDeclaredText, TextDetection.encoding(of: content) == .utf8 { return false }
    if named.type.identifier == Self.typeOfAnyBytes || isOfAnotherFamily(named, content) { return true }
    guard TextDetection.looksLikeText(content.extracting(first: TextDetection.traditionalLength)) else {
      // XML documents may be compressed.
      return isText(named) && !(isXML(named) && found.type.conforms(to: .gzip))
    }
    if isDeclaredText { return false }
    if found.basis == .content, !isText(found) { return false }
    if isXML(named) {
      let start = TextDetection.endOfLeadingSpace(content)
      return start < content.count && content[start] != UInt8(ascii: "<") && TextDetection.looksLikeText(content)
    }
    return isBinary(named) && TextDetection.looksLikeText(content)
  }

  /// Returns whether the content begins like a format that shares its leading bytes with no format of the proposal.
  ///
  /// A format whose leading bytes are unknown is refuted only by a format of another kind: a picture by a video.
  private func isOfAnotherFamily(_ named: IdentifiedFile, _ content: Span<UInt8>) -> Bool {
    guard case .mimeType(let mimeType) = ContentSignatures.type(of: content),
      let type = bridge.declaredTypes(ofMIMEType: mimeType).first
    else { return false }
    func family(of type: UTType) -> [UTType]? {
      Self.families.first { $0.contains { areRelated(type, $0) } }
    }
    if let family = family(of: named.type) { return !family.contains { areRelated(type, $0) } }
    guard family(of: type) != nil else { return false }
    let kinds = Self.kinds.filter { named.type.conforms(to: $0) }
    return !kinds.contains(where: type.conforms(to:)) && (!kinds.isEmpty || hasKnownFormat(named.type))
  }

  /// The types whose files begin with the same bytes, as no other files do.
  ///
  /// Formats that contain others, such as ZIP, XML and SQLite, are not among them.
  private static let families: [[UTType]] = [
    [.png], [.jpeg], [.gif], [.webP], [.bmp], [.wav], [.avi], [.icns], [.ico], [.rtf],
    [.tiff, .rawImage],
    [
      .mpeg4Movie, .mpeg4Audio, .quickTimeMovie, .heic, .heif, UTType(named: "public.avif"),
      UTType(named: "public.3gpp"), UTType(named: "public.3gpp2"),
    ],
    [.pdf, UTType(named: "com.adobe.illustrator.ai-image"), UTType(named: "com.adobe.postscript")],
    [UTType(named: "org.webmproject.webm"), UTType(named: "org.matroska.mkv"), UTType(named: "org.matroska.mka")],
    [UTType(named: "com.adobe.photoshop-image")], [UTType(named: "org.xiph.flac")],
    [UTType(named: "org.7-zip.7-zip-archive")], [UTType(named: "org.tukaani.xz-archive")],
    [UTType(named: "public.elf-binary"), UTType(named: "public.object-code")], [UTType(named: "org.dragpipe.drop")],
  ]

  private static let kinds: [UTType] = [
    .image, .audiovisualContent, .archive, .font, .executable, .text, .compositeContent, .presentation, .spreadsheet,
  ]

  private func agrees(_ found: IdentifiedFile, with named: IdentifiedFile) -> Bool {
    let vague: Set = ["text/plain", Self.unknown]
    guard !vague.contains(found.mimeType) else { return false }
    return !vague.contains(named.mimeType) && !isProgram(found, namedAs: named)
      && (bridge.database.isSubtype(found.mimeType, of: named.mimeType)
        || bridge.database.isSubtype(named.mimeType, of: found.mimeType))
      || found.type != .data && areRelated(found.type, named.type)
  }

  private func areRelated(_ one: UTType, _ other: UTType) -> Bool {
    one.conforms(to: other) || other.conforms(to: one)
  }

  /// Returns whether the content is a program and the name that of a text.
  ///
  /// The database derives scripts and JSON from programs, which are ELF files for us.
  private func isProgram(_ found: IdentifiedFile, namedAs named: IdentifiedFile) -> Bool {
    found.type.conforms(to: .executable) && !isText(found) && isText(named)
  }

  /// Whether the type is one of the system's table, whose format is known.
  private func hasKnownFormat(_ type: UTType) -> Bool {
    type != .data && type.knownSlot.map { $0 < SystemTypes.declaredCount } ?? false
  }

  private func isText(_ file: IdentifiedFile) -> Bool {
    if file.type.isDeclared, file.type != .data { return file.type.conforms(to: .text) }
    return bridge.database.isSubtype(file.mimeType, of: "text/plain")
      || !bridge.database.isKnown(file.mimeType) && file.type.conforms(to: .text)
  }

  private func isXML(_ file: IdentifiedFile) -> Bool {
    bridge.database.isSubtype(file.mimeType, of: "application/xml")
  }

  /// Returns whether files of the format are never text.
  ///
  /// A type that a program declares is binary if its kind is, and another MIME type if the database has rules about its
  /// content.
  private func isBinary(_ file: IdentifiedFile) -> Bool {
    if isText(file) || file.type.conforms(to: .text) || Self.textFormats.contains(file.mimeType) { return false }
    if hasKnownFormat(file.type) { return !Self.textTypes.contains(where: file.type.conforms(to:)) }
    return bridge.database.hasContentRules(of: file.mimeType)
      || bridge.database.isSubtype(file.mimeType, of: "application/x-ole-storage")
      || file.type.isDeclared && Self.kinds.contains(where: file.type.conforms(to:))
  }

  /// The declared type of the extension `bin`, which is in use for files of any format.
  private static let typeOfAnyBytes = "com.apple.macbinary-archive"

  /// The MIME types of text formats whose files the database's rules about content do not always recognize.
  private static let textFormats: Set = [
    "application/mac-binhex40", "application/pkix-cert", "application/pkix-crl", "application/sparql-query",
    "application/x-gnumeric", "application/x-quicktime-media-link", "application/x-x509-ca-cert", "audio/x-ms-asx",
    "image/vnd.dxf",
  ]

  /// The types whose files are, or may be, text although the types do not conform to text.
  private static let textTypes: [UTType] = [
    "com.adobe.fdf", "com.adobe.postscript", "com.adobe.postscript-pfa-font", "com.adobe.xfdf",
    "com.apple.SetupAssistant.internet-signup", "com.apple.binhex-archive", "com.apple.finder.smart-folder",
    "com.apple.interfacebuilder.document", "com.apple.mail.mbox", "com.apple.photos.apple-adjustment-envelope",
    "com.apple.property-list", "com.apple.quartz-composer-composition", "com.autodesk.fbx", "com.microsoft.excel.slk",
    "com.pixar.universal-scene-description", "org.dragpipe.certificate-request",
    "org.dragpipe.certificate-revocation-list", "org.dragpipe.cms-message", "org.dragpipe.cms-signature",
    "org.dragpipe.amf-model", "org.dragpipe.dxf-drawing", "org.dragpipe.netpbm-anymap",
    "org.dragpipe.pkcs-7-certificates",
    "public.email-message", "public.polygon-file-format", "public.stored-url", "public.url", "public.uuencoded-archive",
    "public.x509-certificate", "public.xbitmap-image",
  ].map(UTType.init(named:))
}
