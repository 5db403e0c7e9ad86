// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension MIMEDatabase {
  /// The most bytes of one type's document that are read; the largest of the system's has some 10 KB.
  static let maximumDocumentLength = 1 << 20

  /// What a type is called among people, in the language of the database's authors.
  ///
  /// - Returns: Nothing when no directory has a document about the type.
  package func description(of type: String) -> String? {
    for document in documents(of: type) {
      var scanner = MIMEXMLScanner(document)
      while let tag = scanner.nextTag() {
        guard tag.name == "comment", tag.value(of: "xml:lang") == nil, let text = scanner.text(), !text.isEmpty else {
          continue
        }
        return text
      }
    }
    return nil
  }

  /// The extensions in a type's documents, in their order, spelled as the globs are.
  func documentedExtensions(of type: String) -> [String] {
    var found: [String] = []
    for document in documents(of: type) {
      var scanner = MIMEXMLScanner(document)
      while let tag = scanner.nextTag() {
        guard tag.name == "glob", let pattern = tag.value(of: "pattern"), pattern.hasPrefix("*."),
          found.count < MIMEGlobTable.maximumClaims
        else { continue }
        let spelling = String(pattern.dropFirst(2))
        let key = tag.value(of: "case-sensitive") == "true" ? spelling : spelling.asciiLowercased
        if !found.contains(key) { found.append(key) }
      }
    }
    return found
  }

  /// The documents about a type that there are, nearest first.
  ///
  /// A type is also a path here. That it has one slash and that none of its halves starts with a dot keeps the path
  /// within the directory.
  private func documents(of type: String) -> some Sequence<[UInt8]> {
    let name = canonicalType(of: type)
    let isPath = MIMESyntax.isType(name.utf8Span.span)
    return (isPath ? directories : []).lazy.compactMap {
      try? MIMEFile.contents(of: "\($0)/\(name).xml", limit: Self.maximumDocumentLength)
    }
  }
}
