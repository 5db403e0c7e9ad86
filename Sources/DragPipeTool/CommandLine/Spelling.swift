// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Guesses what somebody meant who has mistyped a name.
enum Spelling {
  /// The longest word that is looked at: every name is much shorter.
  private static let maximumLength = 40

  /// A question to put behind "unknown …"; empty where nothing is near.
  static func hint(for word: String, among names: [String], prefix: String = "") -> String {
    let near = suggestions(for: word, among: names).map { prefix + $0 }
    return near.isEmpty ? "" : "; did you mean \(list(near, joinedBy: "or"))?"
  }

  /// The names that are nearest to a word, if they are near enough: what it is the beginning of, or what a slip in
  /// three letters turns into it.
  static func suggestions(for word: String, among names: [String]) -> [String] {
    let word = Array(word.lowercased().unicodeScalars.prefix(maximumLength + 1))
    guard word.count > 1, word.count <= maximumLength else { return [] }
    let distances = names.map { name in
      let name = Array(name.unicodeScalars)
      return name.starts(with: word) ? 0 : distance(word, name)
    }
    guard let least = distances.min(), least <= max(1, word.count / 3) else { return [] }
    return zip(names, distances).filter { $0.1 == least }.map(\.0)
  }

  /// How many slips lead from one word to the other: a letter too many, too few, wrong, or two neighbours swapped.
  static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var current = [row + 1]
      for (column, otherLetter) in other.enumerated() {
        var cost = min(last[column + 1], current[column]) + 1
        cost = min(cost, last[column] + (letter == otherLetter ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[other.count]
  }

  /// Words as a sentence lists them.
  static func list(_ words: [String], joinedBy conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}
