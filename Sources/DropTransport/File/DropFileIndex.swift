// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The index of a drop file: pages, each after the items that it lists, the names, and a footer that lists the pages.
///
///     page    0  4  items                 4  4  representations
///             for each item:              8  offset of its offer    4  first representation    4  zero
///             for each representation:    8  offset of its first frame    8  bytes
///     names   for each item with a name:  4  item                   4  CRC32C of the name
///             last                        8  offset of the frame of the names
///     footer  0  8  items                 8  4  pages               12  4  zero
///             for each page:              8  offset of its frame    8  items before it
///             last                        8  offset of the footer's own frame
///
/// Representations are numbered from the start of the page. If a representation could not be loaded, its byte count is
/// all ones, and its frame is the failure. The names are in ascending order of their checksums, then of their items.
enum DropFileIndex {
  /// The types of the frames that a writer of files adds to a stream.
  static let frameTypes: Set<FrameType> = [.indexPage, .indexNames, .indexFooter, .padding]

  private static let frameOverhead = FrameHeader.length + FrameHeader.checkLength

  /// The maximum number of bytes of these frames in a file without items.
  static let mostBytesOfNoItems = UInt64(2 * frameOverhead + Footer.headerLength + 2 * offsetLength)
  /// The length of the offset of its own frame at the end of the names and the footer.
  static let offsetLength = 8

  /// Returns the maximum number of bytes of these frames for an item: a page, a name, and padding for each
  /// representation.
  static func mostBytes(forItemOf representations: Int) -> UInt64 {
    let page = frameOverhead + Page.headerLength + Item.length + Footer.Entry.length
    return UInt64(page + Names.entryLength) + UInt64(representations) * mostBytesOfRepresentation
  }

  private static let mostBytesOfRepresentation =
    UInt64(Representation.length + frameOverhead) + FrameEncoder.maximumAlignment - 1

  struct Item: Hashable, Sendable {
    static let length = 16

    var offset: UInt64
    var firstRepresentation: UInt32
  }

  struct Representation: Hashable, Sendable {
    static let length = 16

    /// The offset of the first frame of its content, or of the frame that states its failure.
    var offset: UInt64
    var byteCount: UInt64

    static let failureByteCount = UInt64.max

    var isFailure: Bool { byteCount == Self.failureByteCount }
  }

  struct Page: Hashable, Sendable {
    static let headerLength = 8
    /// The numbers of items and of representations, either of which fills a page.
    static let capacity = (items: 4096, representations: 16_384)
    /// The maximum length of a page in bytes.
    ///
    /// It exceeds the length of the pages that this package writes, because other writers may write longer pages.
    static let maximumLength: UInt64 = 1 << 24

    /// Returns the length of the frame of a page whose items have one representation each.
    static func commonLength(itemCount: UInt64) -> UInt64 {
      let count = min(itemCount, UInt64(capacity.items))
      return UInt64(frameOverhead + headerLength) + count * UInt64(Item.length + Representation.length)
    }

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

