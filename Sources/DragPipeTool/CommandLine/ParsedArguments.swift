// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

extension String {
  /// The parts before and after the first equals sign; `nil` if a part is empty or if there is no equals sign.
  ///
  /// The string is split by Unicode scalars, since a combining mark after the sign forms one character with the sign.
  var assignment: (name: String, value: String)? {
    let parts = unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      .map { String($0) }
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    return (parts[0], parts[1])
  }
}

/// The arguments of a command, split into options and operands.
struct ParsedArguments: Sendable {
  /// Every given option, in the order of the command line; the value of a flag is empty.
  private var given: [(option: String, value: String)] = []
  var operands: [String] = []

  /// Splits arguments by the GNU rules: `--name value`, `--name=value`, `-n value`, `-nvalue` and clusters like `-qv`.
  ///
  /// Long names may be shortened to an unambiguous prefix. `--` ends the options, `-` is an operand, and operands may
  /// precede options. Arguments after `--help` are ignored, so they cannot cause an error that hides the help.
  ///
  /// - Throws: `usage` for an unknown option, an ambiguous prefix, a missing value, a value that is attached to a flag,
  ///   and a second value for an option that is not repeatable.
  init(_ arguments: [String], options: [OptionSpecification]) throws(ToolFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      // Compares bytes, since a dash and a combining accent after it form one character.
      if argument.utf8.starts(with: "--".utf8) {
        try addLongOption(argument, options, &rest)
      } else if argument.isOption {
        try addShortOptions(argument, options, &rest)
      } else {
        operands.append(argument)
      }
      if given.last?.option == OptionSpecification.help.name { return }
    }
  }

  private mutating func addLongOption(
    _ argument: String, _ options: [OptionSpecification], _ rest: inout ArraySlice<String>
  ) throws(ToolFailure) {
    let parts = argument.unicodeScalars.dropFirst(2)
      .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    let option = try options.option(named: parts[0])
    try add(option, attached: parts.count > 1 ? parts[1] : nil, &rest)
  }

  private mutating func addShortOptions(
    _ argument: String, _ options: [OptionSpecification], _ rest: inout ArraySlice<String>
  ) throws(ToolFailure) {
    var letters = argument.unicodeScalars.dropFirst()
    while let letter = letters.popFirst() {
      let option = try options.option(lettered: letter, in: argument)
      let takesTheRest = option.value != nil && !letters.isEmpty
      try add(option, attached: takesTheRest ? String(letters) : nil, &rest)
      if takesTheRest || option.name == OptionSpecification.help.name { return }
    }
  }

  private mutating func add(
    _ option: OptionSpecification, attached: String?, _ rest: inout ArraySlice<String>
  ) throws(ToolFailure) {
    guard let value = option.value else {
      guard attached == nil else { throw ToolFailure(.usage, "--\(option.name) takes no value") }
      given.append((option.name, ""))
      return
    }
    guard let text = attached ?? rest.popFirst() else {
      throw ToolFailure(.usage, "--\(option.name) needs a value: \(value.placeholder)")
    }
    guard option.isRepeatable || !has(option.name) else { throw Self.givenTwice(option.name) }
    given.append((option.name, text))
  }

  private static func givenTwice(_ option: String) -> ToolFailure {
    ToolFailure(.usage, "--\(option) may be given only once")
  }

  func has(_ option: String) -> Bool { given.contains { $0.option == option } }

  /// Returns the arguments without any occurrence of an option.
  func removing(_ option: String) -> ParsedArguments {
    var copy = self
    copy.given.removeAll { $0.option == option }
    return copy
  }

  /// Returns the arguments with one more option at the end.
  func adding(_ option: String, _ value: String) -> ParsedArguments {
    var copy = self
    copy.given.append((option, value))
    return copy
  }

  /// Returns the value of an option, or `nil` if the option is not given.
  ///
  /// - Throws: `usage` if the option is given more than once.
  func value(_ option: String) throws(ToolFailure) -> String? {
    let values = values(option)
    guard values.count <= 1 else { throw Self.givenTwice(option) }
    return values.first
  }

  /// Returns the values of an option, in the order of the command line.
  func values(_ option: String) -> [String] {
    given.filter { $0.option == option }.map(\.value)
  }

  /// Returns all occurrences of several options, in the order of the command line; the value of a flag is empty.
  func occurrences(of options: String...) -> [(option: String, value: String)] {
    given.filter { options.contains($0.option) }
  }
}

