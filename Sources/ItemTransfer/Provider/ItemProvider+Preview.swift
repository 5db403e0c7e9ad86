// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

/// A picture that stands for an item while it is under way.
public struct ItemPreview: Sendable, Hashable {
  /// What kind of picture it is.
  public let contentType: UTType
  /// The picture's bytes.
  public let data: Data
}

extension ItemProvider {
  /// Promises a picture that stands for the item; the last promise counts.
  ///
  /// - Parameters:
  ///   - type: What kind of picture it is.
  ///   - loader: Makes it, once each time it is asked for.
  public func registerPreview(_ type: UTType, loader: @escaping @Sendable (ItemProgress) async throws -> Data) {
    preview = ItemRepresentation(contentType: type) { .data(try await loader($0)) }
  }

  /// Loads the picture that stands for the item: the one that was promised, else the first representation that is one.
  ///
  /// - Parameter progress: Counts the bytes, and ends with the load.
  /// - Returns: The picture.
  /// - Throws: As ``data(for:progress:)``; `noRepresentation` when there is no picture.
  public func preview(progress: ItemProgress? = nil) async throws(ItemProviderError) -> ItemPreview {
    let representation = try choosing(for: progress) { () throws(ItemProviderError) -> ItemRepresentation in
      if let preview { preview } else { try self.representation(conformingTo: .image) }
    }
    let data = try await representation.loading(progress) { (representation, progress) throws(ItemProviderError) in
      try await representation.data(progress: progress)
    }
    return ItemPreview(contentType: representation.contentType, data: data)
  }
}
