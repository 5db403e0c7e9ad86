// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A parser of GNU command lines: `--name value`, `--name=value`, `-o value`, and `--` before operands.
package struct ArgumentReader: Sendable {
  package enum Argument: Equatable, Sendable {
    case option(String)
    case operand(String)
  }

  private var rest: ArraySlice<String>
  private var endedOptions = false
  /// The value after the equals sign of the last option, if it has not been read yet.
  private var attached: (option: String, value: String)?

  package init(_ arguments: [String]) {
    rest = arguments[...]
  }

  /// Returns the next option without its value, or the next operand, or `nil` at the end.
  ///
  /// - Throws: `UsageError` if the previous option has a value after an equals sign, but takes none.
  package mutating func next() throws(UsageError) -> Argument? {
    if let attached { throw UsageError("option \(attached.option) takes no value") }
    guard let argument = rest.popFirst() else { return nil }
    guard !endedOptions, argument.hasPrefix("-"), argument != "-" else { return .operand(argument) }
    if argument == "--" {
      endedOptions = true
      return try next()
    }
    guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return .option(argument) }
    let name = String(argument[..<equals])
    attached = (name, String(argument[argument.index(after: equals)...]))
    return .option(name)
  }

  /// Returns the value of the option that was read last.
  ///
  /// - Throws: `UsageError` if the value is missing.
  package mutating func value(of option: String) throws(UsageError) -> String {
    if let attached {
      self.attached = nil
      return attached.value
    }
    guard let value = rest.popFirst() else { throw UsageError("option \(option) wants a value") }
    return value
  }

  /// Returns the value of the option that was read last as a positive integer.
  ///
  /// - Throws: `UsageError` if the value is missing, is not a positive integer, or exceeds `most`.
  package mutating func count(of option: String, atMost most: Int) throws(UsageError) -> Int {
    let text = try value(of: option)
    let isNumber = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, Int(text) != 0 else { throw UsageError("\(option): \(text) is not a positive number") }
    guard let number = Int(text), number <= most else { throw UsageError("\(option): at most \(most), not \(text)") }
    return number
  }
}

/// An error in a command line.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
