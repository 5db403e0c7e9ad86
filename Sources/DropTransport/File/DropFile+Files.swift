// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import ItemTransfer
package import UniformTypes

/// Operations on complete files: verification, recovery, extraction.
extension DropFile {
  /// The result of a verification.
  public struct Verification: Sendable, Hashable {
    /// The number of items.
    public let itemCount: Int
    /// Whether the file has an index.
    ///
    /// The index then matches the items.
    ///
    /// A file without an index can only be read in order.
    public let hasIndex: Bool
  }

  /// Verifies every byte of a file, and compares its index with its items.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - options: The limits of the reader.
  /// - Returns: The number of items, and whether there is an index.
  /// - Throws: The errors of ``DropStream/withInspector(from:options:isolation:_:)``; `damaged` if the index differs
  ///   from the items; `cancelled` if the task is cancelled.
  @discardableResult
  public static func verify(
    _ path: String, options: DropStreamOptions = DropStreamOptions()
  ) async throws -> Verification {
    // Opens the file once, so that both passes read the same file even if it is replaced.
    let handle = try await runBlocking { () throws(DropStreamError) in try DropFileHandle(path) }
    let count = try await DropStream.withInspector(from: try handle.stream(), options: options) { items in
      var count = 0
      for try await _ in items { count += 1 }
      return count
    }
    let limits = options.limits
    let hasIndex = try await runBlocking { () throws(DropStreamError) in
      do throws(DropStreamError) {
        _ = try DropFileFooterReader(handle).footer()
      } catch {
        if error.code == .noIndex { return false }
        throw error
      }
      var scanner = DropFileScanner(handle, limits: limits)
      try scanner.expectIndex()
      return true
    }
    return Verification(itemCount: count, hasIndex: hasIndex)
  }

  /// The result of a recovery.
  public struct Recovery: Sendable {
    /// The number of items in the new file.
    public let itemCount: Int
    /// The error that ended the recovery; `nil` if the old file is complete.
    public let error: DropStreamError?
  }

  /// Writes the complete items of a truncated or corrupt file to a new file.
  ///
  /// Items before the first error are complete. Bytes after the first error cannot be trusted and are ignored. All
  /// other functions that read a truncated stream throw an error.
  ///
  /// - Parameters:
  ///   - path: The path of the old file.
  ///   - newPath: The path of the new file, which must not exist.
  ///   - options: The limits of both files.
  /// - Returns: The number of items, and the error of the old file.
  /// - Throws: `sourceUnavailable`, `empty`, `notADropStream`, `limitExceeded` and other errors that do not mean that
  ///   the old file is truncated or corrupt; write errors of the new file. No new file remains then.
  @discardableResult
  public static func recover(
    _ path: String, to newPath: String, options: DropStreamOptions = DropStreamOptions()
  ) async throws -> Recovery {
    return try await DropStream.withReader(from: .file(path), options: options) { reader in
      try await DropStream.withWriter(to: .file(newPath), options: options) { writer in
        var items = reader.makeAsyncIterator()
        var count = 0
        while true {
          let item: ItemProvider?
          do throws(DropStreamError) {
            item = try await items.next()
          } catch {
            switch error.code {
            case .truncated, .damaged, .trailingBytes, .senderFailed, .senderCancelled:
              return Recovery(itemCount: count, error: error)
            default: throw error
            }
          }
          guard let item else { return Recovery(itemCount: count, error: nil) }
          let failures = try await writer.writeAvailable(item)
          // A failure of the original source is copied. Any other failure must not look like a failure of that source.
          if let own = failures.first(where: { SenderFailure.original($0) == nil }) { throw own }
          count += 1
        }
      }
    }
  }

