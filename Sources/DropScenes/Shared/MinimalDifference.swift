// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Array where Element: Equatable & Identifiable {
  /// What was removed from an earlier state and inserted since, and no more than that.
  ///
  /// As no two elements of a list have one identifier, the most that both have in one order is a longest ascending row
  /// of places: found in O(n log n) time and O(n) memory, however much has changed.
  func minimalDifference(from earlier: [Element]) -> CollectionDifference<Element> {
    let most = Swift.min(count, earlier.count)
    var start = 0
    while start < most, self[start] == earlier[start] { start += 1 }
    var end = 0
    while end < most - start, self[count - 1 - end] == earlier[earlier.count - 1 - end] { end += 1 }
    let (old, new) = (start..<(earlier.count - end), start..<(count - end))

    let places = Dictionary(old.map { (earlier[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
    let common = new.compactMap { place in
      places[self[place].id].flatMap { earlier[$0] == self[place] ? (old: $0, new: place) : nil }
    }
    let kept = common.map(\.old).longestAscendingRow.map { common[$0] }
    let (keptOld, keptNew) = (Set(kept.map(\.old)), Set(kept.map(\.new)))
    let removals = old.filter { !keptOld.contains($0) }.map {
      CollectionDifference<Element>.Change.remove(offset: $0, element: earlier[$0], associatedWith: nil)
    }
    let insertions = new.filter { !keptNew.contains($0) }.map {
      CollectionDifference<Element>.Change.insert(offset: $0, element: self[$0], associatedWith: nil)
    }
    return CollectionDifference(removals + insertions) ?? difference(from: earlier)
  }
}

extension [Int] {
  /// The places of a longest row of numbers, not next to each other, that ascend.
  fileprivate var longestAscendingRow: [Int] {
    // Of the rows of each length, the place where the one ends that ends with the least; and what is before each place.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: count)
    for (place, number) in enumerated() {
      var range = 0..<ends.count
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        range = self[ends[middle]] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
      if range.lowerBound > 0 { before[place] = ends[range.lowerBound - 1] }
      if range.lowerBound == ends.count { ends.append(place) } else { ends[range.lowerBound] = place }
    }
    var row: [Int] = []
    var place = ends.last
    while let last = place {
      row.append(last)
      place = before[last]
    }
    return row.reversed()
  }
}
