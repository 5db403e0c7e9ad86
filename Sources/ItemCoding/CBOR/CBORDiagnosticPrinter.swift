// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A printer of data items.
///
/// The printer stores open containers in an array, so that nested items take no stack.
struct CBORDiagnosticPrinter {
  /// An array, map or tag that is not complete.
  private struct Level {
    let major: CBORMajorType
    /// The number of items inside, keys and values of a map included; `nil` if a break ends them.
    let itemCount: UInt64?
    /// Whether an encoding indicator follows the opening bracket, so that a space must follow the indicator.
    let hasIndicator: Bool
    /// The number of items that have begun.
    var begun: UInt64 = 0
  }

  let input: CBORInput
  /// Whether the input is only the beginning of a sequence.
  let isPrefix: Bool
  let notation: CBORDiagnosticNotation
  var offset = 0
  var output: CBORDiagnosticOutput
  private var open: [Level] = []
  /// The number of open arrays and maps.
  private var indentation = 0

  init(input: CBORInput, isPrefix: Bool, notation: CBORDiagnosticNotation) {
    self.input = input
    self.isPrefix = isPrefix
    self.notation = notation
    output = CBORDiagnosticOutput(maximumLength: notation.maximumLength)
  }

  var isAtEnd: Bool { offset == input.count }

  mutating func printSequence() throws(CBORFault) {
    while !isAtEnd {
      if offset > 0 { output.write(",\n") }
      try printItem()
    }
  }

  /// Prints the item at ``offset``, including nested items.
  mutating func printItem() throws(CBORFault) {
    try beginItem()
    while let level = open.last {
      if try isComplete(level) {
        close(level)
      } else {
        separate(level)
        open[open.count - 1].begun &+= 1
        try beginItem()
      }
    }
  }

  // MARK: Arrays, maps and tags

  private mutating func isComplete(_ level: Level) throws(CBORFault) -> Bool {
    if let itemCount = level.itemCount { return level.begun == itemCount }
    guard try input.isBreak(at: offset) else { return false }
    guard level.major == .array || level.begun.isMultiple(of: 2) else { throw CBORInput.misplacedBreak(offset) }
    offset += 1
    return true
  }

  private mutating func open(_ header: CBORHeader, at start: Int) throws(CBORFault) {
    guard open.count < notation.maximumDepth else {
      throw CBORFault(.limit, at: start, "nested deeper than the limit of \(notation.maximumDepth) levels")
    }
    var itemCount: UInt64?
    if header.major == .tag {
      itemCount = 1
    } else if !header.isIndefinite {
      // A prefix can have fewer bytes than elements.
      if !isPrefix { _ = try input.elementCount(header, start, offset) }
      let (count, overflow) = header.argument.multipliedReportingOverflow(by: header.major == .map ? 2 : 1)
      itemCount = overflow ? .max : count
    }
    let indicator = header.isIndefinite ? "_" : indicator(header)
    open.append(
      Level(major: header.major, itemCount: itemCount, hasIndicator: !indicator.isEmpty && header.major != .tag))
    if header.major != .tag { indentation += 1 }
    switch header.major {
    case .array: output.write("[" + indicator)
    case .map: output.write("{" + indicator)
    default: output.write("\(header.argument)\(indicator)(")
    }
  }

  private mutating func close(_ level: Level) {
    open.removeLast()
    if level.major != .tag {
      indentation -= 1
      if level.begun > 0 {
        breakLine()
      } else if level.hasIndicator {
        output.write(" ")
      }
    }
    switch level.major {
    case .array: output.write("]")
    case .map: output.write("}")
    default: output.write(")")
    }
  }

  /// Prints the separator before the next item of `level`.
  private mutating func separate(_ level: Level) {
    switch level.major {
    case .map where !level.begun.isMultiple(of: 2):
      output.write(": ")
    case .tag:
      break
    default:
      if level.begun > 0 { output.write(",") }
      if notation.layout == .indented {
        breakLine()
      } else if level.begun > 0 || level.hasIndicator {
        output.write(" ")
      }
    }
  }

