// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import HeroCards

/// What was typed into the list: `VERB WORD… [to WINDOW] [at PLACE]`.
struct HeroCommand {
  let verb: String
  let words: [String]
  /// The favourites, unless something else is said.
  let target: SceneTarget

  init(_ line: String) {
    var words = line.split(separator: " ").map(String.init)
    verb = words.isEmpty ? "" : words.removeFirst()
    var (name, position) = ("Favourites", Int?.none)
    if let at = words.lastIndex(of: "at"), at + 1 < words.count {
      position = Int(words[at + 1]).flatMap { $0 > 0 ? $0 - 1 : nil }
      words.removeSubrange(at...)
    }
    if let to = words.lastIndex(of: "to"), to + 1 < words.count {
      name = words[(to + 1)...].joined(separator: " ")
      words.removeSubrange(to...)
    }
    self.words = words
    target = name == "desktop" ? .desktop : .scene(name, position: position)
  }

  /// The heroes of the numbers among the words; `empty` is the one that stands for none.
  func choose(from heroes: [Hero]) -> [Hero] {
    words.compactMap { word in
      if word == "empty" { return Hero.empty }
      guard let number = Int(word), heroes.indices.contains(number - 1) else { return nil }
      return heroes[number - 1]
    }
  }
}
