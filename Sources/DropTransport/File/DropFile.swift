// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
public import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// A drop stream in a file, with random access to its items.
///
/// ```swift
/// try await DropStream.withWriter(to: .file("heroes.drop")) { writer in
///   for hero in heroes { try await writer.write(ItemProvider(hero)) }
/// }
///
/// let file = try await DropFile(path: "heroes.drop")
/// let last = try await file.item(at: file.itemCount - 1).value(as: Hero.self)
/// for try await item in file { print(item.suggestedName ?? "-") }
/// ```
///
/// Every byte that is read is verified. Only ``verify(_:options:)``, which reads the complete file, verifies that the
/// index lists *all* items and that the file has no other content. A file without an index, such as a redirected
/// stream, can be read in order only: ``DropStream/withReader(from:options:isolation:_:)``.
///
/// The file is closed when the last copy of this value, and the last item read from it, is released.
public struct DropFile: Sendable {
  let handle: DropFileHandle
  private let footer: DropFileIndex.Footer
  private let footerOffset: UInt64
  let limits: DropStreamLimits
  private let lastRead: LastRead

  /// The number of items in the file.
  public var itemCount: Int { Int(footer.itemCount) }

  /// Opens a file, and reads the footer of its index.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limits: The limits of the reader. Representations longer than ``DropStreamLimits/bytesInMemory`` are read in
  ///     chunks.
  /// - Throws: `sourceUnavailable`, `empty`, `notADropStream`, `unsupported`, `damaged`, `limitExceeded`, `systemCall`;
  ///   `noIndex` for a file without an index; `truncated` for a file that is incomplete, has a corrupt end or was
  ///   appended to. Use ``recover(_:to:options:)`` to save its items.
  public init(path: String, limits: DropStreamLimits = DropStreamLimits()) async throws(DropStreamError) {
    let (handle, found) = try await runBlocking { () throws(DropStreamError) in
      let handle = try DropFileHandle(path)
      return (handle, try DropFileFooterReader(handle).footer())
    }
    try self.init(handle: handle, found, limits: limits)
  }

  /// Opens a drop file in another source, and reads the footer of its index.
  ///
  /// Only the requested parts are read: a page of the index, then the offer and the content of an item. All of them are
  /// verified. Opening the source and loading one short item usually takes three reads.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - name: The name of the source in messages.
  ///   - limits: The limits of the reader. Representations longer than ``DropStreamLimits/bytesInMemory`` are read in
  ///     chunks.
  /// - Throws: The errors of ``init(path:limits:)``; `cancelled` if the task is cancelled.
  public init(
    source: some RandomAccessSource, name: String, limits: DropStreamLimits = DropStreamLimits()
  ) async throws(DropStreamError) {
    let reader = try await SourceReader(source, name: name)
    try await reader.fetch([reader.size - Swift.min(reader.size, SourceReader.tailLength)..<reader.size])
    let handle = DropFileHandle(reader)
    let found = try await handle.read { handle throws(DropStreamError) in try DropFileFooterReader(handle).footer() }
    try self.init(handle: handle, found, limits: limits)
  }

  private init(
    handle: DropFileHandle, _ found: (footer: DropFileIndex.Footer, offset: UInt64), limits: DropStreamLimits
  ) throws(DropStreamError) {
    try limits.check(itemCount: found.footer.itemCount)
    self.handle = handle
    (footer, footerOffset) = found
    self.limits = limits
    lastRead = LastRead()
  }

  /// Returns an item, whose representations are read when they are loaded.
  ///
  /// - Parameter index: The index of the item, from 0 to ``itemCount`` - 1.
  /// - Returns: The item.
  /// - Throws: `damaged` if the index of the file is wrong, `truncated`, `limitExceeded`, `systemCall`; the errors of a
  ///   source other than a file.
  /// - Precondition: `index` is in that range.
  public func item(at index: Int) async throws(DropStreamError) -> ItemProvider {
    precondition(index >= 0 && index < itemCount, "item \(index) of \(itemCount)")
    let entry = try await entry(ofItem: index)
    return ItemProvider(entry.offer) { representation($0, entry.contents[$1], original: $2) }
  }

