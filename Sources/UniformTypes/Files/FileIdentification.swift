// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Tells a file's type from its name and its first bytes, which somebody else has read.
///
/// The system's MIME database is asked first, as it weighs names against content; the uniform type is then the one of
/// the name's extension where that agrees with the answer, as it may say more, and the one of the MIME type otherwise.
struct FileIdentification {
  private let bridge: MIMEBridge
  private let name: String

  /// - Parameters:
  ///   - name: The last component of the path; empty where only the content counts.
  ///   - bridge: The system's MIME database.
  init(name: String, bridge: MIMEBridge = .current) {
    self.name = name
    self.bridge = bridge
  }

  static let unknown = "application/octet-stream"

  /// No file name is longer; of one that somebody states, the end is looked at, as each period in it takes time.
  private static let maximumNameLength = 255

  /// How many bytes of content decide.
  var extent: Int { max(bridge.database.magicExtent, ContentSignatures.extent) }

  /// By the name alone; `nil` where it says nothing.
  func byName() -> IdentifiedFile? {
    if let mimeType = bridge.database.type(ofName: name) { return identified(as: mimeType, .name) }
    return typeOfExtension.map { type in
      IdentifiedFile(type: type, mimeType: mimeType(of: type), basis: type.isDeclared ? .name : .guess)
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

  /// By both: the name decides if it can, and where it leaves a choice the content chooses.
  func byNameAndContent(_ content: Span<UInt8>) -> IdentifiedFile {
    if bridge.database.type(ofName: name) != nil {
      let match = bridge.database.type(ofName: name, content: content)
      return identified(as: match.type, match.evidence == .nameAndContent ? .content : .name)
    }
    let found = byContent(content)
    if let named = byName(), named.basis == .name {
      // A name that only the table knows says more than what any number of formats are made of, and less than a format.
      if found.basis == .guess { return named }
      if Self.containers.contains(found.mimeType) || named.type.conforms(to: found.type) {
        return IdentifiedFile(type: named.type, mimeType: found.mimeType, basis: .name)
      }
      return found
    }
    // What looks like text, and no more is known, is text with an extension of its own.
    if found.basis == .guess, let type = typeOfExtension, let tag = type.preferredFilenameExtension,
      let special = UTType(filenameExtension: tag, conformingTo: found.type)
    {
      return IdentifiedFile(type: special, mimeType: found.mimeType, basis: .guess)
    }
    return found
  }

  /// Formats in which others are written.
  private static let containers: Set = [
    "application/zip", "application/xml", "application/x-ole-storage", "text/plain", unknown,
  ]

  private func identified(as mimeType: String, _ basis: IdentifiedFile.Basis) -> IdentifiedFile {
    let ofMIMEType = UTType(mimeType: mimeType) ?? .data
    let type = typeOfExtension.flatMap { holds($0, against: ofMIMEType, mimeType, basis) ? $0 : nil } ?? ofMIMEType
    return IdentifiedFile(type: type, mimeType: mimeType, basis: basis)
  }

  /// Whether the extension's type stands beside a MIME type, and does not say less than that.
  private func holds(
    _ type: UTType, against other: UTType, _ mimeType: String, _ basis: IdentifiedFile.Basis
  ) -> Bool {
    if basis == .guess || other.isSubtype(of: type) { return false }
    if type.conforms(to: other) || type.isDeclared && basis == .name { return true }
    return bridge.declaredTypes(ofMIMEType: mimeType).contains { type.conforms(to: $0) }
  }

  private func mimeType(of type: UTType) -> String {
    let declared = type.preferredMIMEType.map(MIMETypeText.essence(of:))
    return declared ?? (type.conforms(to: .text) ? "text/plain" : Self.unknown)
  }

  /// The type of the longest extension that has a declared type, else the one of the last extension.
  private var typeOfExtension: UTType? {
    var rest = Substring(name.utf8.suffix(Self.maximumNameLength))
    var last: UTType?
    // A period at the start hides a file, and begins no extension.
    if rest.utf8.first == UInt8(ascii: ".") { rest.removeFirst() }
    while let period = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.utf8.index(after: period)...]
      last = UTType(filenameExtension: String(rest))
      if let last, last.isDeclared { return last }
    }
    return last
  }
}
