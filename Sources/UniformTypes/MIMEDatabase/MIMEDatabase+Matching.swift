// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension MIMEDatabase {
  /// A file's type, and what speaks for it.
  package struct Match: Sendable, Hashable {
    /// What an answer rests on.
    package enum Evidence: Sendable, Hashable {
      case name
      case content
      /// The name left a choice that the content made.
      case nameAndContent
      /// The content says next to nothing, or whether it looks like text; or the name left a choice that is open.
      case guess
    }

    package let type: String
    package let evidence: Evidence
  }

  /// The type of files with a name.
  ///
  /// - Parameter name: A name or a path, of which the last component counts.
  /// - Returns: The heaviest of the types that claim the name; nothing when none does.
  package func type(ofName name: String) -> String? {
    claims(onName: name).first.map(graph.types.name)
  }

  /// The type of a file by its leading bytes.
  ///
  /// - Parameter content: At least `magicExtent` bytes, or the whole file. More does not change the answer.
  /// - Returns: What the first rule that holds says; else a guess, by whether it looks like text.
  package func type(ofContent content: Span<UInt8>) -> Match {
    sniff(content)
  }

  /// The type of a file by its name and its leading bytes.
  ///
  /// The name decides if it can. Of several types that claim it, the content chooses; it never brings in one that has
  /// nothing to do with them.
  ///
  /// - Parameters:
  ///   - name: A name or a path, of which the last component counts.
  ///   - content: At least `magicExtent` bytes, or the whole file. More does not change the answer.
  /// - Returns: One of the types that claim the name or a subtype of one; by content alone if none does.
  package func type(ofName name: String, content: Span<UInt8>) -> Match {
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

  /// The rules find most of the well-known vocabularies; a namespace also finds those that start otherwise.
  private func typeByRootElement(_ content: Span<UInt8>) -> String? {
    let start = TextDetection.endOfLeadingSpace(content)
    guard !namespaces.isEmpty, start < content.count, content[start] == UInt8(ascii: "<") else { return nil }
    let head = content.extracting(droppingFirst: start).extracting(first: MIMEXMLScanner.maximumLength)
    return namespaces.type(ofDocument: head.indices.map { head[$0] }).map(canonicalType)
  }
}
