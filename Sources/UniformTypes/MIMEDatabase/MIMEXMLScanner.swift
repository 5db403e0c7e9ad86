// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Finds the start tags of a document that may be cut, malformed or no XML at all; it validates nothing.
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

  /// More attributes of one element, and what is after longer names and values, are not looked at.
  static let maximumAttributes = 64
  static let maximumLength = 4096

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The next start tag; nothing where the document ends or stops making sense.
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

  /// The text between here and the next tag.
  mutating func text() -> String? {
    let start = position
    guard let end = bytes[start...].prefix(Self.maximumLength).firstIndex(of: UInt8(ascii: "<")) else { return nil }
    return Self.unescape(bytes[start..<end])
  }

  /// Skips a document type, whose subset in brackets has declarations of its own.
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
    while attributes.count < Self.maximumAttributes {
      skipSpace()
      guard position < bytes.count else { return nil }
      if take(">") || take("/>") { return Tag(name: name, attributes: attributes) }
      guard let key = readName() else { return nil }
      skipSpace()
      guard take("=") else { return nil }
      skipSpace()
      guard let value = readQuoted() else { return nil }
      attributes.append(Attribute(name: key, value: value))
    }
    return nil
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
    guard let end = bytes[start...].prefix(Self.maximumLength).firstIndex(of: bytes[position]) else { return nil }
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

  /// Replaces the five named references and numeric ones; any other stays as it is.
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
