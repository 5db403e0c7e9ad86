// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a shell is given to repeat a run, without what belongs to one machine.
package struct RepeatingCommand: Sendable {
  /// Options whose values say where something is, and what stands for it; nil for what repeats nothing.
  private static let places: [String: String?] = ["--json": nil, "--python": "PYTHON"]

  package let text: String

  package init(_ arguments: [String]) {
    var words: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let name = argument.prefix { $0 != "=" }
      guard let place = Self.places[String(name)] else {
        words.append(Self.quoted(argument))
        continue
      }
      if name.count == argument.count { rest = rest.dropFirst() }
      if let place { words += [String(name), place] }
    }
    text = (["swift run -c release ThroughputBenchmarks"] + words).joined(separator: " ")
  }

  /// A word as a shell reads it.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || "-_./=,:+@%".unicodeScalars.contains(scalar)
    }
    return isPlain && !word.isEmpty
      ? word
      : "'"
        + word.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
