// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
public import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// A drop stream in a file, whose items can be had one by one without reading the others.
///
/// ```swift
/// try await DropStream.withWriter(to: .file("heroes.drop")) { writer in
///   for hero in heroes { try await writer.write(ItemProvider(hero)) }
/// }
///
/// let file = try await DropFile.open("heroes.drop")
/// let last = try await file.item(at: file.itemCount - 1).value(as: Hero.self)
/// ```
///
/// The index leads to an item, and each byte that is read is checked. That the index leads to *all* items, and that
/// nothing else is in the file, only ``verify(_:options:)`` says, which reads the whole. A file without an index, as a
/// stream that was just redirected, is read in order: ``DropStream/withReader(from:options:isolation:_:)``.
public struct DropFile: Sendable {
  private(set) var handle: DropFileHandle
  private let footer: DropFileIndex.Footer
  private let limits: DropStreamLimits
  private let lastRead: LastRead

  /// How many items the file has.
  public var itemCount: Int { Int(footer.itemCount) }

  /// Opens a file, and reads the end of its index.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - limits: What to give up at; of ``DropStreamLimits/bytesInMemory`` longer representations are read in chunks.
  /// - Returns: The file, which stays open as long as anything that came from it.
  /// - Throws: `sourceUnavailable`, `notADropStream`, `unsupported`; `truncated` for a file that was cut
  ///   (``recover(_:to:options:)``), `noIndex` for one without an index, `damaged`.
  public static func open(
    _ path: String, limits: DropStreamLimits = DropStreamLimits()
  ) async throws(DropStreamError) -> DropFile {
    // A file that was just written is in memory, and what is wrong with any is said by who may wait for it.
    if let file = try? opened(path, limits, waits: false) { return file }
    var file = try await openByThread(path, limits: limits)
    file.handle = file.handle.readingAtOnceIfPossible()
    return file
  }

  /// The same, with each read by a thread that may wait, as where the file system cannot say what is in memory.
  package static func openByThread(
    _ path: String, limits: DropStreamLimits = DropStreamLimits()
  ) async throws(DropStreamError) -> DropFile {
    try await runBlockingWork { () throws(DropStreamError) in try opened(path, limits, waits: true) }
  }

  private static func opened(
    _ path: String, _ limits: DropStreamLimits, waits: Bool
  ) throws(DropStreamError) -> DropFile {
    let handle = try DropFileHandle(path, waits: waits)
    let footer = try DropFileFooterReader(handle).footer()
    return DropFile(handle: handle.waiting(true), footer: footer, limits: limits, lastRead: LastRead())
  }

  /// Whether what is in memory is read without a thread that may wait.
  package var readsAtOnce: Bool { handle.readsAtOnce }

  /// An item, whose representations are read when they are asked for.
  ///
  /// - Parameter index: From 0; below ``itemCount``.
  /// - Returns: The item as its reader would have got it.
  /// - Throws: `damaged` where the index does not lead to it, `limitExceeded`, `systemCall`.
  /// - Precondition: There is such an item.
  public func item(at index: Int) async throws(DropStreamError) -> ItemProvider {
    precondition(index >= 0 && index < itemCount, "item \(index) of \(itemCount)")
    let entry = try await entry(ofItem: index)
    return ItemProvider(entry.offer) { representation($0, entry.contents[$1], original: $2) }
  }

  /// What the file says of an item.
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
      let chunks = DropFileChunks(handle: handle, representation: content)
      guard isInMemory || content.isFailure else { return .stream(chunks) }
      var data = Data()
      for try await chunk in chunks { data.append(chunk) }
      return .data(data)
    }
  }

  /// Where the representations of an item are.
  func contents(ofItem index: Int) async throws(DropStreamError) -> [DropFileIndex.Representation] {
    precondition(index >= 0 && index < itemCount, "item \(index) of \(itemCount)")
    return try await entry(ofItem: index).contents
  }

  /// What the file says of an item; blocks if the handle may.
  func entry(_ index: UInt64, readBy handle: DropFileHandle) throws(DropStreamError) -> Entry {
    guard let (number, count) = footer.page(of: index) else {
      return Entry(offer: DropOffer(representations: []), contents: [])
    }
    let page = try page(number, itemCount: count, readBy: handle)
    let item = Int(index - footer.pages[number].itemsBefore)
    let offset = page.offset(of: item)
    let payload = try handle.payload(of: .offer, at: offset, limit: UInt64(limits.metadataBytes))
    let offer = try OfferParser(limits: limits, frameOffset: offset).parse(payload)
    let contents = page.representations(of: item)
    guard contents.count == offer.representations.count,
      zip(offer.representations, contents).allSatisfy({ offered, content in
        offered.alias.map { contents[$0] == content }
          ?? (content.isFailure || offered.byteCount == nil || offered.byteCount == content.byteCount)
      })
    else {
      throw DropStreamError(.damaged, "damaged: the index lists other representations than the offer", at: offset)
    }
    let entry = Entry(offer: offer, contents: contents)
    lastRead.keep(entry, index)
    return entry
  }

  private func page(
    _ number: Int, itemCount: UInt64, readBy handle: DropFileHandle
  ) throws(DropStreamError) -> DropFileIndex.StoredPage {
    if let page = lastRead.page(number) { return page }
    let offset = footer.pages[number].offset
    let payload = try handle.payload(of: .indexPage, at: offset, limit: DropFileIndex.Page.maximumLength)
    guard let page = DropFileIndex.StoredPage(payload), UInt64(page.itemCount) == itemCount else {
      throw DropStreamError(.damaged, "damaged: a page of the index contradicts itself or the others", at: offset)
    }
    lastRead.keep(page, number)
    return page
  }

  /// The page that was read last, as items are mostly asked for in order, and the item, of which several things are
  /// asked one after another.
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
