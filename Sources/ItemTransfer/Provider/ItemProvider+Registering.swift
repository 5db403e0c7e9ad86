// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import UniformTypes

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ItemProvider {
  /// Promises the item as bytes.
  ///
  /// Register the representation that keeps most of the item first. A type that is registered already keeps its first
  /// loader.
  ///
  /// - Parameters:
  ///   - type: What the bytes will be.
  ///   - byteCount: Their exact number, where it is known before they are made.
  ///   - loader: Makes the bytes, once for each load, in the task that asks for them. It reports to the progress it is
  ///     given, and stops when its task is cancelled. What it throws reaches the destination as
  ///     `ItemProviderError.Code.representationFailed`.
  /// - Returns: Whether the representation was taken.
  @discardableResult
  public func register(
    _ type: UTType, byteCount: Int64? = nil, loader: @escaping @Sendable (ItemProgress) async throws -> Data
  ) -> Bool {
    register(ItemRepresentation(contentType: type, byteCount: byteCount) { .data(try await loader($0)) })
  }

  /// Promises the item as a file, which need never be in memory as a whole.
  ///
  /// - Parameters:
  ///   - type: What the file will be.
  ///   - byteCount: Its exact size, where it is known before the file is made.
  ///   - loader: Makes or finds the file, once for each load. The file stays the source's; the destination reads it
  ///     or gets a copy.
  /// - Returns: Whether the representation was taken; see ``register(_:byteCount:loader:)``.
  @discardableResult
  public func registerFile(
    _ type: UTType, byteCount: Int64? = nil,
    loader: @escaping @Sendable (ItemProgress) async throws -> SentTransferredFile
  ) -> Bool {
    register(ItemRepresentation(contentType: type, byteCount: byteCount) { .file(try await loader($0)) })
  }

  /// Promises everything a value's ``Transferable`` conformance can export, in its order.
  ///
  /// Types that are registered already keep their first loader.
  public func register<Item: Transferable>(_ item: Item) {
    for representation in Item.representations.exporters(of: item) { register(representation) }
  }

  /// Offers a value in every representation of its ``Transferable`` conformance.
  public convenience init<Item: Transferable>(_ item: Item, suggestedName: String? = nil) {
    self.init(suggestedName: suggestedName)
    register(item)
  }

  /// Offers an existing file under its own name, as the type that the name stands for.
  ///
  /// The file is opened when it is asked for, not before.
  ///
  /// - Parameters:
  ///   - file: A file URL.
  ///   - contentType: The type; `nil` takes it from the name (see ``UniformTypes/UTType/identify(fileNamed:)``).
  public convenience init(contentsOf file: URL, contentType: UTType? = nil) {
    self.init(suggestedName: file.lastPathComponent)
    let type = contentType ?? UTType.identify(fileNamed: file.lastPathComponent).type
    registerFile(type) { _ in SentTransferredFile(file) }
  }
}
