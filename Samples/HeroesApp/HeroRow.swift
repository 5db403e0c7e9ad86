// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import HeroCards

/// A hero in a list: one line where there is room for all of it, else two.
struct HeroRow {
  /// From this many columns on, everything fits into one line.
  static let regularWidth = 60

  let number: Int
  let hero: Hero

  func lines(width: Int) -> [String] {
    let name = hero.name.isEmpty ? "(empty)" : hero.name
    let head = pad("\(number)", 3) + name
    if width >= Self.regularWidth { return [pad(head, width - counts.count) + counts] }
    return [head, "   " + counts]
  }

  private var counts: String {
    "comics \(hero.comics.available)  series \(hero.series.available)  stories \(hero.stories.available)"
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
