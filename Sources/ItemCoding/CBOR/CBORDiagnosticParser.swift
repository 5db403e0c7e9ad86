// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials

extension CBORDiagnosticNotation {
  /// A problem of a text in diagnostic notation, and its position.
  public struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the line, from 1.
    public let line: Int
    /// The number of the Unicode scalar in the line, from 1.
    public let column: Int
    /// The problem in words.
    public let reason: String

    /// The position and the reason, such as `line 1, column 4: expected ":", found ","`.
    public var description: String { "line \(line), column \(column): \(reason)" }
  }
}

extension CBORValue {
  /// Creates the item that a text in diagnostic notation describes (RFC 8949, section 8).
  ///
  /// ```swift
  /// let claims = try CBORValue(diagnosticNotation: #"{1: "as.example.com", 4: 1(1444064944)} # a web token"#)
  /// ```
  ///
  /// The text may have everything that ``CBORDiagnosticNotation`` prints except `…`: integers of up to 2048 bits,
  /// numbers, text, byte strings, arrays, maps, tags, simple values, indefinite lengths and encoding indicators. The
  /// last two do not change the item. Byte strings are `h'01ff'`, `b64'Af8='` or `'text'`. Comments are `/ between
  /// slashes /` or follow a `#` on the same line.
  ///
  /// - Parameters:
  ///   - text: The notation of one item.
  ///   - maximumDepth: The maximum depth of nested arrays, maps and tags. Each level takes stack.
  /// - Throws: The first problem of the text. A repeated key, a simple value that does not exist, a number that is out
  ///   of range and a depth beyond the limit are problems as well.
  public init(
    diagnosticNotation text: String, maximumDepth: Int = CBORLimits().depth
  ) throws(CBORDiagnosticNotation.SyntaxError) {
    var parser = CBORDiagnosticParser(text, maximumDepth: maximumDepth)
    self = try parser.onlyItem()
  }
}

/// A parser of one item in diagnostic notation, which calls itself for nested items.
struct CBORDiagnosticParser {
  typealias Failure = CBORDiagnosticNotation.SyntaxError

  let text: [UInt8]
  private let maximumDepth: Int
  var position = 0

  init(_ text: String, maximumDepth: Int) {
    self.text = Array(text.utf8)
    self.maximumDepth = maximumDepth
  }

  mutating func onlyItem() throws(Failure) -> CBORValue {
    let item = try item(0)
    try skipBlanks()
    guard next == nil else { throw unexpected("the end of the text") }
    return item
  }

  /// Parses an item that is inside `nesting` arrays, maps and tags.
  mutating func item(_ nesting: Int) throws(Failure) -> CBORValue {
    try skipBlanks()
    switch next {
    case "[":
      try expectRoom(nesting)
      return .array(try list("]") { parser throws(Failure) in try parser.item(nesting + 1) })
    case "{":
      try expectRoom(nesting)
      return .map(try entries(nesting + 1))
    case "(": return try chunks()
    case .some("-"), .some("0"..."9"): return try number(nesting)
    default:
      if let string = try string() { return string }
      return try word()
    }
  }

  func expectRoom(_ nesting: Int) throws(Failure) {
    guard nesting < maximumDepth else { throw failure("nested deeper than the limit of \(maximumDepth) levels") }
  }

  // MARK: Characters

  var next: Unicode.Scalar? { position < text.count ? Unicode.Scalar(text[position]) : nil }

  mutating func take(_ token: StaticString) -> Bool {
    let bytes = UnsafeBufferPointer(start: token.utf8Start, count: token.utf8CodeUnitCount)
    guard text[position...].starts(with: bytes) else { return false }
    position += bytes.count
    return true
  }

  mutating func expect(_ token: StaticString) throws(Failure) {
    guard take(token) else { throw unexpected("\"\(token)\"") }
  }

  /// Takes the scalars that satisfy `isIncluded`, each byte of which is tested as a scalar.
  mutating func run(_ isIncluded: (Unicode.Scalar) -> Bool) -> Substring {
    let start = position
    while let next, isIncluded(next) { position += 1 }
    return Substring(decoding: text[start..<position], as: UTF8.self)
  }

  mutating func digits() throws(Failure) {
    guard !run({ ("0"..."9").contains($0) }).isEmpty else { throw unexpected("a digit") }
  }

  /// Skips spaces, line ends and comments.
  mutating func skipBlanks() throws(Failure) {
    while true {
      _ = run { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
      if take("#") {
        _ = run { $0 != "\n" }
      } else if next == "/" {
        let start = position
        position += 1
        _ = run { $0 != "/" }
        guard take("/") else { throw failure("a comment without an end", at: start) }
      } else {
        return
      }
    }
  }

  /// Skips an encoding indicator, or the sign of an indefinite length if that is possible.
  mutating func skipIndicator(orIndefinite: Bool) throws(Failure) {
    guard take("_"), !(take("0") || take("1") || take("2") || take("3") || orIndefinite) else { return }
    throw unexpected("an encoding indicator from _0 to _3")
  }

  func failure(_ reason: String, at position: Int? = nil) -> Failure {
    let before = text[..<(position ?? self.position)]
    let line = before[(before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)...]
    return Failure(
      line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: line.count { $0 & 0xC0 != 0x80 } + 1, reason: reason)
  }

  func unexpected(_ expected: String) -> Failure {
    let found = String(decoding: text[position...].prefix(4), as: UTF8.self).unicodeScalars.first
    return failure(
      "expected \(expected), found " + (found.map { "\"\(String($0).escapedForDisplay())\"" } ?? "the end of the text"))
  }

  // MARK: Arrays and maps

  /// Parses elements between commas, from the opening bracket to `end`.
  mutating func list<Element>(
    _ end: StaticString, _ element: (inout Self) throws(Failure) -> Element
  ) throws(Failure) -> [Element] {
    position += 1
    try skipIndicator(orIndefinite: true)
    var elements: [Element] = []
    while true {
      try skipBlanks()
      if elements.isEmpty || take(",") {
        if elements.isEmpty, take(end) { return elements }
        elements.append(try element(&self))
      } else if take(end) {
        return elements
      } else {
        throw unexpected("\",\" or \"\(end)\"")
      }
    }
  }

  private mutating func entries(_ nesting: Int) throws(Failure) -> [CBORValue.Entry] {
    var keys: Set<CBORValue> = []
    return try list("}") { parser throws(Failure) in
      try parser.skipBlanks()
      let start = parser.position
      let key = try parser.item(nesting)
      guard keys.insert(key).inserted else { throw parser.failure("a repeated key in a map", at: start) }
      try parser.skipBlanks()
      try parser.expect(":")
      return CBORValue.Entry(key: key, value: try parser.item(nesting))
    }
  }
}
