// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A scanner for the start tags of a document, which does not validate.
///
/// The document may be truncated or malformed, or may not be XML.
struct MIMEXMLScanner {
  struct Tag: Sendable, Hashable {
    let name: String
    let attributes: [Attribute]

    func value(of name: String) -> String? {
      attributes.first { $0.name == name }?.value
    }
  }

  struct Attribute: Sendable, Hashable {
    let name: String
    let value: String
  }

  /// The maximum number of attributes of one element.
  ///
  /// An element with more attributes is treated as malformed, and ends the scan.
  static let maximumAttributes = 64
  /// The maximum length of a name or value in bytes.
  ///
  /// A longer name or value is treated as malformed, and ends the scan.
  static let maximumLength = 4096

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the next start tag; `nil` if the document ends or is malformed before it.
  mutating func nextTag() -> Tag? {
    while skip(until: "<") {
      if take("!--") {
        guard skip(until: "-->") else { return nil }
      } else if take("?") {
        guard skip(until: "?>") else { return nil }
      } else if take("![CDATA[") {
        guard skip(until: "]]>") else { return nil }
      } else if take("!") {
        guard skipDeclaration() else { return nil }
      } else if take("/") {
        guard skip(until: ">") else { return nil }
      } else {
        return readTag()
      }
    }
    return nil
  }

  /// Skips a document type declaration, including its internal subset in brackets.
  private mutating func skipDeclaration() -> Bool {
    var depth = 0
    var quote: UInt8?
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if let open = quote {
        if byte == open { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "<") where take("!--"):
        guard skip(until: "-->") else { return false }
      case UInt8(ascii: ">") where depth <= 0: return true
      default: break
      }
    }
    return false
  }

  private mutating func readTag() -> Tag? {
    guard let name = readName() else { return nil }
    var attributes: [Attribute] = []
    while true {
      skipSpace()
      guard position < bytes.count else { return nil }
      if take(">") || take("/>") { return Tag(name: name, attributes: attributes) }
      guard attributes.count < Self.maximumAttributes, let key = readName() else { return nil }
      skipSpace()
      guard take("=") else { return nil }
      skipSpace()
      guard let value = readQuoted() else { return nil }
      attributes.append(Attribute(name: key, value: value))
    }
  }

  private mutating func readName() -> String? {
    let start = position
    while position < bytes.count, position - start <= Self.maximumLength, !Self.endsName(bytes[position]) {
      position += 1
    }
    guard position > start, position - start <= Self.maximumLength else { return nil }
    return String(validating: bytes[start..<position], as: UTF8.self)
  }

  private mutating func readQuoted() -> String? {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
      return nil
    }
    let start = position + 1
    guard let end = bytes[start...].prefix(Self.maximumLength + 1).firstIndex(of: bytes[position]) else { return nil }
    position = end + 1
    return Self.unescape(bytes[start..<end])
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    byte <= 0x20 || "=/><\"'&".utf8.contains(byte)
  }

  private mutating func skipSpace() {
    while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
  }

  private mutating func take(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func skip(until text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    while let found = bytes[position...].firstIndex(of: first) {
      position = found
      if take(text) { return true }
      position += 1
    }
    position = bytes.count
    return false
  }

  /// Replaces the five predefined entity references and character references; keeps other references unchanged.
  private static func unescape(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var result = ""
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "&"), let end = rest[start...].firstIndex(of: ";") {
      result += rest[..<start]
      let reference = rest[rest.index(after: start)..<end]
      result += scalar(of: reference).map { String($0) } ?? "&\(reference);"
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func scalar(of reference: Substring) -> Unicode.Scalar? {
    switch reference {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard reference.hasPrefix("#") else { return nil }
      let number = reference.dropFirst()
      let value = number.hasPrefix("x") ? UInt32(number.dropFirst(), radix: 16) : UInt32(number)
      return value.flatMap(Unicode.Scalar.init)
    }
  }
}

/// The types of XML documents by their root element, from the files `XMLnamespaces`.
struct MIMENamespaceTable: Sendable {
  private struct Root: Sendable, Hashable {
    let namespace: String
    let localName: String
  }

  private var types: [Root: String] = [:]

  var isEmpty: Bool { types.isEmpty }

  /// Reads a file whose lines consist of a namespace, the name of an element, which may be empty, and a type.
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
      // The type from a nearer directory takes precedence.
      if types[root] == nil { types[root] = String(decoding: bytes[type], as: UTF8.self) }
    }
  }

  /// Returns the type for a root element, or else the type for all elements of its namespace.
  func type(namespace: String, localName: String) -> String? {
    types[Root(namespace: namespace, localName: localName)] ?? types[Root(namespace: namespace, localName: "")]
  }

  /// Returns the type of a document by its first bytes.
  func type(ofDocument content: [UInt8]) -> String? {
    var scanner = MIMEXMLScanner(content)
    guard let root = scanner.nextTag() else { return nil }
    let parts = root.name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let attribute = parts.count == 2 ? "xmlns:\(parts[0])" : "xmlns"
    guard let namespace = root.value(of: attribute), let localName = parts.last else { return nil }
    return type(namespace: namespace, localName: String(localName))
  }
}
