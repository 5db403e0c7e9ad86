// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
internal import ItemTransfer
package import UniformTypes

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