  /// Writes one representation of an item to a new file, without reading the other representations.
  ///
  /// - Parameters:
  ///   - index: The index of the item, from 0.
  ///   - representation: The index of the representation, from 0, in the order of the source.
  ///   - path: The path of the new file, which gets this name when it is complete and verified.
  ///   - replaces: Whether the new file may replace a regular file.
  /// - Returns: The number of bytes.
  /// - Throws: `representationFailed` if the source could not load the representation; the errors of ``item(at:)``;
  ///   `alreadyExists`, `destinationUnavailable`; `cancelled` if the task is cancelled. After an error, no new file
  ///   remains.
  /// - Precondition: The item and the representation exist.
  @discardableResult
  public func extract(
    item index: Int, representation: Int, to path: String, replacing replaces: Bool = false
  ) async throws(DropStreamError) -> UInt64 {
    let content = try await contents(ofItem: index)[representation]
    return try await withTaskExecutorPreference(BlockingExecutor.shared) { () async throws(DropStreamError) in
      let output = try StagedOutput(path, replaces: replaces)
      let file = try output.open()
      var sparse = SparseFileOutput(file.raw)
      var pieces = DropFileChunks(handle, content).makeAsyncIterator()
      do {
        while true {
          if Task.isCancelled { throw DropStreamError.cancelled }
          if let copy = try pieces.copy(to: file.raw) {
            sparse.append(copy)
            continue
          }
          guard let piece = try await pieces.next() else { break }
          try sparse.append(piece)
        }
        try sparse.finish()
        try file.close()
      } catch let error as SystemError {
        throw DropStreamError(.systemCall, "cannot write \(output.shownPath)", error)
      } catch {
        throw error as? DropStreamError ?? DropStreamError(.systemCall, "\(error)", underlyingError: error)
      }
      try output.publish()
      return sparse.byteCount
    }
  }
}

/// Search for items and representations.
extension DropFile {
  /// Returns the first items that have the given name.
  ///
  /// Reads the names of the index and the offers of the items that they show. Without names, it reads all offers, but no
  /// content, until it has found `limit` items.
  ///
  /// - Parameters:
  ///   - name: The suggested name.
  ///   - limit: The maximum number of items to return.
  /// - Returns: The indices of the items, from 0.
  /// - Throws: `damaged`, `limitExceeded`, `systemCall`; `cancelled` if the task is cancelled.
  package func items(named name: String, limit: Int) async throws(DropStreamError) -> [Int] {
    if let names = try await names() {
      var found: [Int] = []
      for index in names.candidates(name) where found.count < limit {
        if try await entry(ofItem: index).offer.suggestedName == name { found.append(index) }
      }
      // The same name may be written with other scalars, such as a letter and an accent.
      if !found.isEmpty || name.utf8.allSatisfy({ $0 < 0x80 }) { return found }
    }
    if handle.source != nil {
      var found: [Int] = []
      var fetchedEnd = 0
      for index in 0..<itemCount where found.count < limit {
        if index == fetchedEnd { fetchedEnd = try await fetchOffers(from: index) }
        if try await entry(ofItem: index).offer.suggestedName == name { found.append(index) }
      }
      return found
    }
    return try await runBlocking { () throws(DropStreamError) in
      var found: [Int] = []
      for index in 0..<itemCount where found.count < limit {
        if Task.isCancelled { throw .cancelled }
        if try entry(UInt64(index), readBy: handle).offer.suggestedName == name { found.append(index) }
      }
      return found
    }
  }

  /// Returns the description of an item, without reading its content.
  ///
  /// - Parameter index: The index of the item, from 0.
  /// - Returns: The description, without checksums.
  /// - Throws: `damaged`, `limitExceeded`, `systemCall`; the errors of the source.
  /// - Precondition: The item exists.
  package func description(ofItem index: Int) async throws(DropStreamError) -> DropItemDescription {
    precondition(index >= 0 && index < itemCount, "item \(index) of \(itemCount)")
    let entry = try await entry(ofItem: index)
    var described: [DropItemDescription.Representation] = []
    for (offered, content) in zip(entry.offer.representations, entry.contents) {
      if let original = offered.alias {
        described.append(described[original].aliased(as: UTType(named: offered.typeIdentifier)))
        continue
      }
      let failure = content.isFailure ? try await failure(at: content.offset) : nil
      described.append(
        DropItemDescription.Representation(
          contentType: UTType(named: offered.typeIdentifier), byteCount: content.isFailure ? 0 : content.byteCount,
          crc32c: nil, failure: failure))
    }
    return DropItemDescription(
      suggestedName: entry.offer.suggestedName, folder: entry.offer.attributes.folder, representations: described)
  }

