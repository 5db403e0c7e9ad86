// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import UniformTypes

/// One way of having an item: a type, and a promise to make the content.
package struct ItemRepresentation: Sendable {
  package let contentType: UTType
  package let visibility: ItemVisibility
  package let size: ItemSize
  /// Whether the source says beforehand that a destination may use its own file.
  package let opensInPlace: Bool
  /// The type of the item's representation that has the same bytes.
  package let aliasedType: UTType?
  /// What the source says a type conforms to that nobody has declared here.
  private let statedSupertypes: [UTType]
  private let loader: @Sendable (ItemProgress) async throws -> ItemContent

  package init(
    contentType: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown, opensInPlace: Bool = false,
    aliasedType: UTType? = nil, statedSupertypes: [UTType] = [],
    loader: @escaping @Sendable (ItemProgress) async throws -> ItemContent
  ) {
    self.contentType = contentType
    self.visibility = visibility
    self.size = size
    self.opensInPlace = opensInPlace
    self.aliasedType = aliasedType
    self.statedSupertypes = statedSupertypes
    self.loader = loader
  }

  /// Whether the representation may be used where `type` is wanted.
  ///
  /// Of a type that is known here, what this process knows counts, and nothing that a source says.
  package func conforms(to type: UTType) -> Bool {
    if contentType.conforms(to: type) { return true }
    return !statedSupertypes.isEmpty && !contentType.isDeclared && statedSupertypes.contains { $0.conforms(to: type) }
  }

  /// What the next destination must be told of the type, whoever declared it.
  package var supertypesToState: [UTType] {
    // Of a dynamic type, the MIME database here may know other things than the source's.
    contentType.isDeclared
      ? contentType.supertypesToState
      : statedSupertypes + contentType.supertypesToState.filter { !statedSupertypes.contains($0) }
  }

  /// Whether the load under way would rather have the source's own file than its bytes: of interest to a loader that has
  /// the choice.
  @TaskLocal package static var isOriginalFileWanted = false

  package func content(inPlace: Bool, progress: ItemProgress) async throws(ItemProviderError) -> ItemContent {
    guard inPlace else { return try await content(progress: progress) }
    // The standard function would erase the type of the error.
    let result: Result<ItemContent, ItemProviderError> = await Self.$isOriginalFileWanted.withValue(true) {
      do throws(ItemProviderError) { return .success(try await content(progress: progress)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Runs the loader in the calling task, so that cancelling the task cancels the load.
  ///
  /// The progress goes on counting what becomes of the content; whoever uses that up finishes it.
  ///
  /// - Throws: `cancelled` when the task is, `representationFailed` with the loader's error otherwise.
  package func content(progress: ItemProgress) async throws(ItemProviderError) -> ItemContent {
    try await ItemProviderError.wrappingForeign(contentType) {
      try Task.checkCancellation()
      let content = try await loader(progress)
      try Task.checkCancellation()
      return content
    }
  }
}
