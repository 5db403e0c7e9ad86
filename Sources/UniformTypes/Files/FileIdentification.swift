// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Decides what a file is by its name and its first bytes.
///
/// One decision gives both the MIME type and the uniform type:
/// 1. The name proposes a MIME type of the system's database, or else a declared type that has its extension. Where
///    several MIME types claim the name, the content chooses.
/// 2. The content may refute the proposal (`isRefuted`); then the content decides alone.
/// 3. The uniform type follows from the MIME type. The name's extension only chooses among types of that format.
struct FileIdentification {
  let bridge: MIMEBridge
  private let name: String

  /// - Parameters:
  ///   - name: The last component of the path; empty where only the content counts.
  ///   - bridge: The system's MIME database.
  init(name: String, bridge: MIMEBridge = .current) {
    self.name = String(decoding: name.utf8.suffix(Self.maximumNameLength), as: UTF8.self)
    self.bridge = bridge
  }

  static let unknown = "application/octet-stream"

  /// The most bytes of a file's name; only the end of a longer text is read, as each of its periods takes time.
  private static let maximumNameLength = 255

  /// How many bytes of content decide.
  var extent: Int { max(bridge.database.magicExtent, ContentSignatures.extent) }

  /// By the name alone; `nil` where it says nothing.
  func byName() -> IdentifiedFile? {
    proposal { bridge.database.type(ofName: name).map { ($0, .name) } }
      ?? undeclaredTypeOfExtension.map { type in
        IdentifiedFile(type: type, mimeType: mimeType(of: type), basis: .guess)
      }
  }

  /// By the content alone.
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

  /// By both: the name decides unless the content refutes it.
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
    // Only the table knows the name. Its type says more than a format in which others are written, and less than others.
    return Self.containers.contains(found.mimeType) || named.type.conforms(to: found.type) ? named : found
  }

  /// Formats in which others are written.
  private static let containers: Set = [
    "application/zip", "application/xml", "application/x-ole-storage", "text/plain", unknown,
  ]

  /// What the name proposes: the MIME type that the database claims it for, or else a declared type of its extension.
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

  /// What the content says, with the name's extension where the content says little.
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
      // Nothing declares the MIME type of the name: its type may be of that format, if it is of the same kind.
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

  /// The declared types of the longest extension that has some, best first.
  private var typesOfExtension: [UTType] {
    for each in extensions {
      let types = UTType.types(tag: each, tagClass: .filenameExtension, conformingTo: .data).filter(\.isDeclared)
      if !types.isEmpty { return types }
    }
    return []
  }

  /// The dynamic type of the last extension; `nil` where an extension is declared, or the last one is a number.
  private var undeclaredTypeOfExtension: UTType? {
    guard typesOfExtension.isEmpty, let last = extensions.last, !isNumber(last) else { return nil }
    return UTType(filenameExtension: last)
  }

  /// What follows each period, longest first.
  ///
  /// A period at the start hides a file, and begins no extension.
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

  /// Whether the name ends with a version such as `libdb5.3`, which looks like the section of a manual page.
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
