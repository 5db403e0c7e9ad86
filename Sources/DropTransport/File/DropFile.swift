// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding
public import ItemTransfer
internal import Synchronization
internal import UniformTypes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

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
  let handle: DropFileHandle
  private let footer: DropFileIndex.Footer
  private let limits: DropStreamLimits
  private let lastPage: PageCache

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
    try await runBlockingWork { () throws(DropStreamError) in
      let handle = try DropFileHandle(path)
      return DropFile(
        handle: handle, footer: try DropFileFooterReader(handle).footer(), limits: limits, lastPage: PageCache())
    }
  }

  /// An item, whose representations are read when they are asked for.
  ///
  /// - Parameter index: From 0; below ``itemCount``.
  /// - Returns: The item as its reader would have got it.
  /// - Throws: `damaged` where the index does not lead to it, `limitExceeded`, `systemCall`.
  /// - Precondition: There is such an item.
  public func item(at index: Int) async throws(DropStreamError) -> ItemProvider {
    precondition(index >= 0 && index < itemCount, "item \(index) of \(itemCount)")
    let (offer, contents) = try await runBlockingWork { () throws(DropStreamError) in try entry(UInt64(index)) }
    return ItemProvider(offer) { representation($0, contents[$1], original: $2) }
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
    return try await runBlockingWork { () throws(DropStreamError) in try entry(UInt64(index)).1 }
  }

  /// What the file says of an item; blocks.
  func entry(
    _ index: UInt64
  ) throws(DropStreamError) -> (DropOffer, [DropFileIndex.Representation]) {
    guard let (number, count) = footer.page(of: index) else { return (DropOffer(representations: []), []) }
    let page = try page(number, itemCount: count)
    let item = Int(index - footer.pages[number].itemsBefore)
    let offset = page.items[item].offset
    let payload = try handle.payload(of: .offer, at: offset, limit: UInt64(limits.metadataBytes))
    let offer = try OfferParser(limits: limits, frameOffset: offset).parse(payload)
    let contents = Array(page.representations(of: item))
    guard contents.count == offer.representations.count,
      zip(offer.representations, contents).allSatisfy({ offered, content in
        offered.alias.map { contents[$0] == content }
          ?? (content.isFailure || offered.byteCount == nil || offered.byteCount == content.byteCount)
      })
    else {
      throw DropStreamError(.damaged, "damaged: the index lists other representations than the offer", at: offset)
    }
    return (offer, contents)
  }

  private func page(_ number: Int, itemCount: UInt64) throws(DropStreamError) -> DropFileIndex.Page {
    if let page = lastPage.page(number) { return page }
    let offset = footer.pages[number].offset
    let payload = try handle.payload(of: .indexPage, at: offset, limit: DropFileIndex.Page.maximumLength)
    guard let page = payload.withUnsafeBytes({ DropFileIndex.Page($0) }), UInt64(page.items.count) == itemCount else {
      throw DropStreamError(.damaged, "damaged: a page of the index contradicts itself or the others", at: offset)
    }
    lastPage.keep(page, number)
    return page
  }

  /// The page that was read last: items are mostly asked for in order.
  private final class PageCache: Sendable {
    private let entry = Lock<(number: Int, page: DropFileIndex.Page)?>(nil)

    func page(_ number: Int) -> DropFileIndex.Page? {
      entry.withLock { $0?.number == number ? $0?.page : nil }
    }

    func keep(_ page: DropFileIndex.Page, _ number: Int) {
      entry.withLock { $0 = (number, page) }
    }
  }
}