  private func failure(at offset: UInt64) async throws(DropStreamError) -> SenderFailure {
    try await handle.read { [limits] handle throws(DropStreamError) in
      let payload = try handle.payload(of: .failureOfRepresentation, at: offset, limit: UInt64(limits.metadataBytes))
      return try SenderFailure(payload, frameOffset: offset)
    }
  }

  /// Fetches some consecutive items with their content from a source at once; does nothing for a file.
  ///
  /// - Parameter range: The indices of the wanted items.
  /// - Returns: The index after the last item that was fetched, at most the end of `range`.
  /// - Throws: `damaged`, `limitExceeded`; the errors of the source.
  package func fetchItems(_ range: Range<Int>) async throws(DropStreamError) -> Int {
    guard let source = handle.source else { return range.upperBound }
    let first = try await offset(ofItem: range.lowerBound)
    var (next, end) = (range.lowerBound, first)
    // An item ends where the next item starts, so the end of the last item is not known here.
    while next < range.upperBound, next + 1 < itemCount {
      let following = try await offset(ofItem: next + 1)
      guard following > end, following - first <= DropFileContent.fetchLength else { break }
      (next, end) = (next + 1, following)
    }
    // Long items are fetched in parts when they are read.
    if end > first, end <= source.size { try await source.fetch([first..<end]) }
    return Swift.max(next, range.lowerBound + 1)
  }

  /// The numbers of offers that are requested from a source at once, if they are far from each other or close.
  private static let fetchCount = (distant: 64, close: 4096)
  /// The maximum number of bytes from the first to the last of more than the lower number of offers.
  private static let fetchLength: UInt64 = 1 << 20
  /// The maximum number of content bytes between two offers that are read instead of a further request.
  private static let commonGap: UInt64 = 64 << 10
  /// The number of bytes that most offers do not exceed.
  private static let commonOfferLength: UInt64 = 512

  /// Fetches the offers of some items from a source at once; does nothing for a file.
  ///
  /// - Parameter index: The index of the first item.
  /// - Returns: The index after the last of them.
  /// - Throws: `damaged`, `limitExceeded`; the errors of the source.
  @discardableResult
  package func fetchOffers(from index: Int) async throws(DropStreamError) -> Int {
    guard let source = handle.source else { return itemCount }
    var end = index
    var ranges: [Range<UInt64>] = []
    while end < Swift.min(itemCount, index + Self.fetchCount.close) {
      let start = try await offset(ofItem: end)
      let first = ranges.first?.lowerBound ?? start
      if end >= index + Self.fetchCount.distant, start < first || start - first > Self.fetchLength { break }
      // An offset beyond the end is an error of this item, not of other items.
      if start < source.size { ranges.append(start..<Swift.min(start + Self.commonOfferLength, source.size)) }
      end += 1
    }
    try await source.fetch(ranges, joiningOver: Self.commonGap)
    return end
  }

  /// Returns the types of an item's representations, in the order of the source.
  ///
  /// A type may occur more than once.
  ///
  /// - Precondition: The item exists.
  package func types(ofItem index: Int) async throws(DropStreamError) -> [UTType] {
    precondition(index >= 0 && index < itemCount, "item \(index) of \(itemCount)")
    return try await entry(ofItem: index).offer.representations.map { UTType(named: $0.typeIdentifier) }
  }

  /// Passes the bytes of a representation to `body`, piece by piece.
  ///
  /// The pieces are verified only when this function returns.
  ///
  /// - Parameters:
  ///   - index: The index of the item, from 0.
  ///   - representation: The index of the representation, from 0, in the order of the source.
  ///   - isolation: The caller's isolation; omit it.
  ///   - body: Takes a piece, which is not verified yet.
  /// - Throws: The error of `body`; `damaged`, `truncated`, `systemCall`; `representationFailed` if the
  ///   source could not load the representation.
  /// - Precondition: The item and the representation exist.
  package func forEachPiece(
    ofItem index: Int, representation: Int, isolation: isolated (any Actor)? = #isolation,
    _ body: (Data) async throws -> Void
  ) async throws {
    let content = try await contents(ofItem: index)[representation]
    for try await piece in DropFileChunks(handle, content) { try await body(piece) }
  }
}
