// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The namespace and the name of a document's root element.
///
/// The document may be truncated or malformed, or may not be XML.
struct XMLRoot: Hashable {
  var namespace: String
  var localName: String

  init(namespace: String, localName: String) {
    self.namespace = namespace
    self.localName = localName
  }

  /// Returns `nil` if the first start tag has no namespace, or is malformed.
  init?(of document: [UInt8]) {
    var rest = document[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(start + 1)...]
      if rest.starts(with: "!--".utf8) {
        rest.drop(through: "-->")
      } else if rest.first == UInt8(ascii: "?") {
        rest.drop(through: "?>")
      } else if rest.first == UInt8(ascii: "!") {
        rest.dropDeclaration()
      } else {
        guard let root = XMLRoot(tag: rest) else { return nil }
        self = root
        return
      }
    }
    return nil
  }

  private init?(tag: ArraySlice<UInt8>) {
    var rest = tag
    let parts = rest.takeName().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let localName = parts.last, !localName.isEmpty else { return nil }
    let wanted = parts.count == 2 ? "xmlns:\(parts[0])" : "xmlns"
    var namespace: String?
    while true {
      rest.dropSpace()
      guard let next = rest.first else { return nil }
      if next == UInt8(ascii: ">") || next == UInt8(ascii: "/") { break }
      let name = rest.takeName()
      rest.dropSpace()
      guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "=") else { return nil }
      rest.dropSpace()
      guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = rest.firstIndex(of: quote)
      else { return nil }
      if name == wanted { namespace = String(decoding: rest[..<end], as: UTF8.self) }
      rest = rest[(end + 1)...]
    }
    guard let namespace else { return nil }
    self.init(namespace: namespace, localName: String(localName))
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func drop(through end: String) {
    while !isEmpty, !starts(with: end.utf8) { removeFirst() }
  }

  fileprivate mutating func dropSpace() {
    self = drop { $0 <= 0x20 }
  }

  fileprivate mutating func takeName() -> String {
    let name = prefix { $0 > 0x20 && !"=/><\"'".utf8.contains($0) }
    self = self[name.endIndex...]
    return String(decoding: name, as: UTF8.self)
  }

  /// Drops a document type declaration, including its internal subset in brackets.
  fileprivate mutating func dropDeclaration() {
    var depth = 0
    var quote: UInt8?
    while let byte = popFirst() {
      switch byte {
      case quote: quote = nil
      case _ where quote != nil: break
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where depth <= 0: return
      default: break
      }
    }
  }
}