    /// Decodes an untrusted footer.
    ///
    /// - Returns: `nil` if it contradicts itself.
    init?(_ payload: UnsafeRawBufferPointer) {
      guard payload.count >= Self.headerLength + offsetLength else { return nil }
      itemCount = payload.littleEndian(at: 0)
      let count = Int(payload.littleEndian(at: 8, as: UInt32.self))
      guard payload.count == Self.headerLength + count * Entry.length + offsetLength,
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

    /// Returns the number of the page that lists `item`, and the number of items on that page; `nil` beyond the last
    /// item.
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

extension DropFileIndex {
  /// The items of a file by the checksums of their names.
  ///
  /// Different names may have the same checksum.
  struct Names: Hashable, Sendable {
    static let entryLength = 8
    /// The maximum length of the names in bytes, which suffices for 8 million items.
    static let maximumLength: UInt64 = 1 << 26
    /// The number of items from which on names are written: a reader can read fewer offers at once.
    static let leastItemCount = 65

    /// The checksum in the upper half, and the item in the lower half.
    private(set) var entries: [UInt64] = []

    init() {}

    /// Adds an item.
    ///
    /// - Returns: Whether the names have room for it.
    mutating func add(_ name: String, of item: UInt64) -> Bool {
      guard item <= UInt64(UInt32.max),
        UInt64((entries.count + 1) * Self.entryLength + offsetLength) <= Self.maximumLength
      else { return false }
      entries.append(UInt64(Self.check(name)) << 32 | item)
      return true
    }

    mutating func sort() { entries.sort() }

    func append(to payload: inout [UInt8], at frameOffset: UInt64) {
      for entry in entries { payload.append(littleEndian: entry) }
      payload.append(littleEndian: frameOffset)
    }

    /// Decodes untrusted names.
    ///
    /// - Returns: `nil` if they contradict themselves or the number of items.
    init?(_ payload: UnsafeRawBufferPointer, itemCount: UInt64) {
      let count = payload.count / Self.entryLength - 1
      guard count >= 0, payload.count % Self.entryLength == 0 else { return nil }
      entries = (0..<count).map { payload.littleEndian(at: $0 * Self.entryLength) }
      guard entries.allSatisfy({ $0 & 0xFFFF_FFFF < itemCount }),
        zip(entries, entries.dropFirst()).allSatisfy({ $0 < $1 })
      else { return nil }
    }

    /// Returns the items whose names have the checksum of `name`, in ascending order.
    func candidates(_ name: String) -> [Int] {
      let first = UInt64(Self.check(name)) << 32
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if entries[middle] < first { low = middle + 1 } else { high = middle }
      }
      return entries[low...].prefix { $0 >> 32 == first >> 32 }.map { Int($0 & 0xFFFF_FFFF) }
    }

    private static func check(_ name: String) -> UInt32 {
      var name = name
      return name.withUTF8 { CRC32C.check(UnsafeRawBufferPointer($0)) }
    }
  }
}

/// A builder for the index of a file that is being written.
///
/// For a full page, it retains the entry in the footer, and for each name 8 bytes.
struct DropFileIndexer: Sendable {
  private var page = DropFileIndex.Page()
  private var footer = DropFileIndex.Footer()
  /// `nil` for a file with too many names.
  private var allNames: DropFileIndex.Names? = DropFileIndex.Names()

  /// Adds an item whose offer is at `offset`.
  mutating func beginItem(at offset: UInt64, named name: String?) {
    let number = footer.itemCount + UInt64(page.items.count)
    if let name, allNames?.add(name, of: number) == false { allNames = nil }
    page.items.append(
      DropFileIndex.Item(offset: offset, firstRepresentation: UInt32(page.representations.count)))
  }

  /// Adds a representation whose content, or failure, is at `offset`.
  mutating func addRepresentation(at offset: UInt64, byteCount: UInt64) {
    page.representations.append(DropFileIndex.Representation(offset: offset, byteCount: byteCount))
  }

  /// Adds an alias of an earlier representation of the item.
  mutating func addAlias(of index: Int) {
    guard let item = page.items.last else { return }
    page.representations.append(page.representations[Int(item.firstRepresentation) + index])
  }

  /// Ends an item, and returns the page to write at `offset` if the page is full or `isLast` is set.
  mutating func endItem(isLast: Bool = false, at offset: UInt64) -> DropFileIndex.Page? {
    guard page.isFull || isLast, !page.items.isEmpty else { return nil }
    defer { page = DropFileIndex.Page() }
    footer.pages.append(DropFileIndex.Footer.Entry(offset: offset, itemsBefore: footer.itemCount))
    footer.itemCount += UInt64(page.items.count)
    return page
  }

  /// Whether every item is on a page that ``endItem(isLast:at:)`` has returned.
  var isEmpty: Bool { page.items.isEmpty }

