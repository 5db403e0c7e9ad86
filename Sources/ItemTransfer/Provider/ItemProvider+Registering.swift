// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

extension ItemProvider {
  /// Registers a representation as bytes.
  ///
  /// Register the best representation first. A type that is registered already keeps its first loader.
  ///
  /// - Parameters:
  ///   - type: The type of the bytes.
  ///   - visibility: The destinations that may load the bytes.
  ///   - size: The size of the bytes, if known.
  ///   - loader: Creates the bytes, once for each load, in the loading task. The loader reports to the given progress,
  ///     and uses a child of that progress for a nested load. Cancelling the task cancels the loader. The destination
  ///     receives the loader's error as `ItemProviderError.Code.representationFailed`.
  /// - Returns: Whether the representation was registered.
  @discardableResult
  public func register(
    _ type: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown,
    loader: @escaping @Sendable (ItemProgress) async throws -> Data
  ) -> Bool {
    register(
      ItemRepresentation(
        ItemRepresentation.Traits(contentType: type, visibility: visibility, size: size), bytes: loader))
  }

  /// Registers a representation as bytes from a callback.
  ///
  /// A cancelled load ends at once and ignores a later response.
  ///
  /// - Parameters:
  ///   - type: The type of the bytes.
  ///   - visibility: The destinations that may load the bytes.
  ///   - size: The size of the bytes, if known.
  ///   - loader: Starts to create the bytes, and completes the response on any thread.
  /// - Returns: Whether the representation was registered; see
  ///   ``register(_:visibility:size:loader:)``.
  @discardableResult
  public func registerCallback(
    _ type: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown,
    loader: @escaping @Sendable (ItemProgress, ItemResponse<Data>) -> Void
  ) -> Bool {
    register(
      ItemRepresentation(contentType: type, visibility: visibility, size: size) { progress in
        .data(try await ItemResponse.awaiting { loader(progress, $0) })
      })
  }

  /// Registers the bytes of a representation under an additional type.
  ///
  /// If another process receives both types, the bytes are created once and sent once. The alias has the visibility of
  /// the original, and opens in place if the original does.
  ///
  /// ```swift
  /// provider.register(.json) { _ in try encoder.encode(hero) }
  /// provider.registerAlias(.utf8PlainText, of: .json)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The additional type of the bytes.
  ///   - original: The type of a registered representation.
  /// - Returns: Whether the alias was registered; `false` if `original` is not registered, or `type` is registered
  ///   already.
  @discardableResult
  public func registerAlias(_ type: UTType, of original: UTType) -> Bool {
    guard let representation = representations.first(where: { $0.contentType == original }) else { return false }
    let traits = ItemRepresentation.Traits(
      contentType: type, visibility: representation.visibility, size: representation.size,
      opensInPlace: representation.opensInPlace, form: representation.form,
      aliasedType: representation.aliasedType ?? original)
    return register(
      ItemRepresentation(traits) { progress, inPlace in
        try await representation.content(inPlace: inPlace, progress: progress)
      })
  }

  /// Registers a representation as a stream of chunks, which the source need not hold completely in memory or on disk.
  ///
  /// - Parameters:
  ///   - type: The type of the bytes.
  ///   - visibility: The destinations that may load the bytes.
  ///   - size: The size of the bytes, if known.
  ///   - loader: Creates the sequence, once for each load. The loading task iterates the sequence in one pass, with
  ///     backpressure from the destination.
  /// - Returns: Whether the representation was registered.
  @discardableResult
  public func registerStream<Chunks: AsyncSequence & Sendable>(
    _ type: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown,
    loader: @escaping @Sendable (ItemProgress) async throws -> Chunks
  ) -> Bool where Chunks.Element == Data {
    register(
      ItemRepresentation(contentType: type, visibility: visibility, size: size) { progress in
        // Mapping erases the error type of the sequence.
        .stream(try await loader(progress).map { (chunk: Data) async throws -> Data in chunk })
      })
  }

  /// Registers a representation as a file or a folder, which the source need not hold completely in memory.
  ///
  /// - Parameters:
  ///   - type: The type of the file; for a folder, a type that conforms to ``/UniformTypes/UTType/directory``.
  ///   - visibility: The destinations that may load the file.
  ///   - size: The size of the file, if known.
  ///   - openInPlace: Whether a destination may use the file itself on request, even if the loader's result does not
  ///     allow it.
  ///   - loader: Creates or finds the file, once for each load. The source still owns the file. The destination reads
  ///     or copies it, unless the source allows the use of the original.
  /// - Returns: Whether the representation was registered.
  @discardableResult
  public func registerFile(
    _ type: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown, openInPlace: Bool = false,
    loader: @escaping @Sendable (ItemProgress) async throws -> SentTransferredFile
  ) -> Bool {
    register(
      ItemRepresentation(
        contentType: type, visibility: visibility, size: size, opensInPlace: openInPlace, form: .file
      ) {
        .file(try await loader($0))
      })
  }

