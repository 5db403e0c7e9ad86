// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import UniformTypes

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a loader hands over: bytes, or a file that holds them.
package enum ItemContent: Sendable {
  case data(Data)
  case file(SentTransferredFile)
}

/// One way of having an item: a type, and a promise to make the content.
package struct ItemRepresentation: Sendable {
  package let contentType: UTType
  /// The exact number of bytes, where it is known before they are made.
  package let byteCount: Int64?
  private let loader: @Sendable (ItemProgress) async throws -> ItemContent

  package init(
    contentType: UTType, byteCount: Int64? = nil,
    loader: @escaping @Sendable (ItemProgress) async throws -> ItemContent
  ) {
    self.contentType = contentType
    self.byteCount = byteCount
    self.loader = loader
  }

  /// Runs the loader in the calling task, so that cancelling the task cancels the load.
  ///
  /// - Throws: `cancelled` when the task is, `representationFailed` with the loader's error otherwise.
  package func content(progress: ItemProgress) async throws(ItemProviderError) -> ItemContent {
    try await ItemProviderError.wrapping(contentType) {
      try Task.checkCancellation()
      let content = try await loader(progress)
      progress.finish()
      try Task.checkCancellation()
      return content
    }
  }
}
