// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Where the items of a drop file are: pages, each behind the items that it lists, and a footer that lists the pages.
///
///     page    0  4  items                 4  4  representations
///             for each item:              8  offset of its offer    4  first representation    4  zero
///             for each representation:    8  offset of its first frame    8  bytes
///     footer  0  8  items                 8  4  pages               12  4  zero
///             for each page:              8  offset of its frame    8  items before it
///             last                        8  offset of the footer's own frame
///
/// Representations count from the start of the page. Of one that could not be made, the first frame says why, and its
/// bytes are all ones.
enum DropFileIndex {
  /// What a writer of files adds to a stream.
  static let frameTypes: Set<FrameType> = [.indexPage, .indexFooter, .padding]

  private static let frameOverhead = FrameHeader.length + FrameHeader.checkLength

  /// How many bytes of such frames a file has whatever its items are.
  static let mostBytesOfNoItems = UInt64(frameOverhead + Footer.headerLength + Footer.offsetLength)

  /// How many bytes of such frames an item may bring with it: a page of its own, and padding for each representation.
  static func mostBytes(forItemOf representations: Int) -> UInt64 {
    let page = frameOverhead + Page.headerLength + Item.length + Footer.Entry.length
    return UInt64(page) + UInt64(representations) * mostBytesOfRepresentation
  }

  private static let mostBytesOfRepresentation =
    UInt64(Representation.length + frameOverhead) + FrameEncoder.alignment - 1

  struct Item: Hashable, Sendable {
    static let length = 16

    var offset: UInt64
    var firstRepresentation: UInt32
  }

  struct Representation: Hashable, Sendable {
    static let length = 16

    /// Of the first frame of its content, or of the frame that says why there is none.
    var offset: UInt64
    var byteCount: UInt64

    static let failureByteCount = UInt64.max

    var isFailure: Bool { byteCount == Self.failureByteCount }
  }

  struct Page: Hashable, Sendable {
    static let headerLength = 8
    /// A page is full with so many items, or so many representations.
    static let capacity = (items: 4096, representations: 16_384)
    /// How long the page of a writer with less modest ideas may be.
    static let maximumLength: UInt64 = 1 << 24

    var items: [Item] = []
    var representations: [Representation] = []

    var isFull: Bool {
      items.count >= Self.capacity.items || representations.count >= Self.capacity.representations
    }

    func append(to payload: inout [UInt8]) {
      payload.append(littleEndian: UInt32(items.count))
      payload.append(littleEndian: UInt32(representations.count))
      for item in items {
        payload.append(littleEndian: item.offset)
        payload.append(littleEndian: item.firstRepresentation)
        payload.append(littleEndian: UInt32(0))
      }
      for representation in representations {
        payload.append(littleEndian: representation.offset)
        payload.append(littleEndian: representation.byteCount)
      }
    }
  }

  struct Footer: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
      static let length = 16

      var offset: UInt64
      var itemsBefore: UInt64
    }

    static let headerLength = 16
    static let offsetLength = 8

    var itemCount: UInt64 = 0
    var pages: [Entry] = []

    func append(to payload: inout [UInt8], at frameOffset: UInt64) {
      payload.append(littleEndian: itemCount)
      payload.append(littleEndian: UInt32(pages.count))
      payload.append(littleEndian: UInt32(0))
      for page in pages {
        payload.append(littleEndian: page.offset)
        payload.append(littleEndian: page.itemsBefore)
      }
      payload.append(littleEndian: frameOffset)
    }

    init() {}

    /// Reads a footer that somebody else has written.
    ///
    /// - Returns: `nil` where it contradicts itself.
    init?(_ payload: UnsafeRawBufferPointer) {
      guard payload.count >= Self.headerLength + Self.offsetLength else { return nil }
      itemCount = payload.littleEndian(at: 0)
      let count = Int(payload.littleEndian(at: 8, as: UInt32.self))
      guard payload.count == Self.headerLength + count * Entry.length + Self.offsetLength,
        payload.littleEndian(at: 12, as: UInt32.self) == 0
      else { return nil }
      pages.reserveCapacity(count)
      for index in 0..<count {
        let offset = Self.headerLength + index * Entry.length
        let entry = Entry(
          offset: payload.littleEndian(at: offset), itemsBefore: payload.littleEndian(at: offset + 8))
        guard entry.itemsBefore < itemCount, index == 0 ? entry.itemsBefore == 0 : isBehindLast(entry) else {
          return nil
        }
        pages.append(entry)
      }
      guard (count == 0) == (itemCount == 0) else { return nil }
    }

    private func isBehindLast(_ entry: Entry) -> Bool {
      guard let last = pages.last else { return false }
      return entry.offset > last.offset && entry.itemsBefore > last.itemsBefore
    }

    /// The number of the page that has `item`, and how many items the page has.
    func page(of item: UInt64) -> (number: Int, itemCount: UInt64)? {
      guard item < itemCount else { return nil }
      var (low, high) = (0, pages.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if pages[middle].itemsBefore <= item { low = middle } else { high = middle }
      }
      let end = low + 1 < pages.count ? pages[low + 1].itemsBefore : itemCount
      return (low, end - pages[low].itemsBefore)
    }
  }
}
