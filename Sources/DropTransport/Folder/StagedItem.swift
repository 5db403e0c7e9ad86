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
    var byteCount: UInt64 = 0
  }

  /// A staged file or folder, with its number and its future name.
  struct File {
    let number: Int
    let name: String
    let isFolder: Bool
    let attributes: ItemFileAttributes
  }

  /// The caller's index of the item.
  let index: Int
  /// The number of the first part's file.
  let firstFile: Int
  let attributes: ItemFileAttributes
  /// The caller's data for an item that is left out at the end.
  let note: [UInt8]
  /// The number of all its names; 1 stands for names without a number.
  var number: Int
  /// The parts; `nil` for a part that was discarded.
  var parts: [Part?]

  init(
    index: Int, firstFile: Int, attributes: ItemFileAttributes, note: [UInt8], number: Int, parts: [Part?]
  ) {
    self.index = index
    self.firstFile = firstFile
    self.attributes = attributes
    self.note = note
    self.number = number
    self.parts = parts
  }

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

  func hasName(_ name: String) -> Bool { names.contains { $0.utf8.elementsEqual(name.utf8) } }
}

extension StagedItem {
  init(record: [UInt8]) {
    var reader = RecordReader(record)
    index = reader.integer()
    firstFile = reader.integer()
    number = reader.integer()
    var attributes = ItemFileAttributes(
      permissions: reader.optional { $0.integer() }, modificationTime: nil)
    attributes.modificationTime =
      reader.optional { reader in FileTime(seconds: reader.integer(), nanoseconds: reader.integer()) } ?? nil
    self.attributes = attributes
    note = reader.data()
    let count: Int = reader.integer()
    parts = (0..<count).map { _ in
      reader.optional { reader in
        Part(
          wish: WishedName(folder: reader.string(), text: reader.string(), ordinal: reader.integer()),
          isFolder: reader.bool(), byteCount: reader.integer())
      }
    }
  }

  var record: [UInt8] {
    var writer = RecordWriter()
    writer.add(index)
    writer.add(firstFile)
    writer.add(number)
    writer.add(attributes.permissions) { $0.add($1) }
    writer.add(attributes.modificationTime) { writer, time in
      writer.add(time.seconds)
      writer.add(time.nanoseconds)
    }
    writer.add(note)
    writer.add(parts.count)
    for part in parts {
      writer.add(part) { writer, part in
        writer.add(part.wish.folder)
        writer.add(part.wish.text)
        writer.add(part.wish.ordinal)
        writer.add(part.isFolder)
        writer.add(part.byteCount)
      }
    }
    return writer.bytes
  }
}
