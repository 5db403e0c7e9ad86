// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

/// Edits of the registered representations, for filters between a source and a destination.
///
/// ```swift
/// for try await item in items {
///   item.map(.utf8PlainText) { text, _ in Data(String(decoding: text, as: UTF8.self).uppercased().utf8) }
///   try await writer.write(item)
/// }
/// ```
///
/// A load that has started is not affected. An alias of an edited representation keeps the bytes from before the edit.
/// An edited representation no longer opens in place.
extension ItemProvider {
  /// Replaces the loader of a representation, which keeps its position and its visibility.
  ///
  /// - Parameters:
  ///   - type: The type of a registered representation.
  ///   - size: The size of the new bytes, if known.
  ///   - loader: Creates the new bytes, once for each load, as in
  ///     ``register(_:visibility:size:loader:)``.
  /// - Returns: Whether the type is registered; `false` if nothing was changed.
  @discardableResult
  public func replace(
    _ type: UTType, size: ItemSize = .unknown, loader: @escaping @Sendable (ItemProgress) async throws -> Data
  ) -> Bool {
    editRepresentation(of: type) { old in old.replacingContent(size: size) { .data(try await loader($0)) } }
  }

  /// Registers a representation before all others, and removes a registered representation of the same type.
  ///
  /// - Parameters:
  ///   - type: The type of the bytes.
  ///   - visibility: The destinations that may load the bytes.
  ///   - size: The size of the bytes, if known.
  ///   - loader: Creates the bytes, once for each load, as in
  ///     ``register(_:visibility:size:loader:)``.
  public func prepend(
    _ type: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown,
    loader: @escaping @Sendable (ItemProgress) async throws -> Data
  ) {
    let new = ItemRepresentation(contentType: type, visibility: visibility, size: size) { .data(try await loader($0)) }
    _ = editRepresentations { old in
      [new] + old.withoutAliases(of: type).filter { $0.contentType != type }
    }
  }

  /// Removes all representations that conform to a type.
  ///
  /// - Parameter type: The type to which the removed representations conform.
  /// - Returns: The types of the removed representations, in their order.
  @discardableResult
  public func removeRepresentations(conformingTo type: UTType) -> [UTType] {
    var removed: [UTType] = []
    _ = editRepresentations { old in
      removed = old.filter { $0.conforms(to: type) }.map(\.contentType)
      return removed.reduce(old) { $0.withoutAliases(of: $1) }.filter { !removed.contains($0.contentType) }
    }
    return removed
  }

  /// Transforms the bytes of a representation, which keeps its position and its visibility.
  ///
  /// Nothing is loaded now. A load of the representation loads the old bytes completely into memory first.
  ///
  /// - Parameters:
  ///   - type: The type of a registered representation.
  ///   - size: The size of the new bytes, if known.
  ///   - transform: Returns the new bytes, once for each load. Its error fails the load with `representationFailed`.
  /// - Returns: Whether the type is registered; `false` if nothing was changed.
  @discardableResult
  public func map(
    _ type: UTType, size: ItemSize = .unknown,
    transform: @escaping @Sendable (Data, ItemProgress) async throws -> Data
  ) -> Bool {
    editRepresentation(of: type) { old in
      old.replacingContent(size: size) { progress in
        // A child without a share passes on a cancellation. Only the new bytes advance the progress.
        .data(try await transform(try await old.data(progress: progress.child(units: 0)), progress))
      }
    }
  }

  private func editRepresentation(of type: UTType, _ edit: (ItemRepresentation) -> ItemRepresentation) -> Bool {
    editRepresentations { old in
      guard let index = old.firstIndex(where: { $0.contentType == type }) else { return nil }
      var new = old.withoutAliases(of: type)
      new[index] = edit(old[index])
      return new
    }
  }
}

extension [ItemRepresentation] {
  /// Returns the representations in which no alias refers to `type`, whose bytes change.
  ///
  /// The first former alias becomes the original of the other aliases.
  fileprivate func withoutAliases(of type: UTType) -> [ItemRepresentation] {
    guard let heir = first(where: { $0.aliasedType == type })?.contentType else { return self }
    return map { representation in
      guard representation.aliasedType == type else { return representation }
      return representation.aliasing(representation.contentType == heir ? nil : heir)
    }
  }
}