  private mutating func breakLine() {
    guard notation.layout == .indented else { return }
    output.write("\n")
    var level = 0
    while level < indentation, !output.isElided {
      output.write("  ")
      level += 1
    }
  }

  /// Returns the encoding indicator of `header`.
  ///
  /// The result is empty if the notation shows no indicators, or if the argument is in the initial byte.
  func indicator(_ header: CBORHeader) -> String {
    guard notation.showsEncodingIndicators, (24...27).contains(header.additional) else { return "" }
    return "_\(header.additional - 24)"
  }

  // MARK: Single items

  /// Prints the item at ``offset``, or its opening bracket if it has nested items.
  private mutating func beginItem() throws(CBORFault) {
    let start = offset
    let header = try input.header(&offset)
    switch header.major {
    case .unsignedInteger:
      output.write(String(header.argument) + indicator(header))
    case .negativeInteger:
      output.write(CBORDiagnosticNumber.negative(header.argument) + indicator(header))
    case .byteString, .textString:
      try printString(header, at: start)
    case .tag where header.argument == CBORTag.positiveBignum || header.argument == CBORTag.negativeBignum:
      if !printBignum(header) { try open(header, at: start) }
    case .array, .map, .tag:
      try open(header, at: start)
    case .simple:
      try printSimple(header, at: start)
    }
  }

  private mutating func printSimple(_ header: CBORHeader, at start: Int) throws(CBORFault) {
    switch header.initialByte {
    case CBORByte.false: output.write("false")
    case CBORByte.true: output.write("true")
    case CBORByte.null: output.write("null")
    case CBORByte.undefined: output.write("undefined")
    case CBORByte.break: throw CBORInput.misplacedBreak(start)
    case CBORByte.halfFloat, CBORByte.singleFloat, CBORByte.doubleFloat:
      guard !output.isElided else { return }
      let number = CBORDiagnosticNumber.floatingPoint(header.argument, initialByte: header.initialByte)
      output.write(number + indicator(header))
    default: output.write("simple(\(header.argument))")
    }
  }

  /// Prints the byte string at ``offset`` as a number, if that loses no information.
  ///
  /// - Returns: Whether the byte string was printed.
  private mutating func printBignum(_ tag: CBORHeader) -> Bool {
    var end = offset
    guard !output.isElided, open.count < notation.maximumDepth, indicator(tag).isEmpty,
      let header = try? input.header(&end), header.major == .byteString, !header.isIndefinite,
      let length = try? input.length(header, offset, end),
      !notation.showsEncodingIndicators || header.additional < 24
    else { return false }
    let bytes = UnsafeRawBufferPointer(start: input.base + end, count: length)
    let isNegative = tag.argument == CBORTag.negativeBignum
    guard let number = CBORDiagnosticNumber.bignum(bytes, isNegative: isNegative) else { return false }
    output.write(number)
    offset = end + length
    return true
  }
}

/// Byte and text strings of definite and indefinite length.
extension CBORDiagnosticPrinter {
  /// Prints the string after `header`, whose content starts at ``offset``.
  mutating func printString(_ header: CBORHeader, at start: Int) throws(CBORFault) {
    guard header.isIndefinite else { return try printDefiniteString(header, at: start) }
    var isFirst = true
    while try !input.isBreak(at: offset) {
      let start = offset
      let chunk = try input.header(&offset)
      guard chunk.major == header.major, !chunk.isIndefinite else {
        throw CBORFault(at: start, "\(chunk.name) as a chunk of a string of another kind")
      }
      output.write(isFirst ? "(_ " : ", ")
      isFirst = false
      try printDefiniteString(chunk, at: start)
    }
    offset += 1
    // A string without chunks must show its kind.
    output.write(isFirst ? (header.major == .textString ? "\"\"_" : "''_") : ")")
  }