  /// The offer of an item, and the locations of its representations.
  struct Entry: Sendable {
    var offer: DropOffer
    var contents: [DropFileIndex.Representation]
  }

  func entry(ofItem index: Int) async throws(DropStreamError) -> Entry {
    if let entry = lastRead.entry(UInt64(index)) { return entry }
    return try await handle.read { handle throws(DropStreamError) in try entry(UInt64(index), readBy: handle) }
  }

  private func representation(
    _ offered: DropOffer.Representation, _ content: DropFileIndex.Representation, original: UTType?
  ) -> ItemRepresentation {
    let isInMemory = content.byteCount <= UInt64(limits.bytesInMemory)
    return ItemRepresentation(
      offered: offered, size: content.isFailure ? .unknown : .exact(Int64(clamping: content.byteCount)),
      aliasedType: original
    ) { [handle] _ in
      let chunks = DropFileChunks(handle, content)
      guard isInMemory || content.isFailure else { return .stream(chunks) }
      var data = Data()
      for try await chunk in chunks { data.append(chunk) }
      return .data(data)
    }
  }

  /// The name of the source, which shows that bytes that were received before are of the same source.
  ///
  /// The rest of a representation is verified by a CRC, which chosen bytes in front of it can satisfy. For a file of this
  /// machine it is `nil`: comparing the bytes would read as much as receiving them again.
  var origin: String? { handle.source == nil ? nil : handle.shownPath }

  /// Returns the content of a representation after bytes that were already received.
  ///
  /// - Returns: The rest, whose verification includes the first bytes; `nil` if the content is not one frame, or is
  ///   shorter.
  /// - Throws: The errors of ``item(at:)``.
  func rest(
    ofItem index: Int, _ type: UTType, after start: ReceivedStart
  ) async throws(DropStreamError) -> ContentRest? {
    let entry = try await entry(ofItem: index)
    let number = entry.offer.representations.firstIndex { UTType(named: $0.typeIdentifier) == type }
    guard let representation = number.map({ entry.contents[$0] }), !representation.isFailure else { return nil }
    let rest = try await handle.read { handle throws(DropStreamError) in
      var content = DropFileContent(handle, representation)
      return try content.skip(start) ? content : nil
    }
    return rest.map { DropFileChunks(handle, representation, rest: $0) }
  }

  /// Returns the locations of the representations of an item.
  func contents(ofItem index: Int) async throws(DropStreamError) -> [DropFileIndex.Representation] {
    precondition(index >= 0 && index < itemCount, "item \(index) of \(itemCount)")
    return try await entry(ofItem: index).contents
  }

  /// Reads the names of the index.
  ///
  /// - Returns: The names; `nil` if the index has none.
  func names() async throws(DropStreamError) -> DropFileIndex.Names? {
    try await handle.read { handle throws(DropStreamError) in
      try DropFileFooterReader(handle).names(before: footerOffset, itemCount: footer.itemCount)
    }
  }

  /// Returns the offset of an item's offer.
  func offset(ofItem index: Int) async throws(DropStreamError) -> UInt64 {
    try await handle.read { handle throws(DropStreamError) in
      guard let (page, item) = try page(listing: UInt64(index), readBy: handle) else { return 0 }
      return page.offset(of: item)
    }
  }

  /// Reads the entry of an item; blocks if the handle may wait.
  func entry(_ index: UInt64, readBy handle: DropFileHandle) throws(DropStreamError) -> Entry {
    guard let (page, item) = try page(listing: index, readBy: handle) else {
      return Entry(offer: DropOffer(representations: []), contents: [])
    }
    let offset = page.offset(of: item)
    let contents = page.representations(of: item)
    let payload = try handle.fetching(Self.fetchLength(ofItemAt: offset, contents)).payload(
      of: .offer, at: offset, limit: UInt64(limits.metadataBytes))
    let offer = try OfferParser(limits: limits, frameOffset: offset).parse(payload)
    guard contents.count == offer.representations.count,
      zip(offer.representations, contents).allSatisfy({ offered, content in
        offered.alias.map { contents[$0] == content }
          ?? (content.isFailure || offered.byteCount == nil || offered.byteCount == content.byteCount)
      })
    else {
      throw DropStreamError(.damaged, "corrupt: the index differs from the offer", at: offset)
    }
    let entry = Entry(offer: offer, contents: contents)
    lastRead.keep(entry, index)
    return entry
  }

