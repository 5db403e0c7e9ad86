// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The heroes somebody likes: no name twice, and sorted by name.
///
/// The order is the same on every machine, whatever its language: that of the Unicode scalars of the name without
/// regard to case, then of the name itself. A hero without a name, such as ``Hero/empty``, comes last; since names are
/// unique there is at most one.
///
/// ```swift
/// var favourites = Favourites(storedHeroes)
/// if favourites.add(dropped) { show(favourites) }   // false: there already is one of that name
/// ```
public struct Favourites: Hashable, Sendable {
  /// Sorted, and no two of one name.
  private var entries: [Entry] = []

  private var names: Set<String> = []

  /// Starts a list without heroes.
  public init() {}

  /// Starts a list with `heroes`, which may come in any order; of those with the same name the first is kept.
  public init(_ heroes: some Sequence<Hero>) {
    add(contentsOf: heroes)
  }

  /// Adds a hero, unless there already is one of that name.
  ///
  /// For many at once prefer ``add(contentsOf:)``: each single one moves those behind it.
  ///
  /// - Returns: Whether the hero was added.
  @discardableResult
  public mutating func add(_ hero: Hero) -> Bool {
    guard names.insert(hero.name).inserted else { return false }
    let entry = Entry(hero)
    entries.insert(entry, at: firstIndex(notBefore: entry))
    return true
  }

  /// Adds heroes in any order, leaving out those whose name is there already.
  ///
  /// Takes O(*n* + *m* log *m*) for *m* heroes added to *n*.
  ///
  /// - Returns: How many were added.
  @discardableResult
  public mutating func add(contentsOf heroes: some Sequence<Hero>) -> Int {
    var added = heroes.filter { names.insert($0.name).inserted }.map(Entry.init)
    added.sort()
    merge(added)
    return added.count
  }

  /// Takes out the hero of that name.
  ///
  /// - Returns: The hero, or `nil` where there is none of that name.
  @discardableResult
  public mutating func remove(named name: String) -> Hero? {
    guard names.remove(name) != nil, let index = entries.firstIndex(where: { $0.hero.name == name }) else {
      return nil
    }
    return entries.remove(at: index).hero
  }

  /// Whether there is a hero of that name, found without going through the list.
  public func contains(named name: String) -> Bool {
    names.contains(name)
  }

  private func firstIndex(notBefore entry: Entry) -> Int {
    var range = entries.startIndex..<entries.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = entries[middle] < entry ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// Merges entries, sorted and with names of their own, into those there are.
  private mutating func merge(_ added: [Entry]) {
    guard let first = added.first else { return }
    if let last = entries.last, first < last {
      var merged: [Entry] = []
      merged.reserveCapacity(entries.count + added.count)
      var rest = added[...]
      for entry in entries {
        let before = rest.prefix { $0 < entry }
        merged += before
        rest = rest[before.endIndex...]
        merged.append(entry)
      }
      entries = merged + rest
    } else {
      entries += added
    }
  }
}

extension Favourites: RandomAccessCollection {
  /// Where the hero first in the order stands.
  public var startIndex: Int { entries.startIndex }

  /// One behind the last hero.
  public var endIndex: Int { entries.endIndex }

  /// The hero at a place in the order, which changes with every hero added before it.
  public subscript(position: Int) -> Hero { entries[position].hero }
}

extension Favourites: Codable {
  /// Reads an array of heroes, sorted or not, as ``init(_:)`` does.
  ///
  /// - Throws: what ``Hero`` throws, with the hero's place in the path.
  public init(from decoder: any Decoder) throws {
    self.init(try [Hero](from: decoder))
  }

  /// Writes an array of heroes, in order.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    try Array(self).encode(to: encoder)
  }
}

/// A hero with what it is sorted by, worked out once.
private struct Entry: Hashable, Sendable, Comparable {
  let hero: Hero
  let foldedName: String

  init(_ hero: Hero) {
    self.hero = hero
    // Upper case first, so that letters which only meet there (ß and ss, ς and σ) are one.
    foldedName = hero.name.uppercased().lowercased()
  }

  /// UTF-8 sorts as the scalars it encodes do.
  static func < (left: Entry, right: Entry) -> Bool {
    if left.hero.name.isEmpty || right.hero.name.isEmpty {
      return !left.hero.name.isEmpty
    }
    if left.foldedName.utf8.elementsEqual(right.foldedName.utf8) {
      return left.hero.name.utf8.lexicographicallyPrecedes(right.hero.name.utf8)
    }
    return left.foldedName.utf8.lexicographicallyPrecedes(right.foldedName.utf8)
  }
}
