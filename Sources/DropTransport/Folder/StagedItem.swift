// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// The parts of an item, which get their names together or not at all.
struct StagedItem {
  /// A part of an item that does not have its name yet.
  struct Part {
    let wish: WishedName
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
          number: firstFile + offset, name: $0.wish.name(number), isFolder: $0.isFolder, attributes: attributes)
      }
    }
  }

  var names: [String] { parts.compactMap { $0?.wish.name(number) } }
}
