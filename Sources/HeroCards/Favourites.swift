// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A list of favourite heroes, sorted by name and without duplicate names.
///
/// The order does not depend on the machine's language. It compares the Unicode scalars of the names, first without
/// regard to case, then exactly. A hero without a name, such as ``Hero/empty``, is last; the list has at most one such
/// hero, because names are unique.
///
/// ```swift
/// var favourites = Favourites(storedHeroes)
/// if favourites.add(dropped) { show(favourites) }   // false: there already is one of that name
/// ```
public struct Favourites: Hashable, Sendable {
  /// Sorted entries without duplicate names.
  private var entries: [Entry] = []

  private var names: Set<String> = []

  /// Creates an empty list.
  public init() {}

  /// Creates a list from heroes in any order; the first of several heroes with the same name is kept.
  public init(_ heroes: some Sequence<Hero>) {
    add(contentsOf: heroes)
  }

  /// Inserts a hero, unless the list has one with the same name.
  ///
  /// Use ``add(contentsOf:)`` for many heroes, because each insertion moves all heroes after it.
  ///
  /// - Returns: Whether the hero was inserted.
  @discardableResult
  public mutating func add(_ hero: Hero) -> Bool {
    guard names.insert(hero.name).inserted else { return false }
    let entry = Entry(hero: hero, key: FavouriteSortKey(hero.name))
    entries.insert(entry, at: firstIndex(notBefore: entry.key))
    return true
  }

  /// Inserts heroes in any order, except heroes whose names are already in the list.
  ///
  /// - Returns: The number of inserted heroes.
  /// - Complexity: O(*n* + *m* log *m*) for *m* heroes inserted into *n*.
  @discardableResult
  public mutating func add(contentsOf heroes: some Sequence<Hero>) -> Int {
    var added: [Entry]
    if let list = heroes as? Favourites {
      added = list.entries.filter { names.insert($0.hero.name).inserted }
    } else {
      let new = heroes.filter { names.insert($0.name).inserted }
      // A sort moves its elements often, and a hero is long.
      let order = new.indices.map { (key: FavouriteSortKey(new[$0].name), index: $0) }.sorted { $0.key < $1.key }
      added = order.map { Entry(hero: new[$0.index], key: $0.key) }
    }
    merge(added)
    return added.count
  }

  /// Removes the hero with a name.
  ///
  /// - Returns: The hero, or `nil` if the list has none with that name.
  @discardableResult
  public mutating func remove(named name: String) -> Hero? {
    guard names.remove(name) != nil, let index = entries.firstIndex(where: { $0.hero.name == name }) else {
      return nil
    }
    return entries.remove(at: index).hero
  }

  /// Returns whether the list has a hero with a name, in O(1).
  public func contains(named name: String) -> Bool {
    names.contains(name)
  }

  private func firstIndex(notBefore key: FavouriteSortKey) -> Int {
    var range = entries.startIndex..<entries.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = entries[middle].key < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// Merges sorted entries with new names into the list.
  private mutating func merge(_ added: [Entry]) {
    guard let first = added.first else { return }
    if let last = entries.last, first.key < last.key {
      var merged: [Entry] = []
      merged.reserveCapacity(entries.count + added.count)
      var rest = added[...]
      for entry in entries {
        let before = rest.prefix { $0.key < entry.key }
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
  /// The index of the first hero.
  public var startIndex: Int { entries.startIndex }

  /// The index after the last hero.
  public var endIndex: Int { entries.endIndex }

  /// Returns the hero at an index; inserting a hero before it changes the index.
  public subscript(position: Int) -> Hero { entries[position].hero }
}

extension Favourites: Codable {
  /// Decodes an array of heroes in any order, as ``init(_:)`` accepts it.
  ///
  /// - Throws: The errors of ``Hero``, with the hero's index in the path.
  public init(from decoder: any Decoder) throws {
    self.init(try [Hero](from: decoder))
  }

  /// Encodes the heroes as an array, in order.
  ///
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    try Array(self).encode(to: encoder)
  }
}

/// A hero with its sort key.
private struct Entry: Hashable, Sendable {
  let hero: Hero
  let key: FavouriteSortKey
}

/// The name of a hero, which sorts in the order of ``Favourites``.
package struct FavouriteSortKey: Hashable, Sendable, Comparable {
  package let name: String
  private let foldedName: String

  package init(_ name: String) {
    self.name = name
    // The conversion to upper case comes first, because ß and ss, or ς and σ, are equal only in upper case.
    foldedName = name.uppercased().lowercased()
  }

  /// Compares the UTF-8 bytes of the names, which sort like the Unicode scalars that they encode.
  package static func < (left: FavouriteSortKey, right: FavouriteSortKey) -> Bool {
    if left.name.isEmpty || right.name.isEmpty {
      return !left.name.isEmpty
    }
    let order = compare(left.foldedName, right.foldedName)
    return order == 0 ? compare(left.name, right.name) < 0 : order < 0
  }

  /// Returns a negative number if `left` is first, zero for equal bytes, and otherwise a positive number.
  private static func compare(_ left: String, _ right: String) -> Int {
    let one = left.utf8.span
    let other = right.utf8.span
    let order = one.withUnsafeBytes { one in
      other.withUnsafeBytes { other -> CInt in
        guard let left = one.baseAddress, let right = other.baseAddress else { return 0 }
        return memcmp(left, right, min(one.count, other.count))
      }
    }
    return order == 0 ? one.count - other.count : Int(order)
  }
}
