// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// The parts of an item, which get their names together or not at all.
struct StagedItem {
  /// A part of an item that does not have its name yet.
  struct Part {
    let preferredName: PreferredName
    let isFolder: Bool
  }

  /// A staged file or folder, with its number and its future name.
  struct File {
    let number: Int
    let name: String
    let isFolder: Bool
    let attributes: ItemFileAttributes
  }

  /// The number of the first part's file.
  let firstFile: Int
  let attributes: ItemFileAttributes
  /// The description of the item if it is left out at the end; `nil` unless the collision policy leaves items out.
  let description: DropFolder.LeftOutItem?
  /// The number of all its names; 1 stands for names without a number.
  var number: Int
  /// The parts; `nil` for a part that was discarded.
  var parts: [Part?]

  /// The staged files of the parts that were not discarded.
  var files: [File] {
    parts.enumerated().compactMap { offset, part in
      part.map {
        File(
          number: firstFile + offset, name: $0.preferredName.name(number), isFolder: $0.isFolder, attributes: attributes
        )
      }
    }
  }

  var names: [String] { parts.compactMap { $0?.preferredName.name(number) } }
}

/// The preferred name of a part of an item, and the numbered alternatives.
struct PreferredName: Hashable, Sendable {
  /// The path of the parent folder with a trailing slash; empty for the destination itself.
  var folder = ""
  let text: String
  /// The number of earlier parts of the same item with the same preferred name.
  let ordinal: Int

  /// Returns the preferred names of an item's parts, with ordinals that distinguish equal names.
  static func list(_ names: [String], in folder: String = "") -> [PreferredName] {
    if names.count == 1 { return [PreferredName(folder: folder, text: names[0], ordinal: 0)] }
    var counts: [[UInt8]: Int] = [:]
    return names.map { name in
      let ordinal = counts[Array(name.utf8), default: 0]
      counts[Array(name.utf8)] = ordinal + 1
      return PreferredName(folder: folder, text: name, ordinal: ordinal)
    }
  }

  /// Returns the name for the number of an item; the number 1 stands for the name without a number.
  ///
  /// The name is always derived from the preferred name, so no name has two numbers.
  func name(_ number: Int) -> String {
    let name = number + ordinal == 1 ? text : DropFileName.numbered(text, number + ordinal)
    return folder.isEmpty ? name : folder + name
  }

  /// The UTF-8 bytes of the name, because two equal strings may be different names.
  var key: [UInt8] { Array(folder.utf8) + text.utf8 }
}

/// A table of the next number for each name, so that a repeated name does not search from 2 again.
struct NameNumbers {
  /// The next number by the UTF-8 bytes of the name.
  private var next: [[UInt8]: Int] = [:]

  /// Returns the next number, at least 2, with which the names of all parts of an item are free.
  ///
  /// - Parameters:
  ///   - preferredNames: The preferred names of the parts.
  ///   - isFree: Returns whether a name is free. It returns false for a finite number of names.
  /// - Returns: One number for all parts.
  mutating func take(for preferredNames: [PreferredName], isFree: (String) -> Bool) -> Int {
    var number = preferredNames.reduce(2) { number, preferredName in
      max(number, next[preferredName.key, default: 2] - preferredName.ordinal)
    }
    // Each number gives new names, and the number of taken names is finite, so the loop ends.
    while !preferredNames.allSatisfy({ isFree($0.name(number)) }) { number += 1 }
    for preferredName in preferredNames { next[preferredName.key] = number + preferredName.ordinal + 1 }
    return number
  }

  /// Releases the number of a part that was discarded.
  mutating func giveBack(_ number: Int, of preferredName: PreferredName) {
    let key = preferredName.key
    guard number + preferredName.ordinal > 1, let next = next[key] else { return }
    self.next[key] = min(next, number + preferredName.ordinal)
  }
}
