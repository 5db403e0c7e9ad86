// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a part of an item is called when nothing is in its way, and what else it may be called.
struct WishedName: Hashable, Sendable {
  /// The path of the folder it is in, with a slash at its end; empty for the destination itself.
  var folder = ""
  let text: String
  /// How many parts of the same item wish for the same name before this one.
  let ordinal: Int

  /// The wishes of an item's parts, told apart.
  static func list(_ names: [String], in folder: String = "") -> [WishedName] {
    if names.count == 1 { return [WishedName(folder: folder, text: names[0], ordinal: 0)] }
    var counts: [[UInt8]: Int] = [:]
    return names.map { name in
      let ordinal = counts[Array(name.utf8), default: 0]
      counts[Array(name.utf8)] = ordinal + 1
      return WishedName(folder: folder, text: name, ordinal: ordinal)
    }
  }

  /// The name that goes with the number of an item; 1 stands for none.
  ///
  /// Always made of the wish, so that no name has two numbers.
  func name(_ number: Int) -> String {
    folder + (number + ordinal == 1 ? text : DropFileName.numbered(text, number + ordinal))
  }

  /// Its hash; names of the same hash share their numbers, of which some are left out then.
  var key: UInt64 { NameTable.hash(folder, text) }
}

/// Remembers which numbers have been given to names, so that items of one name are not held against all those before.
struct NameNumbers {
  /// By the hash of the name.
  private var next: [UInt64: Int] = [:]

  /// Finds the first number, from 2 on, with which every part of an item has a name that is free.
  ///
  /// - Parameters:
  ///   - wishes: Of the parts.
  ///   - isFree: Asked of names, in vain at most once of each.
  /// - Returns: A number for all of them.
  mutating func take(for wishes: [WishedName], isFree: (String) -> Bool) -> Int {
    var number = wishes.reduce(2) { number, wish in
      max(number, next[wish.key, default: 2] - wish.ordinal)
    }
    // Every number gives other names, of which there are only so many: it comes to an end.
    while !wishes.allSatisfy({ isFree($0.name(number)) }) { number += 1 }
    for wish in wishes { next[wish.key] = number + wish.ordinal + 1 }
    return number
  }

  /// Says that a part with this number has been given up.
  mutating func giveBack(_ number: Int, of wish: WishedName) {
    let key = wish.key
    guard number + wish.ordinal > 1, let next = next[key] else { return }
    self.next[key] = min(next, number + wish.ordinal)
  }
}