  /// Registers all representations of a type, and creates the value on demand.
  ///
  /// A load creates the value, and then evaluates the condition of the representation. If the condition does not hold,
  /// the load continues with the next representation. An offer to another process also creates the value if there is a
  /// condition, or a suggested name that depends on the value. All loads of that offer then use this value.
  ///
  /// Types that are registered already keep their first loader. If the provider has no suggested name, it takes the
  /// name of the conformance. A name that depends on the value is known only when the value exists.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - visibility: The destinations that may load the value; a representation may have a narrower visibility.
  ///   - loader: Creates the value, once for each load and once for each stream; again for a representation that was
  ///     edited.
  public func register<Item: Transferable>(
    _ type: Item.Type, visibility: ItemVisibility = .all,
    loader: @escaping @Sendable (ItemProgress) async throws -> Item
  ) {
    let list = Item.representationsOfType
    let later = LaterValue { origin, progress in ExportedValue(try await loader(progress), list, origin: origin) }
    for (index, exporter) in list.exporters.enumerated() {
      let traits = exporter.traits
      register(
        ItemRepresentation(
          ItemRepresentation.Traits(
            contentType: traits.contentType,
            visibility: traits.visibility.includes(visibility) ? visibility : traits.visibility,
            opensInPlace: traits.opensInPlace, form: traits.form),
          of: later, index: index, isConditional: exporter.isConditional))
    }
    switch Item.representations.suggestedName {
    case .fixed(let name): suggestName { name }
    case .ofValue: suggestName(by: later)
    case nil: break
    }
  }

  /// Registers all representations of a value's ``Transferable`` conformance, in its order.
  ///
  /// Types that are registered already keep their first loader. If the provider has no suggested name, it takes the
  /// name of the conformance.
  public func register<Item: Transferable>(_ item: Item) {
    let value: AnyExportedValue = ExportedValue(item)
    register(contentsOf: value.representations)
    suggestName { value.suggestedName }
  }

  /// Creates a provider with all representations of a value's ``Transferable`` conformance.
  ///
  /// - Parameters:
  ///   - item: The value.
  ///   - suggestedName: The suggested name of a file; `nil` takes the name of the conformance.
  public convenience init<Item: Transferable>(_ item: Item, suggestedName: String? = nil) {
    self.init(suggestedName: suggestedName)
    register(item)
  }

  /// Creates a provider of an existing file or folder, and suggests the name of that file.
  ///
  /// The file is opened only when it is loaded.
  ///
  /// - Parameters:
  ///   - file: A file URL.
  ///   - contentType: The type; `nil` derives it from the name (see ``/UniformTypes/UTType/identify(fileNamed:)``) and
  ///     from whether it is a folder. Only if the name does not determine a type, the initializer blocks to read the
  ///     beginning of the file.
  ///   - openInPlace: Whether a destination in this process may use the file itself.
  ///   - visibility: The destinations that may load the file.
  public convenience init(
    contentsOf file: URL, contentType: UTType? = nil, openInPlace: Bool = false, visibility: ItemVisibility = .all
  ) {
    self.init(suggestedName: file.lastPathComponent)
    let type = contentType ?? UTType.offered(fileAt: file.path)
    registerFile(type, visibility: visibility, openInPlace: openInPlace) { _ in SentTransferredFile(file) }
  }
}

/// A preview image of an item.
public struct ItemPreview: Sendable, Hashable {
  /// The type of the image.
  public let contentType: UTType
  /// The bytes of the image.
  public let data: Data
}

extension ItemProvider {
  /// Registers a preview image; replaces an earlier preview image.
  ///
  /// - Parameters:
  ///   - type: The type of the image.
  ///   - loader: Creates the image, once for each load.
  public func registerPreview(_ type: UTType, loader: @escaping @Sendable (ItemProgress) async throws -> Data) {
    preview = ItemRepresentation(contentType: type) { .data(try await loader($0)) }
  }

  /// Loads the preview image: the registered image, else the first representation that is an image.
  ///
  /// - Parameter progress: Counts the bytes, and ends with the load.
  /// - Returns: The image.
  /// - Throws: The errors of ``data(for:progress:timeout:)``; `noRepresentation` if there is no image.
  public func preview(progress: ItemProgress? = nil) async throws(ItemProviderError) -> ItemPreview {
    let representation = try choosing(for: progress) { () throws(ItemProviderError) -> ItemRepresentation in
      if let preview { preview } else { try self.representation(conformingTo: .image) }
    }
    return try await representation.loading(progress) { (representation, progress) throws(ItemProviderError) in
      ItemPreview(
        contentType: representation.contentType, data: try await representation.data(progress: progress))
    }
  }
}
