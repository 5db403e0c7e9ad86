// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Takes a command line apart as GNU programs do: `--name value`, `--name=value`, `-o value`, and `--` before operands.
package struct ArgumentReader: Sendable {
  package enum Argument: Equatable, Sendable {
    case option(String)
    case operand(String)
  }

  private var rest: ArraySlice<String>
  private var endedOptions = false
  /// The value after the equals sign of the last option, until it is read.
  private var attached: (option: String, value: String)?

  package init(_ arguments: [String]) {
    rest = arguments[...]
  }

  /// The next option, without its value, or the next operand; nil at the end.
  ///
  /// - Throws: `UsageError` when the last option had a value that it does not take.
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

  /// The value of the option that came last.
  ///
  /// - Throws: `UsageError` when there is none.
  package mutating func value(of option: String) throws(UsageError) -> String {
    if let attached {
      self.attached = nil
      return attached.value
    }
    guard let value = rest.popFirst() else { throw UsageError("option \(option) wants a value") }
    return value
  }

  /// The value of the option that came last, as a positive whole number that is not too great for what it is used for.
  ///
  /// - Throws: `UsageError` when it is none.
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
