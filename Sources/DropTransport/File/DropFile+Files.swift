// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
internal import ItemTransfer
package import UniformTypes

/// What takes the whole of a file, or what is left of one.
extension DropFile {
  /// What is known of a file all of which has been read.
  public struct Verification: Sendable, Hashable {
    /// How many items there are.
    public let itemCount: Int
    /// Whether there is an index, which is that of these items; else the file can only be read in order.
    public let hasIndex: Bool
  }

  /// Reads a whole file, every byte of it, and holds its index against what is there.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - options: Limits.
  /// - Returns: What it has.
  /// - Throws: What reading the stream throws (``DropStream/withInspector(from:options:isolation:_:)``), and `damaged`
  ///   where the index says something else than the items; `cancelled` when the task is.
  @discardableResult
  public static func verify(
    _ path: String, options: DropStreamOptions = DropStreamOptions()
  ) async throws -> Verification {
    // Opened once: both passes see the same file, whatever gets its name meanwhile.
    let handle = try await runBlockingWork { () throws(DropStreamError) in try DropFileHandle(path) }
    let count = try await DropStream.withInspector(from: try handle.stream(), options: options) { items in
      var count = 0
      for try await _ in items { count += 1 }
      return count
    }
    let limits = options.limits
    let hasIndex = try await runInterruptibleWork { interruption throws(DropStreamError) in
      do throws(DropStreamError) {
        _ = try DropFileFooterReader(handle).footer()
      } catch {
        if error.code == .noIndex { return false }
        throw error
      }
      var scanner = DropFileScanner(handle, limits: limits)
      try scanner.expectIndex(interruption)
      return true
    }
    return Verification(itemCount: count, hasIndex: hasIndex)
  }

  /// What was saved of a file.
  public struct Recovery: Sendable {
    /// How many items are in the new file.
    public let itemCount: Int
    /// Why there were no more; `nil` where nothing was wrong.
    public let error: DropStreamError?
  }

  /// Writes the whole items of a file that was cut or damaged to a new one.
  ///
  /// Items are whole up to the first fault; what comes behind cannot be trusted and is left. A reader never does this
  /// by itself: a cut stream is an error to all others.
  ///
  /// - Parameters:
  ///   - path: The file that was cut.
  ///   - newPath: Where the new one will be; nothing may be there.
  ///   - options: Limits, of both files: what they let in is written again.
  /// - Returns: What was saved, and what is wrong with the old file.
  /// - Throws: `sourceUnavailable`, `notADropStream` and the like where nothing can be read; why the new file could not
  ///   be written.
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
          // What the old file's source could not make is told again; what fails here must not look like that.
          if let own = failures.first(where: { SenderFailure.original($0) == nil }) { throw own }
          count += 1
        }
      }
    }
  }

  /// Writes one representation of an item to a file of its own, without reading the others.
  ///
  /// - Parameters:
  ///   - index: The item, from 0.
  ///   - representation: The representation, from 0, in the order of the source.
  ///   - path: Where the new file will be; it gets its name once it is whole and checked.
  ///   - replaces: Whether it may take the place of a regular file that is there.
  /// - Returns: How many bytes it has.
  /// - Throws: `DropStreamError`: the source's failure where that could not make it; `damaged`, `alreadyExists`,
  ///   `destinationUnavailable`, `systemCall`; `cancelled` when the task is, and then there is no new file.
  /// - Precondition: There are such an item and representation.
  @discardableResult
  public func extract(
    item index: Int, representation: Int, to path: String, replacing replaces: Bool = false
  ) async throws(DropStreamError) -> UInt64 {
    let content = try await contents(ofItem: index)[representation]
    return try await runInterruptibleWork { [handle] interruption throws(DropStreamError) in
      let output = try StagedOutput(path, replaces: replaces)
      let extraction = DropFileExtraction(handle, content, interruption)
      let count = try extraction.write(to: try output.open(), name: output.shownPath)
      try output.publish()
      return count
    }
  }
}

/// What finds an item, and one form of it.
extension DropFile {
  /// The items of a name, as far as they are asked for.
  ///
  /// All descriptions before the last one found are read, but no content.
  ///
  /// - Parameters:
  ///   - name: The suggested name.
  ///   - limit: How many to look for.
  /// - Returns: Their indices, from 0.
  /// - Throws: `damaged`, `limitExceeded`, `systemCall`; `cancelled` when the task is.
  package func items(named name: String, limit: Int) async throws(DropStreamError) -> [Int] {
    try await runInterruptibleWork { interruption throws(DropStreamError) in
      var found: [Int] = []
      for index in 0..<itemCount where found.count < limit {
        try interruption.check()
        if try entry(UInt64(index), readBy: handle).offer.suggestedName == name { found.append(index) }
      }
      return found
    }
  }

  /// The types of an item's representations, in the order of the source; one may be there twice.
  ///
  /// - Precondition: There is such an item.
  package func types(ofItem index: Int) async throws(DropStreamError) -> [UTType] {
    precondition(index >= 0 && index < itemCount, "item \(index) of \(itemCount)")
    return try await entry(ofItem: index).offer.representations.map { UTType(named: $0.typeIdentifier) }
  }

  /// Hands out the bytes of a representation, piece by piece; when it returns, they were what was written.
  ///
  /// - Parameters:
  ///   - index: The item, from 0.
  ///   - representation: The representation, from 0, in the order of the source.
  ///   - isolation: The caller's; leave it out.
  ///   - body: Takes a piece, which is not known to be sound yet.
  /// - Throws: What `body` throws; `damaged`, `truncated`, `systemCall`, the source's failure where it could not make it.
  /// - Precondition: There are such an item and representation.
  package func forEachPiece(
    ofItem index: Int, representation: Int, isolation: isolated (any Actor)? = #isolation,
    _ body: (Data) async throws -> Void
  ) async throws {
    let content = try await contents(ofItem: index)[representation]
    for try await piece in DropFileChunks(handle: handle, representation: content) { try await body(piece) }
  }
}
