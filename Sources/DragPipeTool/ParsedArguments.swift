// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding
internal import ItemTransfer

enum ArgumentCompletion: Sendable { case none, file, directory, type, endpoint, command, words([String]) }

struct ArgumentValue: Sendable, ExpressibleByStringLiteral {
  var placeholder: String
  var completion: ArgumentCompletion
  init(_ placeholder: String, _ completion: ArgumentCompletion = .none) {
    self.placeholder = placeholder
    self.completion = completion
  }
  init(stringLiteral value: String) { self.init(value) }
}

/// An option a command knows.
struct OptionSpecification: Sendable {
  let name: String
  /// What stands for its value in the help; nil for an option that takes none.
  var short: Character? = nil
  var value: ArgumentValue? = nil
  var isRepeatable = false
  var summary: String
}

/// What was typed, split into options and operands; what it means is the command's business.
struct ParsedArguments: Sendable {
  private(set) var values: [String: [String]] = [:]
  private(set) var operands: [String] = []
  private var order: [(option: String, value: String)] = []
  func values(_ option: String) -> [String] { values[option] ?? [] }
  func occurrences(of options: String...) -> [(option: String, value: String)] {
    order.filter { options.contains($0.option) }
  }

  /// Splits by the usual rules: `--name value`, `--name=value`, `--` ends the options, `-` is an operand.
  ///
  /// - Throws: `usage` for an option that is not known, lacks its value or has one too many.
  init(_ arguments: [String], options: [OptionSpecification]) throws(ToolFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard
        let option = options.first(where: { "--\($0.name)" == parts[0] || $0.short.map { "-\($0)" } ?? "" == parts[0] })
      else {
        throw ToolFailure(.usage, "unknown option \(parts[0].escapedForDisplay())")
      }
      switch (option.value, parts.count) {
      case (nil, 1): values[option.name, default: []].append("")
      case (nil, _): throw ToolFailure(.usage, "--\(option.name) takes no value")
      case (_, 2):
        values[option.name, default: []].append(String(parts[1]))
        order.append((option.name, String(parts[1])))
      default:
        guard let value = rest.popFirst() else {
          throw ToolFailure(.usage, "--\(option.name) wants a value: \(option.value?.placeholder ?? "")")
        }
        values[option.name, default: []].append(value)
        order.append((option.name, value))
      }
    }
  }

  /// Takes the first operand away, which names what the others are for.
  mutating func popOperand() -> String? {
    operands.isEmpty ? nil : operands.removeFirst()
  }

  func has(_ option: String) -> Bool { values[option] != nil }

  /// The value of an option that is given once or not at all.
  func value(_ option: String) throws(ToolFailure) -> String? {
    guard let given = values[option] else { return nil }
    guard given.count == 1 else { throw ToolFailure(.usage, "--\(option) is given twice") }
    return given[0]
  }
}