  /// Returns the names of all items, which are written after the last page; `nil` if there are too many, or too few
  /// items.
  func names(ofFewItems: Bool = false) -> DropFileIndex.Names? {
    guard ofFewItems || footer.itemCount >= DropFileIndex.Names.leastItemCount, var names = allNames else { return nil }
    names.sort()
    return names
  }

  /// Returns the footer, which is written after the names.
  func end() -> DropFileIndex.Footer { footer }
}

extension DropFileIndex {
  /// An encoded page, whose entries are decoded on demand.
  struct StoredPage: Hashable, Sendable {
    private let payload: [UInt8]
    let itemCount: Int
    private let representationCount: Int

    /// Validates an untrusted page.
    ///
    /// - Returns: `nil` if it contradicts itself.
    init?(_ payload: [UInt8]) {
      guard payload.count >= Page.headerLength else { return nil }
      let (items, count) = payload.withUnsafeBytes { bytes in
        (Int(bytes.littleEndian(at: 0, as: UInt32.self)), Int(bytes.littleEndian(at: 4, as: UInt32.self)))
      }
      guard payload.count == Page.headerLength + items * Item.length + count * Representation.length,
        payload.withUnsafeBytes({ Self.isInOrder($0, items: items, representations: count) })
      else { return nil }
      self.payload = payload
      itemCount = items
      representationCount = count
    }

    /// Returns whether the indices of the items' first representations are valid and ascending, and reserved bytes are
    /// zero.
    private static func isInOrder(_ payload: UnsafeRawBufferPointer, items: Int, representations: Int) -> Bool {
      var last: UInt64 = 0
      for item in 0..<items {
        // The number includes the four reserved bytes: if one of these is not zero, the number is too large.
        let first = payload.littleEndian(at: Page.headerLength + item * Item.length + 8, as: UInt64.self)
        guard first >= last, first <= representations, item > 0 || first == 0 else { return false }
        last = first
      }
      return true
    }

    /// Returns the offset of the offer of an item.
    func offset(of item: Int) -> UInt64 {
      payload.withUnsafeBytes { $0.littleEndian(at: start(of: item)) }
    }

    /// Returns the representations of an item of the page.
    func representations(of item: Int) -> [Representation] {
      let end = item + 1 < itemCount ? firstRepresentation(of: item + 1) : representationCount
      return payload.withUnsafeBytes { bytes in
        (firstRepresentation(of: item)..<end).map { number in
          let offset = start(of: itemCount) + number * Representation.length
          return Representation(
            offset: bytes.littleEndian(at: offset), byteCount: bytes.littleEndian(at: offset + 8))
        }
      }
    }

    private func firstRepresentation(of item: Int) -> Int {
      payload.withUnsafeBytes { Int($0.littleEndian(at: start(of: item) + 8, as: UInt32.self)) }
    }

    private func start(of item: Int) -> Int {
      Page.headerLength + item * Item.length
    }
  }
}

/// A reader that finds the index of a file from its end.
///
/// All methods block.
struct DropFileFooterReader {
  /// The length of the end frame in bytes.
  static let endFrameLength = UInt64(FrameHeader.length + 36 + FrameHeader.checkLength)
  /// The maximum length of an index footer in bytes, which suffices for 17 billion items.
  static let maximumLength: UInt64 = 1 << 26

  private let handle: DropFileHandle

  init(_ handle: DropFileHandle) {
    self.handle = handle
  }

  /// Returns the footer, and the offset of its frame.
  func footer() throws(DropStreamError) -> (footer: DropFileIndex.Footer, offset: UInt64) {
    // Reading the start of a source costs a separate request. The start matters only if the end is not the end of a
    // stream.
    if handle.source == nil { try checkStart() }
    let end: UInt64
    do throws(DropStreamError) { end = try endOfFrames() } catch {
      if error.code == .truncated { try checkStart() }
      throw error
    }
    guard let (offset, payload) = try frame(.indexFooter, endingAt: end, limit: Self.maximumLength) else {
      throw noIndex
    }
    guard let footer = payload.withUnsafeBytes({ DropFileIndex.Footer($0) }),
      footer.itemCount <= UInt64(Int.max), footer.pages.last.map({ $0.offset < offset }) ?? true
    else { throw contradiction(offset) }
    return (footer, offset)
  }

