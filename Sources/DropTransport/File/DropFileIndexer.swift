// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Notes where a writer puts things; of pages that are full it keeps no more than where they are.
struct DropFileIndexer: Sendable {
  private var page = DropFileIndex.Page()
  private var footer = DropFileIndex.Footer()

  /// An item starts with an offer of `representations`.
  mutating func beginItem(at offset: UInt64) {
    page.items.append(
      DropFileIndex.Item(offset: offset, firstRepresentation: UInt32(page.representations.count)))
  }

  /// The content of the next representation starts at `offset`, where the frames of one that cannot be made would too.
  mutating func addRepresentation(at offset: UInt64, byteCount: UInt64) {
    page.representations.append(DropFileIndex.Representation(offset: offset, byteCount: byteCount))
  }

  /// The next representation has the bytes of another one of the item.
  mutating func addAlias(of index: Int) {
    guard let item = page.items.last else { return }
    page.representations.append(page.representations[Int(item.firstRepresentation) + index])
  }

  /// The page, where it should be written now.
  mutating func endItem(isLast: Bool = false, at offset: UInt64) -> DropFileIndex.Page? {
    guard page.isFull || isLast, !page.items.isEmpty else { return nil }
    defer { page = DropFileIndex.Page() }
    footer.pages.append(DropFileIndex.Footer.Entry(offset: offset, itemsBefore: footer.itemCount))
    footer.itemCount += UInt64(page.items.count)
    return page
  }

  /// Whether every item is on a page that has been written.
  var isEmpty: Bool { page.items.isEmpty }

  /// What is written behind the last page.
  func end() -> DropFileIndex.Footer { footer }
}
