// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A generator of JSON texts that resemble heroes, cards and boards, with values of the wrong types and other faults.
struct RandomJSON {
  var generator: SeededGenerator

  private mutating func isRare(_ odds: Int) -> Bool { Int.random(in: 0..<odds, using: &generator) == 0 }

  private mutating func any<Value>(of values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &generator)]
  }

  // MARK: Texts

  /// Returns a text of heroes, with some wrong bytes in one of three texts.
  mutating func heroes() -> Data {
    text(of: { $0.hero() }, envelope: any(of: [#"{"code":200,"data":{"results":"#, #"{"data":{"count":1,"results":"#]))
  }

  /// Returns a text of cards, columns and boards, with some wrong bytes in one of three texts.
  mutating func cards() -> Data {
    text(of: { $0.cardOrColumn() }, envelope: #"{"title":"T","columns":"#)
  }

  private mutating func text(of element: (inout RandomJSON) -> String, envelope: String) -> Data {
    let elements = (0..<Int.random(in: 0...6, using: &generator)).map { _ in element(&self) }
    let text: String
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: text = elements.joined(separator: any(of: ["\n", " ", ""]))
    case 1: text = "[" + elements.joined(separator: any(of: [",", " ,\n", ", "])) + "]"
    default:
      let closing = String(repeating: "}", count: envelope.count { $0 == "{" })
      text = envelope + "[" + elements.joined(separator: ",") + "]" + closing
    }
    return isRare(3) ? mutated(Data(text.utf8)) : Data(text.utf8)
  }

  private mutating func mutated(_ text: Data) -> Data {
    var text = text
    let alphabet = Data(#"{}[],:"\u0123dD9.eE+-truefalsn x"#.utf8) + [0, 0x1F, 0x80, 0xC3, 0xE2, 0xED, 0xF0, 0xFF]
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !text.isEmpty {
      let place = Int.random(in: text.indices, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: text.remove(at: place)
      case 1: text.insert(any(of: Array(alphabet)), at: place)
      case 2: text = Data(text.prefix(place))
      default: text[place] = any(of: Array(alphabet))
      }
    }
    return text
  }

  // MARK: Elements

  private mutating func hero() -> String {
    if isRare(20) { return value(depth: 2) }
    return object([
      ("id", { $0.integer() }), ("name", { $0.string() }), ("description", { $0.string() }),
      ("modified", { $0.string() }), ("resourceURI", { $0.string() }), ("image", { $0.base64() }),
      (
        "thumbnail",
        { $0.object([("path", { $0.string() }), ("extension", { $0.string() })]) }
      ),
      ("comics", { $0.references() }), ("series", { $0.references() }), ("stories", { $0.references() }),
      ("events", { $0.references() }),
      ("urls", { $0.array { $0.object([("type", { $0.string() }), ("url", { $0.string() })]) } }),
    ])
  }

  private mutating func references() -> String {
    object([
      ("available", { $0.integer() }), ("collectionURI", { $0.string() }), ("returned", { $0.integer() }),
      (
        "items",
        {
          $0.array {
            $0.object([("resourceURI", { $0.string() }), ("name", { $0.string() }), ("type", { $0.string() })])
          }
        }
      ),
    ])
  }

  private mutating func cardOrColumn() -> String {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: value(depth: 2)
    case 1: object([("title", { $0.string() }), ("columns", { $0.array { $0.column() } })])
    case 2, 3: column()
    default: card()
    }
  }

  private mutating func column() -> String {
    object([("title", { $0.string() }), ("cards", { $0.array { $0.card() } })])
  }

  private mutating func card() -> String {
    object([("content", { $0.string() }), ("column", { $0.string() })])
  }

  /// Returns an object with most of `members` in order or shuffled, and sometimes with other, null or repeated members.
  private mutating func object(_ members: [(key: String, value: (inout RandomJSON) -> String)]) -> String {
    var texts: [String] = []
    for member in members where !isRare(8) {
      let content =
        switch Int.random(in: 0..<60, using: &generator) {
        case 0: value(depth: 2)
        case 1, 2: "null"
        default: member.value(&self)
        }
      texts.append("\(key(member.key))\(space()):\(space())\(content)")
      if isRare(60) { texts.append("\(key(member.key)):\(value(depth: 1))") }
    }
    if isRare(6) { texts.append("\(string()):\(value(depth: 3))") }
    if isRare(2) { texts.shuffle(using: &generator) }
    return "{\(space())\(texts.joined(separator: ",\(space())"))\(space())}"
  }

  private mutating func array(_ element: (inout RandomJSON) -> String) -> String {
    let count = isRare(12) ? 30 : Int.random(in: 0...3, using: &generator)
    return "[" + (0..<count).map { _ in isRare(30) ? "null" : element(&self) }.joined(separator: ",") + "]"
  }

  // MARK: Values

  private mutating func space() -> String { isRare(8) ? any(of: [" ", "\n", "\t\r", "    "]) : "" }

  private mutating func key(_ key: String) -> String {
    guard isRare(30), let first = key.unicodeScalars.first else { return "\"\(key)\"" }
    let digits = String(first.value, radix: 16)
    return "\"\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)\(key.dropFirst())\""
  }

  private mutating func integer() -> String {
    if isRare(20) {
      return any(of: [
        "-0", "1.0", "1e2", "0.5", "1E400", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "18446744073709551615", "100000000000000000000000", "9007199254740993.0", "-1.0e-1",
        "01", "1.", "-", "1e",
      ])
    }
    return "\(Int.random(in: any(of: [-30...30, -70_000...70_000, -5_000_000_000...5_000_000_000]), using: &generator))"
  }

  private mutating func base64() -> String {
    let bytes = Data((0..<Int.random(in: 0...20, using: &generator)).map { UInt8(truncatingIfNeeded: $0 &* 73) })
    let text = bytes.base64EncodedString()
    return isRare(10) ? "\"\(text.dropLast())\"" : "\"\(text.replacing("/", with: "\\/"))\""
  }

  private mutating func string() -> String {
    let pieces = [
      "a", "Night Courier", "https://heroes.example/v1/characters/", "é", "日本", "🐌",
      "\\n", "\\\"", "\\\\", "\\/", "\\u00e9",
      "\\ud83d\\udc0c", "\\u0000", " ", "\\u2028", "\u{2028}", "e\u{301}", "\u{7F}", "]}", ",",
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...4, using: &generator) { text += any(of: pieces) }
    if isRare(80) { text += any(of: ["\\ud800", "\\udc0c\\ud83d", "\\x", "\\u12", "\u{1}", "\\ud83dx"]) }
    if isRare(100) { text += String(repeating: "x", count: any(of: [20, 250, 300, 3000])) }
    return "\"\(text)\""
  }

  private mutating func value(depth: Int) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: return integer()
    case 1: return string()
    case 2: return "null"
    case 3: return any(of: ["true", "false"])
    case 4: return any(of: ["1.5", "-2.25e3", "{}", "[]"])
    case 5: return any(of: ["nul", "tru", "+1", ".5", "NaN", "[1,]"])
    case 6:
      return "["
        + (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth - 1) }
        .joined(separator: ",") + "]"
    default:
      return "{"
        + (0..<Int.random(in: 0...3, using: &generator)).map { _ in "\(string()):\(value(depth: depth - 1))" }
        .joined(separator: ",") + "}"
    }
  }
}
