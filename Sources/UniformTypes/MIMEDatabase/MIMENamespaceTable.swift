// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Tells an XML document's type by its root element, as the files `XMLnamespaces` say.
struct MIMENamespaceTable: Sendable {
  private struct Root: Sendable, Hashable {
    let namespace: String
    let localName: String
  }

  private var types: [Root: String] = [:]

  var isEmpty: Bool { types.isEmpty }

  /// Reads a file: a namespace, an element's name, which may be empty, and a type on each line.
  mutating func read(_ bytes: [UInt8]) {
    var lines = MIMELines(bytes)
    while let line = lines.next() {
      guard let (namespace, rest) = lines.halves(of: line, at: UInt8(ascii: " ")),
        let (name, type) = lines.halves(of: rest, at: UInt8(ascii: " ")),
        MIMESyntax.isType(bytes.span.extracting(type)),
        let uri = String(validating: bytes[namespace], as: UTF8.self),
        let localName = String(validating: bytes[name], as: UTF8.self)
      else { continue }
      let root = Root(namespace: uri, localName: localName)
      // What a nearer directory said stays.
      if types[root] == nil { types[root] = String(decoding: bytes[type], as: UTF8.self) }
    }
  }

  /// The type of documents with a root element; one that is for the namespace as a whole if there is no other.
  func type(namespace: String, localName: String) -> String? {
    types[Root(namespace: namespace, localName: localName)] ?? types[Root(namespace: namespace, localName: "")]
  }

  /// The type of a document by its first bytes.
  func type(ofDocument content: [UInt8]) -> String? {
    var scanner = MIMEXMLScanner(content)
    guard let root = scanner.nextTag() else { return nil }
    let parts = root.name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let attribute = parts.count == 2 ? "xmlns:\(parts[0])" : "xmlns"
    guard let namespace = root.value(of: attribute), let localName = parts.last else { return nil }
    return type(namespace: namespace, localName: String(localName))
  }
}
