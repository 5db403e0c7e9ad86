// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What was typed, split into options and operands; what it means is the command's business.
struct ParsedArguments: Sendable {
  /// Every option that was given, in the order of the command line; a flag with an empty value.
  private var given: [(option: String, value: String)] = []
  var operands: [String] = []

  /// Splits by the GNU rules: `--name value`, `--name=value`, `-n value`, `-nvalue`, flags in a cluster like `-qv`, and
  /// long names shortened as far as they stay unambiguous; `--` ends the options, `-` is an operand, and operands may
  /// stand before options.
  ///
  /// Behind the option `help` nothing is looked at: who asks for help need not get the rest right.
  ///
  /// - Throws: `usage` for an option that is not known, lacks its value, has one too many or is given once too often.
  init(_ arguments: [String], options: [OptionSpecification]) throws(ToolFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      // By bytes and scalars, not characters: an accent that stands behind a dash would be one with it.
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
      throw ToolFailure(.usage, "--\(option.name) wants a value: \(value.placeholder)")
    }
    guard option.isRepeatable || !has(option.name) else { throw Self.givenTwice(option.name) }
    given.append((option.name, text))
  }

  private static func givenTwice(_ option: String) -> ToolFailure {
    ToolFailure(.usage, "--\(option) is given twice")
  }

  /// Takes the first operand away, which names what the others are for.
  mutating func popOperand() -> String? {
    operands.isEmpty ? nil : operands.removeFirst()
  }

  func has(_ option: String) -> Bool { given.contains { $0.option == option } }

  /// The value of an option that is given once or not at all.
  func value(_ option: String) throws(ToolFailure) -> String? {
    let values = values(option)
    guard values.count <= 1 else { throw Self.givenTwice(option) }
    return values.first
  }

  /// The values of an option, in the order of the command line.
  func values(_ option: String) -> [String] {
    given.filter { $0.option == option }.map(\.value)
  }

  /// Of several options, what was given, in the order of the command line; a flag has an empty value.
  func occurrences(of options: String...) -> [(option: String, value: String)] {
    given.filter { options.contains($0.option) }
  }
}

extension String {
  /// Whether the parser takes a word for options, before a `--`.
  var isOption: Bool { utf8.first == UInt8(ascii: "-") && utf8.count > 1 }
}