  /// Returns the names before the footer; `nil` for a file without names.
  func names(before footerOffset: UInt64, itemCount: UInt64) throws(DropStreamError) -> DropFileIndex.Names? {
    let limit = DropFileIndex.Names.maximumLength
    guard let (offset, payload) = try frame(.indexNames, endingAt: footerOffset, limit: limit) else { return nil }
    guard let names = payload.withUnsafeBytes({ DropFileIndex.Names($0, itemCount: itemCount) }) else {
      throw contradiction(offset)
    }
    return names
  }

  /// Reads a frame whose payload ends with the offset of the frame.
  ///
  /// - Returns: The offset and the payload; `nil` if no such frame ends at `end`.
  private func frame(
    _ type: FrameType, endingAt end: UInt64, limit: UInt64
  ) throws(DropStreamError) -> (offset: UInt64, payload: [UInt8])? {
    let tail = UInt64(DropFileIndex.offsetLength + FrameHeader.checkLength)
    guard end >= UInt64(Preamble.length + FrameHeader.length) + tail else { return nil }
    let offset: UInt64 = try handle.bytes(at: end - tail, count: 8).withUnsafeBytes { $0.littleEndian(at: 0) }
    let least = UInt64(FrameHeader.length + FrameHeader.checkLength)
    guard offset >= UInt64(Preamble.length), offset < end, end - offset >= least else { return nil }
    // Without such a frame, these bytes are most likely not a frame.
    guard let header = try Self.unlessDamaged({ () throws(DropStreamError) in try handle.header(at: offset) }),
      header.type == type, header.payloadLength == end - offset - least
    else { return nil }
    return (offset, try handle.fetching(end - offset).payload(of: type, at: offset, limit: limit))
  }

  private func contradiction(_ offset: UInt64) -> DropStreamError {
    DropStreamError(.damaged, "corrupt: the index contradicts itself", at: offset)
  }

  private func checkStart() throws(DropStreamError) {
    guard handle.size > 0 else { throw DropStreamError(.empty, "the file is empty", at: 0) }
    let start = try handle.bytes(at: 0, count: Int(min(handle.size, UInt64(Preamble.length))))
    let isWhole = try start.withUnsafeBytes { bytes in
      Result { () throws(DropStreamError) in
        var decoder = FrameDecoder()
        return try decoder.next(in: bytes) != nil
      }
    }.get()
    if !isWhole { throw cut }
  }

  /// Returns the offset of the last frame, which must be the end of the stream.
  private func endOfFrames() throws(DropStreamError) -> UInt64 {
    guard handle.size >= UInt64(Preamble.length) + Self.endFrameLength else { throw cut }
    let offset = handle.size - Self.endFrameLength
    let payload = try Self.unlessDamaged { () throws(DropStreamError) in
      try handle.payload(of: .endOfStream, at: offset, limit: 36)
    }
    guard payload?.count == 36 else { throw cut }
    return offset
  }

  /// Returns the result of `body`; `nil` if the bytes are not the expected frame.
  ///
  /// Errors of the system are thrown.
  private static func unlessDamaged<Value>(
    _ body: () throws(DropStreamError) -> Value
  ) throws(DropStreamError) -> Value? {
    do throws(DropStreamError) {
      return try body()
    } catch {
      switch error.code {
      case .damaged, .truncated, .limitExceeded, .unsupported: return nil
      default: throw error
      }
    }
  }

  private var cut: DropStreamError {
    DropStreamError(
      .truncated, "\(handle.shownPath) does not end as a drop stream: it is truncated, or bytes were added",
      at: handle.size)
  }

  private var noIndex: DropStreamError {
    DropStreamError(.noIndex, "\(handle.shownPath) has no index: it is a stream that can only be read in order")
  }
}
