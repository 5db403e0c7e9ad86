// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

extension ItemProvider {
  /// Promises the item as bytes.
  ///
  /// Register the representation that keeps most of the item first. A type that is registered already keeps its first
  /// loader.
  ///
  /// - Parameters:
  ///   - type: What the bytes will be.
  ///   - visibility: Who may have them.
  ///   - size: What is known of their number before they are made.
  ///   - loader: Makes the bytes, once for each load, in the task that asks for them. It reports to the progress it is
  ///     given (a load within it, to a child of that), and stops when its task is cancelled. What it throws reaches the
  ///     destination as `ItemProviderError.Code.representationFailed`.
  /// - Returns: Whether the representation was taken.
  @discardableResult
  public func register(
    _ type: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown,
    loader: @escaping @Sendable (ItemProgress) async throws -> Data
  ) -> Bool {
    register(
      ItemRepresentation(contentType: type, visibility: visibility, size: size) { .data(try await loader($0)) })
  }

  /// Promises the item as bytes that come by a callback.
  ///
  /// When the load is cancelled it ends at once, and the answer is dropped when it comes.
  ///
  /// - Parameters:
  ///   - type: What the bytes will be.
  ///   - visibility: Who may have them.
  ///   - size: What is known of their number before they are made.
  ///   - loader: Begins to make the bytes and answers by its reply, on whatever thread.
  /// - Returns: Whether the representation was taken; see
  ///   ``register(_:visibility:size:loader:)-(_,_,_,(ItemProgress)->Data)``.
  @discardableResult
  public func register(
    _ type: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown,
    loader: @escaping @Sendable (ItemProgress, ItemReply<Data>) -> Void
  ) -> Bool {
    register(
      ItemRepresentation(contentType: type, visibility: visibility, size: size) { progress in
        .data(try await ItemReply.awaiting { loader(progress, $0) })
      })
  }

  /// Promises the bytes of a representation under another type, too.
  ///
  /// Nothing is made twice: on the way to another process the bytes travel once. The alias is as visible as the
  /// original, and opens in place where that does.
  ///
  /// ```swift
  /// provider.register(.json) { _ in try encoder.encode(hero) }
  /// provider.registerAlias(.utf8PlainText, of: .json)
  /// ```
  ///
  /// - Parameters:
  ///   - type: What the bytes are as well.
  ///   - original: The type of a representation that is registered already.
  /// - Returns: Whether the alias was taken: not where there is no such original or `type` has a representation.
  @discardableResult
  public func registerAlias(_ type: UTType, of original: UTType) -> Bool {
    guard let representation = representations.first(where: { $0.contentType == original }) else { return false }
    return register(
      ItemRepresentation(
        contentType: type, visibility: representation.visibility, size: representation.size,
        opensInPlace: representation.opensInPlace, aliasedType: representation.aliasedType ?? original
      ) { progress in try await representation.content(progress: progress) })
  }

  /// Promises the item as a stream of chunks, which need never be in memory or on disk as a whole.
  ///
  /// - Parameters:
  ///   - type: What the bytes will be.
  ///   - visibility: Who may have them.
  ///   - size: What is known of their number before they are made.
  ///   - loader: Makes the sequence, once for each load; it is gone through once, in the task that asks, and no faster
  ///     than the destination takes the chunks.
  /// - Returns: Whether the representation was taken.
  @discardableResult
  public func registerStream<Chunks: AsyncSequence & Sendable>(
    _ type: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown,
    loader: @escaping @Sendable (ItemProgress) async throws -> Chunks
  ) -> Bool where Chunks.Element == Data {
    register(
      ItemRepresentation(contentType: type, visibility: visibility, size: size) { progress in
        // Mapping forgets what kind of error the sequence throws.
        .stream(try await loader(progress).map { (chunk: Data) async throws -> Data in chunk })
      })
  }

  /// Promises the item as a file or a folder, which need never be in memory as a whole.
  ///
  /// - Parameters:
  ///   - type: What the file will be; for a folder one that conforms to ``/UniformTypes/UTType/directory``.
  ///   - visibility: Who may have it.
  ///   - size: What is known of its size before it is made.
  ///   - openInPlace: Whether a destination that asks for it may use the file itself, whatever the loader says of it.
  ///   - loader: Makes or finds the file, once for each load. The file stays the source's; the destination reads it
  ///     or gets a copy, unless the source allows it to use the original.
  /// - Returns: Whether the representation was taken.
  @discardableResult
  public func registerFile(
    _ type: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown, openInPlace: Bool = false,
    loader: @escaping @Sendable (ItemProgress) async throws -> SentTransferredFile
  ) -> Bool {
    register(
      ItemRepresentation(contentType: type, visibility: visibility, size: size, opensInPlace: openInPlace) {
        .file(try await loader($0))
      })
  }

  /// Promises everything that values of a type can be had as, and makes the value when one is asked for.
  ///
  /// Conditions on single values cannot be asked beforehand and do not count. Types that are registered already keep
  /// their first loader.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - visibility: Who may have it; what a representation states itself may be narrower.
  ///   - loader: Makes the value, once for each load.
  public func register<Item: Transferable>(
    _ type: Item.Type, visibility: ItemVisibility = .all,
    loader: @escaping @Sendable (ItemProgress) async throws -> Item
  ) {
    for exporter in Item.representations.exporters {
      let narrower = exporter.visibility.includes(visibility) ? visibility : exporter.visibility
      register(
        ItemRepresentation(contentType: exporter.contentType, visibility: narrower) { progress in
          try await exporter.export(try await loader(progress), progress)
        })
    }
  }

  /// Promises everything a value's ``Transferable`` conformance can export, in its order.
  ///
  /// Types that are registered already keep their first loader. A name that the conformance suggests is taken where
  /// the provider has none.
  public func register<Item: Transferable>(_ item: Item) {
    let list = Item.representations
    for representation in list.exporters(of: item) { register(representation) }
    if suggestedName == nil, let name = list.suggestedFileName(of: item) { suggestedName = name }
  }

  /// Offers a value in every representation of its ``Transferable`` conformance.
  ///
  /// - Parameters:
  ///   - item: The value.
  ///   - suggestedName: What a file made of it should be called; `nil` leaves that to the conformance.
  public convenience init<Item: Transferable>(_ item: Item, suggestedName: String? = nil) {
    self.init(suggestedName: suggestedName)
    register(item)
  }

  /// Offers an existing file or folder under its own name, as the type that it is.
  ///
  /// The file is opened when it is asked for, not before.
  ///
  /// - Parameters:
  ///   - file: A file URL.
  ///   - contentType: The type; `nil` takes it from the name (see ``/UniformTypes/UTType/identify(fileNamed:)``), and
  ///     from whether there is a folder.
  ///   - openInPlace: Whether a destination in this process may use the file itself.
  ///   - visibility: Who may have it.
  public convenience init(
    contentsOf file: URL, contentType: UTType? = nil, openInPlace: Bool = false, visibility: ItemVisibility = .all
  ) {
    self.init(suggestedName: file.lastPathComponent)
    let found = try? UTType.identify(fileAt: file.path, by: .name)
    let type = contentType ?? found?.type ?? .data
    registerFile(type, visibility: visibility, openInPlace: openInPlace) { _ in SentTransferredFile(file) }
  }
}