  /// Returns the number of bytes from the start of an item's offer to the end of its first representation.
  ///
  /// One request to a source fetches these bytes. The result is 0 if they are too many or the representation has
  /// failed.
  private static func fetchLength(ofItemAt offset: UInt64, _ contents: [DropFileIndex.Representation]) -> UInt64 {
    guard let first = contents.first, !first.isFailure, first.offset > offset else { return 0 }
    let (end, overflows) = first.offset.addingReportingOverflow(first.byteCount)
    let length = end &- offset &+ UInt64(FrameHeader.length + FrameHeader.checkLength)
    return overflows || length > shortItemLength ? 0 : length
  }

  private static let shortItemLength: UInt64 = 256 << 10

  /// Reads the page that lists an item.
  ///
  /// - Returns: The page, and the number of the item on it; `nil` if no page lists the item.
  private func page(
    listing index: UInt64, readBy handle: DropFileHandle
  ) throws(DropStreamError) -> (page: DropFileIndex.StoredPage, item: Int)? {
    guard let (number, count) = footer.page(of: index) else { return nil }
    let page = try page(number, itemCount: count, readBy: handle)
    return (page, Int(index - footer.pages[number].itemsBefore))
  }

  private func page(
    _ number: Int, itemCount: UInt64, readBy handle: DropFileHandle
  ) throws(DropStreamError) -> DropFileIndex.StoredPage {
    if let page = lastRead.page(number) { return page }
    let offset = footer.pages[number].offset
    let payload = try handle.fetching(DropFileIndex.Page.commonLength(itemCount: itemCount)).payload(
      of: .indexPage, at: offset, limit: DropFileIndex.Page.maximumLength)
    guard let page = DropFileIndex.StoredPage(payload), UInt64(page.itemCount) == itemCount else {
      throw DropStreamError(.damaged, "corrupt: a page of the index contradicts itself or other pages", at: offset)
    }
    lastRead.keep(page, number)
    return page
  }

  /// A cache of the page and the entry that were read last: items are mostly read in order.
  private final class LastRead: Sendable {
    private struct State {
      var page: (number: Int, page: DropFileIndex.StoredPage)?
      var entry: (index: UInt64, entry: Entry)?
    }

    private let state = Lock(State())

    func page(_ number: Int) -> DropFileIndex.StoredPage? {
      state.withLock { $0.page?.number == number ? $0.page?.page : nil }
    }

    func keep(_ page: DropFileIndex.StoredPage, _ number: Int) {
      state.withLock { $0.page = (number, page) }
    }

    func entry(_ index: UInt64) -> Entry? {
      state.withLock { $0.entry?.index == index ? $0.entry?.entry : nil }
    }

    func keep(_ entry: Entry, _ index: UInt64) {
      state.withLock { $0.entry = (index, entry) }
    }
  }
}

extension DropFile: AsyncSequence {
  /// An item.
  public typealias Element = ItemProvider
  /// An error of the file.
  public typealias Failure = DropStreamError

  /// Returns an iterator that starts at the first item.
  ///
  /// The iterators are independent of each other.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(file: self)
  }

  /// An iterator over the items, in the order of the file.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let file: DropFile
    private var index = 0

    fileprivate init(file: DropFile) {
      self.file = file
    }

    /// Returns the next item; `nil` after the last item.
    ///
    /// - Throws: The errors of ``DropFile/item(at:)``; `cancelled` if the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(DropStreamError) -> ItemProvider? {
      if Task.isCancelled { throw .cancelled }
      guard index < file.itemCount else { return nil }
      let item = try await file.item(at: index)
      index += 1
      return item
    }
  }
}