  private mutating func printDefiniteString(_ header: CBORHeader, at start: Int) throws(CBORFault) {
    let left = input.count - offset
    let isCut = isPrefix && header.argument > UInt64(left)
    let length = isCut ? left : try input.length(header, start, offset)
    let bytes = UnsafeRawBufferPointer(start: input.base + offset, count: length)
    output.write(header.major == .textString ? "\"" : "h'")
    if header.major == .textString {
      try printText(bytes, isCut: isCut)
    } else {
      output.writeHexadecimal(bytes)
    }
    offset += length
    guard !isCut else { throw CBORFault.truncated(at: start, missing: header.argument - UInt64(left)) }
    output.write((header.major == .textString ? "\"" : "'") + indicator(header))
  }

  /// Prints the text at ``offset``.
  ///
  /// All of it is validated as UTF-8, even if the output is full.
  private mutating func printText(_ bytes: UnsafeRawBufferPointer, isCut: Bool) throws(CBORFault) {
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var position = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        position += encoded.count
        output.writeEscaped(Unicode.UTF8.decode(encoded), escapesNonASCII: notation.escapesNonASCII)
      case .emptyInput:
        return
      case .error:
        // A truncated text can end within a character of up to four bytes.
        if isCut, bytes.count - position < 4 { return }
        throw CBORFault(at: offset + position, "text that is not valid UTF-8")
      }
    }
  }
}

/// A string with a maximum length.
///
/// The first piece that would exceed the maximum length is replaced by `…`, and further pieces are left out.
struct CBORDiagnosticOutput {
  private(set) var text = ""
  /// Whether a piece was left out.
  private(set) var isElided = false
  /// The number of Unicode scalars that may still be appended.
  private var room: Int

  init(maximumLength: Int) {
    room = max(0, maximumLength)
  }

  /// Appends `piece`, which must be ASCII, unless it would exceed the maximum length.
  mutating func write(_ piece: String) {
    guard take(piece.utf8.count) else { return }
    text += piece
  }

  /// Appends `…` for the rest of the text.
  mutating func elide() {
    guard !isElided else { return }
    isElided = true
    text += "…"
  }