extension String {
  /// Whether the argument begins with a dash and is not just `-`.
  ///
  /// The parser treats such an argument as one or more options, or as the `--` that ends the options. After `--`, it is
  /// an operand.
  var isOption: Bool { utf8.first == UInt8(ascii: "-") && utf8.count > 1 }
}

/// A marker for an argument or file name that is not UTF-8: a NUL, then the bytes escaped for display.
///
/// Arguments and file names cannot contain a NUL, so a marked string never names an existing file. If the invalid bytes
/// were replaced instead, the result could be the name of another file.
enum UndecodableName {
  /// Marks the bytes of an argument or a file name.
  static func marking(_ bytes: some Sequence<UInt8>) -> String { "\0" + String.escapingEachByte(of: bytes) }

  /// Returns the escaped bytes of a marked string, or `nil` if the string is not marked.
  static func shown(_ text: String) -> String? {
    text.utf8.first == 0 ? String(text.dropFirst()) : nil
  }
}

/// A number of bytes in an argument.
struct ByteCount: Sendable {
  let value: UInt64

  /// The letters of units, in ascending order.
  private static let letters: [Character] = ["K", "M", "G", "T", "P"]

  /// - Parameter text: A number such as 500 or 1.5, then a unit in either case, as programs such as `dd` read it. K, KiB,
  ///   M, MiB and so on are powers of 1024; KB, MB and so on are powers of 1000; B is one byte.
  /// - Throws: `usage` for any other text, for a part of a byte, and for a size that 64 bits cannot hold.
  init(argument text: String) throws(ToolFailure) {
    guard let value = Self.value(text) else {
      throw ToolFailure(
        .usage, "\(text.escapedForDisplay()) is not a size; use a number of bytes, or such as 500M, 1.5G, 10MB or 1KiB")
    }
    self.value = value
  }

  private static func value(_ text: String) -> UInt64? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    var unit = text.dropFirst(number.count).uppercased()
    var base: UInt64 = 1024
    if unit.hasSuffix("IB"), unit.count == 3 {
      unit.removeLast(2)
    } else if unit.hasSuffix("B") {
      unit.removeLast()
      base = 1000
    }
    let power = unit.isEmpty ? 0 : unit.count == 1 ? letters.firstIndex(of: Character(unit)).map { $0 + 1 } : nil
    guard let power else { return nil }
    let factor = (0..<power).reduce(1) { product, _ in product * base }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = UInt64(parts[0]),
      case (let product, false) = whole.multipliedReportingOverflow(by: factor)
    else { return nil }
    guard parts.count == 2 else { return product }
    // A fraction of at most nine digits times the factor fits into 128 bits, and is a whole number of bytes.
    guard (1...9).contains(parts[1].count), let fraction = UInt64(parts[1]) else { return nil }
    let divisor = (0..<parts[1].count).reduce(1 as UInt64) { product, _ in product * 10 }
    let (bytes, rest) = divisor.dividingFullWidth(fraction.multipliedFullWidth(by: factor))
    guard rest == 0 || power > 0, case (let sum, false) = product.addingReportingOverflow(bytes) else { return nil }
    return sum
  }
}

extension String {
  /// The string as a message shows it if it is an operand that names a file.
  var shownAsOperand: String {
    switch self {
    case "-": "standard input"
    case "": "\"\""
    default: escapedForDisplay()
    }
  }
}
