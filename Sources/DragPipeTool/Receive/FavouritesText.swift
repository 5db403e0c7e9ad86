// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import HeroCards

/// The JSON text of a list of favourites, which is encoded hero by hero while a stream arrives.
///
/// The order, the unique names and the bytes are those of ``Favourites`` and `HeroWriter`. A list of heroes would be
/// encoded only after the end of the stream, and would need more memory.
struct FavouritesText: Sendable {
  private struct Line: Sendable {
    let key: FavouriteSortKey
    /// The hero as JSON, with a newline at the end.
    let json: Data
  }

  private var lines: [Line] = []
  private var names: Set<String> = []
  private var writer = HeroWriter(style: .lines)

  var count: Int { lines.count }

  /// Adds a hero, unless the list has one with the same name.
  ///
  /// - Throws: `EncodingError` if the hero cannot be encoded.
  mutating func add(_ hero: Hero) throws {
    guard names.insert(hero.name).inserted else { return }
    try writer.append(hero)
    lines.append(Line(key: FavouriteSortKey(hero.name), json: writer.takeBytes()))
  }

  /// Adds the heroes of another list, except heroes whose names are already in the list.
  mutating func add(contentsOf other: FavouritesText) {
    lines += other.lines.filter { names.insert($0.key.name).inserted }
  }

  /// Returns the list as one sorted array.
  func json() -> Data {
    var list = HeroWriter()
    for line in lines.sorted(by: { $0.key < $1.key }) { list.append(encoded: line.json.dropLast()) }
    list.finish()
    return list.takeBytes()
  }
}
