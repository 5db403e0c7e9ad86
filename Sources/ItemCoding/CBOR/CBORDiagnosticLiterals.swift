// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Strings, numbers and names.
extension CBORDiagnosticParser {
  /// Parses a string of indefinite length from its chunks.
  mutating func chunks() throws(Failure) -> CBORValue {
    let start = position
    guard take("(_") else { throw failure("expected \"(_\" before the chunks of a string") }
    // Chunks have no encoding indicator.
    if let next, ("0"..."9").contains(next) { throw unexpected("a string") }
    position = start
    let chunks = try list(")") { parser throws(Failure) in
      try parser.skipBlanks()
      guard let chunk = try parser.string() else { throw parser.unexpected("a string") }
      return chunk
    }
    let (texts, bytes) = (chunks.compactMap(\.text), chunks.compactMap(\.bytes))
    if chunks.isEmpty || !texts.isEmpty && !bytes.isEmpty {
      throw failure("expected chunks of text or chunks of bytes", at: start)
    }
    return texts.isEmpty ? .bytes(Data(bytes.joined())) : .text(texts.joined())
  }

  /// Parses a text or byte string; `nil` if another item follows.
  mutating func string() throws(Failure) -> CBORValue? {
    let start = position
    let string: CBORValue
    if take("\"") {
      string = .text(try quoted("\""))
    } else if take("'") {
      string = .bytes(Data(try quoted("'").utf8))
    } else if take("h'") {
      string = .bytes(try bytes(at: start) { Data(hexadecimal: $0) })
    } else if take("b64'") {
      string = .bytes(try bytes(at: start) { Data(anyBase64: $0) })
    } else {
      return nil
    }
    try skipIndicator(orIndefinite: string == "" || string == .bytes(Data()))
    return string
  }

  private mutating func bytes(at start: Int, _ decode: (String) -> Data?) throws(Failure) -> Data {
    let digits = run { $0 != "'" }
    try expect("'")
    guard let data = decode(digits.filter { !$0.isWhitespace }) else {
      throw failure("digits that are not complete bytes", at: start)
    }
    return data
  }

  private mutating func quoted(_ quote: StaticString) throws(Failure) -> String {
    var content: [UInt8] = []
    while !take(quote) {
      guard position < text.count else { throw unexpected("a closing quote") }
      if next == "\\" {
        content += Array(String(try escaped()).utf8)
      } else {
        content.append(text[position])
        position += 1
      }
    }
    return String(decoding: content, as: UTF8.self)
  }

  /// Parses an escape sequence, or two that are a surrogate pair.
  private mutating func escaped() throws(Failure) -> Unicode.Scalar {
    let start = position
    position += 1
    let letters: KeyValuePairs<StaticString, Unicode.Scalar> = [
      "\"": "\"", "'": "'", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t",
    ]
    for (letter, scalar) in letters where take(letter) { return scalar }
    var units: [UInt16] = []
    position = start
    while units.count < 2, take("\\u"),
      let bytes = Data(hexadecimal: String(decoding: text[position...].prefix(4), as: UTF8.self)), bytes.count == 2
    {
      units.append(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
      position += 4
      if !UTF16.isLeadSurrogate(units[0]) { break }
    }
    let scalars = String(decoding: units, as: UTF16.self).unicodeScalars
    guard scalars.count == 1, let scalar = scalars.first, Array(String(scalar).utf16) == units else {
      throw failure("an invalid escape sequence", at: start)
    }
    return scalar
  }

  // MARK: Numbers and names

  /// Parses a number, or a tag with its item.
  mutating func number(_ nesting: Int) throws(Failure) -> CBORValue {
    let start = position
    let isNegative = take("-")
    if isNegative, take("Infinity") {
      try skipIndicator(orIndefinite: false)
      return .float(-.infinity)
    }
    try digits()
    let whole = position
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    let token = String(decoding: text[start..<position], as: UTF8.self)
    let isInteger = position == whole
    try skipIndicator(orIndefinite: false)
    if isInteger, !isNegative, next == "(" {
      try expectRoom(nesting)
      position += 1
      guard let tag = UInt64(token) else { throw failure("tag number \(token) exceeds 64 bits", at: start) }
      let item = try item(nesting + 1)
      try skipBlanks()
      try expect(")")
      return .tagged(tag, item)
    }
    let value: CBORValue? =
      isInteger ? CBORValue(digits: token) : Double(token).flatMap { $0.isFinite ? .float($0) : nil }
    if let value { return value }
    throw failure(isInteger ? "an integer of more than 2048 bits" : "a number beyond double precision", at: start)
  }

  mutating func word() throws(Failure) -> CBORValue {
    let start = position
    let word = run { ("a"..."z").contains($0) || ("A"..."Z").contains($0) }
    switch word {
    case "true": return true
    case "false": return false
    case "null": return nil
    case "undefined": return .undefined
    case "NaN", "Infinity":
      try skipIndicator(orIndefinite: false)
      return .float(word == "NaN" ? .nan : .infinity)
    case "simple":
      try expect("(")
      let token = run { ("0"..."9").contains($0) }
      guard let number = UInt8(token), !(20..<32).contains(number) else {
        throw failure("simple(\(token)) does not exist", at: start)
      }
      try expect(")")
      return .simple(number)
    default:
      position = start
      throw unexpected("an item")
    }
  }
}

extension Data {
  /// Creates the bytes of pairs of hexadecimal digits; `nil` for other text.
  fileprivate init?(hexadecimal text: String) {
    let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }

  /// Creates the bytes of base64 or base64url, with or without padding; `nil` for other text.
  fileprivate init?(anyBase64 text: String) {
    let digits = text.prefix { $0 != "=" }.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    guard ["", "=", "=="].contains(text.dropFirst(digits.count)) else { return nil }
    self.init(base64Encoded: String(digits) + String(repeating: "=", count: (4 - digits.count % 4) % 4))
  }
}

extension CBORValue {
  /// Creates an integer from decimal digits with an optional sign; `nil` if it is a bignum that is not printed as digits.
  fileprivate init?(digits: String) {
    if let argument = UInt64(digits) {
      self = .unsigned(argument)
      return
    }
    // The lowest byte comes first. 2^2048 has 617 digits.
    var bytes: [UInt8] = []
    let isNegative = digits.hasPrefix("-")
    guard digits.utf8.count <= 618 else { return nil }
    for digit in digits.utf8.dropFirst(isNegative ? 1 : 0) {
      var carry = Int(digit - UInt8(ascii: "0"))
      for index in bytes.indices {
        carry += Int(bytes[index]) * 10
        bytes[index] = UInt8(truncatingIfNeeded: carry)
        carry >>= 8
      }
      if carry > 0 { bytes.append(UInt8(carry)) }
    }
    if isNegative, let lowest = bytes.firstIndex(where: { $0 != 0 }) {
      // The argument of a negative number is its magnitude minus one.
      for index in 0..<lowest { bytes[index] = 0xFF }
      bytes[lowest] -= 1
      if bytes.last == 0 { bytes.removeLast() }
    }
    guard bytes.count <= CBORDiagnosticNumber.mostBignumBytes else { return nil }
    if bytes.count <= 8 {
      let argument = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
      self = isNegative ? .negative(argument) : .unsigned(argument)
    } else {
      let tag = isNegative ? CBORTag.negativeBignum : CBORTag.positiveBignum
      self = .tagged(tag, .bytes(Data(bytes.reversed())))
    }
  }
}
