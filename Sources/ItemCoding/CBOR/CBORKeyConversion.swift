// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The conversions of keys between camel case and snake case, with the results of Foundation's coders.
extension String {
  /// The words of a key in camel case, in lower case with underscores between them.
  ///
  /// Several capitals are one word, and the last of them begins the next word if a small letter follows.
  var convertedToSnakeCase: String {
    let letters = Array(self)
    var words: [ArraySlice<Character>] = []
    var wordStart = 0
    // The first capital since the last small letter.
    var capital: Int?
    func endWord(at index: Int) {
      words.append(letters[wordStart..<index])
      wordStart = index
    }
    for index in letters.indices.dropFirst() {
      if let first = capital {
        guard letters[index].isLowercase else { continue }
        if index - 1 > first { endWord(at: index - 1) }
        capital = nil
      } else if letters[index].isUppercase {
        endWord(at: index)
        capital = index
      }
    }
    endWord(at: letters.count)
    return words.map { String($0).lowercased() }.joined(separator: "_")
  }

  /// The words between underscores, of which all but the first are capitalised.
  ///
  /// Underscores at the start and the end stay, and a single word stays unchanged.
  var convertedFromSnakeCase: String {
    let words = split(separator: "_")
    guard words.count > 1 else { return self }
    let capitalized = words.dropFirst().map(\.capitalized)
    return String(prefix { $0 == "_" }) + words[0].lowercased() + capitalized.joined() + reversed().prefix { $0 == "_" }
  }
}

extension CBORDecodingSession {
  /// Returns the offset of the value whose converted key is `text`, or whose key is `number`.
  func findConverted(_ text: String, _ number: Int?, _ frame: Frame) throws(CBORFault) -> Int? {
    try makeIndex(frame)
    let named = frame.pointee.index.converted[.text(text)]
    let numbered = number.flatMap { frame.pointee.index.converted[.number($0)] }
    if let named, let numbered {
      throw CBORMapIndex.repeatedKey(at: frame.pointee.index[max(named, numbered)].keyStart)
    }
    return (named ?? numbered).map { frame.pointee.index[$0].value }
  }

  /// Adds the converted keys to the index of `frame`, and throws if two keys are equal after the conversion.
  func convertKeys(of frame: Frame) throws(CBORFault) {
    for place in 0..<frame.pointee.index.count {
      try pay(Self.visit, at: frame.pointee.index[place].keyStart)
      guard let key = try key(at: place, of: frame) else { continue }
      if frame.pointee.index.converted.updateValue(place, forKey: key) != nil {
        throw CBORMapIndex.repeatedKey(at: frame.pointee.index[place].keyStart)
      }
    }
    requireTidying()
  }
}
