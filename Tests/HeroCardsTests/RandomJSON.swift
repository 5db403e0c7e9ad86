// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport

/// A generator of JSON texts that resemble heroes, cards and boards, with values of the wrong types and other faults.
struct RandomJSON {
  private typealias Make = (inout RandomJSON) -> String
  private typealias Member = (key: String, value: Make)

  var generator: SeededGenerator

  private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
  private mutating func isRare(_ odds: Int) -> Bool { number(1...odds) == 1 }
  private mutating func any<Value>(of values: [Value]) -> Value { values[number(0...values.count - 1)] }

  private mutating func texts(_ counts: ClosedRange<Int>, _ make: Make) -> [String] {
    (0..<number(counts)).map { _ in make(&self) }
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

  private mutating func text(of element: Make, envelope: String) -> Data {
    let elements = texts(0...6, element)
    let closing = String(repeating: "}", count: envelope.count { $0 == "{" })
    let text = any(of: [
      elements.joined(separator: any(of: ["\n", " ", ""])),
      "[" + elements.joined(separator: any(of: [",", " ,\n", ", "])) + "]",
      envelope + "[" + elements.joined(separator: ",") + "]" + closing,
    ])
    return isRare(3) ? mutated(Data(text.utf8)) : Data(text.utf8)
  }

  private mutating func mutated(_ text: Data) -> Data {
    var text = text
    let alphabet = Array(#"{}[],:"\u0123dD9.eE+-truefalsn x"#.utf8) + [0, 0x1F, 0x80, 0xC3, 0xE2, 0xED, 0xF0, 0xFF]
    for _ in 0..<number(1...3) where !text.isEmpty {
      let index = number(0...text.count - 1)
      switch number(0...3) {
      case 0: text.remove(at: index)
      case 1: text.insert(any(of: alphabet), at: index)
      case 2: text = Data(text.prefix(index))
      default: text[index] = any(of: alphabet)
      }
    }
    return text
  }

  // MARK: Elements

  private mutating func hero() -> String {
    if isRare(20) { return value(depth: 2) }
    let lists: [Member] = ["comics", "series", "stories", "events"].map { ($0, { $0.references() }) }
    return object(
      lists + strings("name", "description", "modified", "resourceURI") + [
        ("id", { $0.integer() }), ("image", { $0.base64() }),
        ("thumbnail", { $0.object($0.strings("path", "extension")) }),
        ("urls", { $0.array { $0.object($0.strings("type", "url")) } }),
      ])
  }

  private mutating func references() -> String {
    object(
      strings("collectionURI") + [
        ("available", { $0.integer() }), ("returned", { $0.integer() }),
        ("items", { $0.array { $0.object($0.strings("resourceURI", "name", "type")) } }),
      ])
  }

  private mutating func cardOrColumn() -> String {
    switch number(0...7) {
    case 0: value(depth: 2)
    case 1: object(strings("title") + [("columns", { $0.array { $0.column() } })])
    case 2, 3: column()
    default: card()
    }
  }

  private mutating func column() -> String { object(strings("title") + [("cards", { $0.array { $0.card() } })]) }

  private mutating func card() -> String { object(strings("content", "column")) }

  private func strings(_ keys: String...) -> [Member] { keys.map { ($0, { $0.string() }) } }

  /// Returns an object with most of `members` in order or shuffled, and sometimes with other, null or repeated members.
  private mutating func object(_ members: [Member]) -> String {
    var texts: [String] = []
    for member in members where !isRare(8) {
      let content =
        switch number(0...59) {
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

  private mutating func array(_ element: Make) -> String {
    let elements = texts(isRare(12) ? 30...30 : 0...3) { $0.isRare(30) ? "null" : element(&$0) }
    return "[\(elements.joined(separator: ","))]"
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
    return "\(number(any(of: [-30...30, -70_000...70_000, -5_000_000_000...5_000_000_000])))"
  }

  private mutating func base64() -> String {
    let text = Data((0..<number(0...20)).map { UInt8(truncatingIfNeeded: $0 &* 73) }).base64EncodedString()
    return isRare(10) ? "\"\(text.dropLast())\"" : "\"\(text.replacing("/", with: "\\/"))\""
  }

  private mutating func string() -> String {
    let pieces = [
      "a", "Night Courier", "https://heroes.example/v1/characters/", "é", "日本", "🐌", "\\n", "\\\"", "\\\\", "\\/",
      "\\u00e9", "\\ud83d\\udc0c", "\\u0000", " ", "\\u2028", "\u{2028}", "e\u{301}", "\u{7F}", "]}", ",",
    ]
    var text = texts(0...4) { $0.any(of: pieces) }.joined()
    if isRare(80) { text += any(of: ["\\ud800", "\\udc0c\\ud83d", "\\x", "\\u12", "\u{1}", "\\ud83dx"]) }
    if isRare(100) { text += String(repeating: "x", count: any(of: [20, 250, 300, 3000])) }
    return "\"\(text)\""
  }

  private mutating func value(depth: Int) -> String {
    switch number(0...(depth > 0 ? 7 : 5)) {
    case 0: integer()
    case 1: string()
    case 2: "null"
    case 3: any(of: ["true", "false"])
    case 4: any(of: ["1.5", "-2.25e3", "{}", "[]"])
    case 5: any(of: ["nul", "tru", "+1", ".5", "NaN", "[1,]"])
    case 6: "[\(texts(0...3) { $0.value(depth: depth - 1) }.joined(separator: ","))]"
    default:
      "{\(texts(0...3) { json in json.string() + ":" + json.value(depth: depth - 1) }.joined(separator: ","))}"
    }
  }
}