  /// Appends `bytes` as pairs of hexadecimal digits.
  mutating func writeHexadecimal(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      guard take(2) else { return }
      text.unicodeScalars.append(Self.digit(byte >> 4))
      text.unicodeScalars.append(Self.digit(byte & 15))
    }
  }

  /// Appends `scalar` in the form for text between quotes.
  mutating func writeEscaped(_ scalar: Unicode.Scalar, escapesNonASCII: Bool) {
    guard !isElided else { return }
    switch scalar {
    case "\"": write(#"\""#)
    case "\\": write(#"\\"#)
    case "\n": write(#"\n"#)
    case "\r": write(#"\r"#)
    case "\t": write(#"\t"#)
    case "\u{8}": write(#"\b"#)
    case "\u{C}": write(#"\f"#)
    default:
      if scalar.isInvisibleControl || escapesNonASCII && !scalar.isASCII {
        // A surrogate pair is one piece: half of it is meaningless.
        write(String(scalar).utf16.map { #"\u"# + Self.fourDigits($0) }.joined())
      } else if take(1) {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  private mutating func take(_ length: Int) -> Bool {
    guard !isElided else { return false }
    guard length <= room else {
      elide()
      return false
    }
    room -= length
    return true
  }

  private static func digit(_ value: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value)
  }

  private static func fourDigits(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

/// A namespace for functions that format numbers as in RFC 8949, Appendix A.
enum CBORDiagnosticNumber {
  /// The maximum length, in bytes, of a bignum that is shown as a number.
  ///
  /// Computing its digits takes quadratic time.
  static let mostBignumBytes = 256

  /// Returns the digits of the integer -1 - `argument` (major type 1).
  static func negative(_ argument: UInt64) -> String {
    // -1 - 0xFFFFFFFFFFFFFFFF has more than 64 bits.
    argument == .max ? "-18446744073709551616" : "-\(argument + 1)"
  }

  /// Returns the digits of a bignum.
  ///
  /// Returns `nil` if the bignum has at most 8 bytes or more than ``mostBignumBytes``, or if its first byte is zero.
  /// Such a bignum is shown as a tag with a byte string.
  static func bignum(_ bytes: UnsafeRawBufferPointer, isNegative: Bool) -> String? {
    guard bytes.count > 8, bytes.count <= mostBignumBytes, bytes[0] != 0 else { return nil }
    // Groups of nine digits, the lowest first.
    var groups: [UInt64] = [0]
    func multiply(adding byte: UInt8, radix: UInt64) {
      var carry = UInt64(byte)
      for index in groups.indices {
        carry += groups[index] * radix
        groups[index] = carry % 1_000_000_000
        carry /= 1_000_000_000
      }
      if carry > 0 { groups.append(carry) }
    }
    for byte in bytes { multiply(adding: byte, radix: 256) }
    if isNegative { multiply(adding: 1, radix: 1) }
    let digits = groups.dropLast().reversed().map { group in
      let digits = String(group)
      return String(repeating: "0", count: 9 - digits.count) + digits
    }
    return (isNegative ? "-" : "") + String(groups[groups.count - 1]) + digits.joined()
  }

  /// Returns the digits of the number with `bits` in half, single or double precision.
  static func floatingPoint(_ bits: UInt64, initialByte: UInt8) -> String {
    switch initialByte {
    case CBORByte.halfFloat: text(of: half(UInt16(truncatingIfNeeded: bits)))
    case CBORByte.singleFloat: text(of: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    default: text(of: Double(bitPattern: bits))
    }
  }

  private static func half(_ bits: UInt16) -> Double {
    let significand = Double(bits & 0x3FF)
    let magnitude: Double =
      switch bits >> 10 & 31 {
      case 0: significand * 0x1p-24
      case 31: significand == 0 ? .infinity : .nan
      case let exponent: (1024 + significand) * Double(sign: .plus, exponent: Int(exponent) - 25, significand: 1)
      }
    return bits >> 15 == 0 ? magnitude : -magnitude
  }

  /// Returns the fewest digits that identify `value`, always with a decimal point; or `NaN`, `Infinity`, `-Infinity`.
  ///
  /// As in ECMAScript, numbers from 1e+21 on and below 1e-6 have an exponent.
  private static func text(of value: Double) -> String {
    guard !value.isNaN else { return "NaN" }
    let sign = value.sign == .minus ? "-" : ""
    guard value.isFinite else { return sign + "Infinity" }
    guard value != 0 else { return sign + "0.0" }
    // Swift's description has the same digits, and an exponent for other magnitudes.
    let parts = value.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    var digits = mantissa.joined()
    // The power of ten by which 0.ddd, with the digits as ddd, must be multiplied.
    var exponent = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    let leadingZeros = digits.prefix { $0 == "0" }.count
    digits.removeFirst(leadingZeros)
    exponent -= leadingZeros
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    guard (-5...21).contains(exponent) else {
      let power = exponent - 1
      let fraction = digits.count > 1 ? String(digits.dropFirst()) : "0"
      return "\(sign)\(digits.prefix(1)).\(fraction)e\(power < 0 ? "-" : "+")\(power.magnitude)"
    }
    if exponent <= 0 { return "\(sign)0.\(String(repeating: "0", count: -exponent))\(digits)" }
    if exponent >= digits.count {
      return "\(sign)\(digits)\(String(repeating: "0", count: exponent - digits.count)).0"
    }
    return "\(sign)\(digits.prefix(exponent)).\(digits.dropFirst(exponent))"
  }
}
