// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What the command line asks for.
struct BenchmarkOptions: Sendable {
  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

  enum Suite: String, Sendable, CaseIterable {
    case heroes
    case bytes
    case pipes
    case files
    case sessions
    case types
    case providers
    case coders
  }

  var heroCount = 20_000
  var megabytes = 512
  var repetitions = 5
  /// What to measure; everything unless it is stated.
  var suites = Set(Suite.allCases)
  /// Set in the processes that the benchmark starts itself.
  var role: BenchmarkRole?
  var path = ""

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw UsageError(description: "\(option) wants a value; \(Self.usage)") }
      switch option {
      case "--heroes": heroCount = try Self.number(value)
      case "--megabytes": megabytes = try Self.number(value)
      case "--repetitions": repetitions = try Self.number(value)
      case "--suite":
        guard let suite = Suite(rawValue: value) else {
          throw UsageError(description: "no suite \(value); \(Self.usage)")
        }
        suites = [suite]
      case "--path": path = value
      case "--role":
        guard let role = BenchmarkRole(rawValue: value) else { throw UsageError(description: "no role \(value)") }
        self.role = role
      default: throw UsageError(description: "unknown option \(option); \(Self.usage)")
      }
    }
  }

  private static let usage =
    "[--suite heroes|bytes|pipes|files|sessions|coders|providers|types] [--heroes N] [--megabytes N] [--repetitions N]"

  private static func number(_ text: String) throws -> Int {
    guard let number = Int(text), number > 0 else { throw UsageError(description: "\(text) is no positive number") }
    return number
  }
}
