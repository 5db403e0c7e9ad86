// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension MIMEDatabase {
  /// A file's type, and the evidence for it.
  struct Match: Sendable, Hashable {
    /// The evidence for a type.
    enum Evidence: Sendable, Hashable {
      case name
      case content
      /// Several types claim the name, and the content selected one.
      case nameAndContent
      /// Weak evidence: only whether the content is text, a weak rule, or a name with several claims that the content
      /// does not decide.
      case guess
    }

    let type: String
    let evidence: Evidence
  }

  /// Returns the type of files with a name.
  ///
  /// - Parameter name: A name, or a path of which only the last component is used.
  /// - Returns: The type whose claim on the name has the greatest weight; `nil` if no type claims it.
  func type(ofName name: String) -> String? {
    claims(onName: name).first.map(graph.types.name)
  }

  /// Returns the type of a file by its leading bytes.
  ///
  /// - Parameter content: At least `magicExtent` bytes, or the complete file; more bytes do not change the result.
  /// - Returns: The type of the first rule that matches. If that type is XML, or if no rule matches, the root element
  ///   may determine a more specific type. If neither does, the result is a guess that depends on whether the content
  ///   is text. The type of empty content is `application/x-zerosize`.
  func type(ofContent content: Span<UInt8>) -> Match {
    sniff(content)
  }

  /// Returns the type of a file by its name and its leading bytes.
  ///
  /// The name decides if one type claims it. If several types claim the name, the content selects one of them or a
  /// subtype, never an unrelated type.
  ///
  /// - Parameters:
  ///   - name: A name, or a path of which only the last component is used.
  ///   - content: At least `magicExtent` bytes, or the complete file; more bytes do not change the result.
  /// - Returns: A type that claims the name, or a subtype of such a type. If no type claims the name, the type for the
  ///   content alone.
  func type(ofName name: String, content: Span<UInt8>) -> Match {
    let claims = claims(onName: name)
    guard let top = claims.first else { return type(ofContent: content) }
    guard claims.count > 1, !content.isEmpty else {
      return Match(type: graph.types.name(top), evidence: claims.count > 1 ? .guess : .name)
    }
    let sniffed = sniff(content)
    let type = sniffed.type
    let evidence: Match.Evidence = sniffed.evidence == .guess ? .guess : .nameAndContent
    let names = claims.map(graph.types.name)
    if isSubtype(names[0], of: type) { return Match(type: names[0], evidence: evidence) }
    if names.contains(type) { return Match(type: type, evidence: evidence) }
    if let special = names.first(where: { isSubtype($0, of: type) }) { return Match(type: special, evidence: evidence) }
    if evidence != .guess, names.contains(where: { isSubtype(type, of: $0) }) {
      return Match(type: type, evidence: evidence)
    }
    return Match(type: names[0], evidence: .guess)
  }

  private func claims(onName name: String) -> [MIMENameTable.ID] {
    let path = name.utf8Span.span
    var start = path.count
    while start > 0, path[start - 1] != UInt8(ascii: "/") { start -= 1 }
    var types: [MIMENameTable.ID] = []
    for claim in globs.claims(onName: path.extracting(droppingFirst: start)) {
      let type = graph.resolve(claim.type)
      if !types.contains(type) { types.append(type) }
    }
    return types
  }

  private func sniff(_ content: Span<UInt8>) -> Match {
    if content.isEmpty { return Match(type: "application/x-zerosize", evidence: .content) }
    let content = content.extracting(first: Self.maximumMagicExtent)
    let hit = magicTable.firstMatch(in: content)
    let type = hit.map { canonicalType(of: $0.type) }
    if type == nil || type == "application/xml", let refined = typeByRootElement(content) {
      return Match(type: refined, evidence: .content)
    }
    if let hit, let type { return Match(type: type, evidence: hit.isWeak ? .guess : .content) }
    let isText = TextDetection.looksLikeText(content.extracting(first: TextDetection.traditionalLength))
    return Match(type: isText ? "text/plain" : "application/octet-stream", evidence: .guess)
  }

  /// Returns the type of an XML document by its root element and namespace.
  ///
  /// This type is used if the rules recognize the document only as XML, or not at all.
  private func typeByRootElement(_ content: Span<UInt8>) -> String? {
    let start = TextDetection.endOfLeadingSpace(content)
    guard !namespaces.isEmpty, start < content.count, content[start] == UInt8(ascii: "<") else { return nil }
    let head = content.extracting(droppingFirst: start).extracting(first: MIMEXMLScanner.maximumLength)
    return namespaces.type(ofDocument: head.indices.map { head[$0] }).map(canonicalType)
  }
}
