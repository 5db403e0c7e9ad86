// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
public import FoundationEssentials
internal import Synchronization
public import UniformTypes

/// A provider of one item in several representations, each created on demand.
///
/// The source registers its representations, best representation first. A destination chooses by type. It need not know
/// whether the item comes from its own process or from another process.
///
/// ```swift
/// let provider = ItemProvider(suggestedName: "greeting.txt")
/// provider.register(.utf8PlainText) { _ in Data("Hail, Odysseus".utf8) }
///
/// let bytes = try await provider.data(for: .text)     // the loader runs now, and only now
/// ```
///
/// Follows Apple's [`NSItemProvider`](https://developer.apple.com/documentation/foundation/nsitemprovider).
public final class ItemProvider: Sendable {
  private struct State {
    var suggestedName: String?
    /// The value that suggests a name when it is created.
    var namingValue: LaterValue?
    var fileAttributes = ItemFileAttributes()
    var representations: [ItemRepresentation] = []
    var preview: ItemRepresentation?
    var isEdited = false

    /// Appends a representation whose type is not registered already.
    @discardableResult
    mutating func register(_ representation: ItemRepresentation) -> Bool {
      for index in representations.indices where representations[index].contentType == representation.contentType {
        return false
      }
      representations.append(representation)
      return true
    }
  }

  private let state: Lock<State>

  /// Creates a provider without representations.
  ///
  /// - Parameter suggestedName: The suggested name of a file, with its extension.
  public init(suggestedName: String? = nil) {
    state = Lock(State(suggestedName: suggestedName))
  }

  /// Creates a provider with the current state of another provider.
  package init(copying other: ItemProvider) {
    state = Lock(other.state.withLock { $0 })
  }

  /// Creates a provider of one representation.
  package init(
    suggestedName: String?, fileAttributes: ItemFileAttributes = ItemFileAttributes(),
    only representation: ItemRepresentation
  ) {
    state = Lock(
      State(suggestedName: suggestedName, fileAttributes: fileAttributes, representations: [representation]))
  }

  /// The suggested name of a file, with its extension; `nil` leaves the name to the destination.
  public var suggestedName: String? {
    get { state.withLock { $0.suggestedName } }
    set { state.withLock { $0.suggestedName = newValue } }
  }

  /// Sets the suggested name if the provider has none.
  func suggestName(_ name: () -> String?) {
    if suggestedName == nil, let name = name() { suggestedName = name }
  }

  /// Sets the value that suggests a name when it is created, unless one is set.
  func suggestName(by value: LaterValue) {
    state.withLock { if $0.namingValue == nil { $0.namingValue = value } }
  }

  /// Returns the suggested name for the file of a representation.
  ///
  /// If the name depends on a value, the value is created, unless it is the value of the representation. If the value
  /// cannot be created, there is no name.
  nonisolated(nonsending) func currentName(
    knowing representation: ItemRepresentation, progress: ItemProgress
  ) async -> String? {
    let (name, later) = state.withLock { ($0.suggestedName, $0.namingValue) }
    guard name == nil, let later else { return name }
    if let value = representation.value, value.wasCreated(by: later) { return value.suggestedName }
    return (try? await later.value(progress: progress.child(units: 0)))?.suggestedName
  }

  /// Attributes for a file of the item, which are sent to other processes with the item.
  public var fileAttributes: ItemFileAttributes {
    get { state.withLock { $0.fileAttributes } }
    set { state.withLock { $0.fileAttributes = newValue } }
  }

  /// An item as a destination in another process receives it.
  package struct Offered {
    /// The suggested name of a file.
    package var suggestedName: String?
    /// Attributes for a file of the item.
    package var fileAttributes: ItemFileAttributes
    /// The representations, in the source's order.
    package var representations: [ItemRepresentation]
  }

  /// Returns the item as another process can receive it.
  ///
  /// Representations that are not visible to the audience, or that their conditions exclude, are omitted.
  ///
  /// - Parameters:
  ///   - audience: The kind of destination.
  ///   - loadsContent: Whether the caller loads all content next. If so, and the item has no name, the first
  ///     representation is loaded now if it is a file with a name of its own.
  ///   - progress: Can cancel the work of creating values.
  /// - Returns: The item at this moment.
  package nonisolated(nonsending) func offered(
    to audience: ItemVisibility, loadsContent: Bool = false, progress: ItemProgress = ItemProgress()
  ) async -> Offered {
    let known = offeredAtOnce(to: audience, loadsContent: loadsContent)
    if known.isComplete { return known.item }
    var offered = known.item
    var created = CreatedValues()
    await offered.createValues(&created, all: loadsContent, progress)
    if offered.suggestedName == nil, let value = state.withLock({ $0.namingValue }) {
      offered.suggestedName =
        try? await created.value(of: value, as: nil, progress: progress).suggestedName
    }
    offered.useValues(created, isFinal: loadsContent)
    if loadsContent, offered.suggestedName == nil, offered.representations.first?.isNamedFile == true {
      await offered.loadName()
    }
    return offered
  }

  /// Returns the item as another process can receive it, as far as that is known without running code of the source.
  ///
  /// - Parameters:
  ///   - audience: The kind of destination.
  ///   - loadsContent: Whether the caller loads all content next.
  /// - Returns: The item, and whether ``offered(to:loadsContent:)`` would return the same item.
  package func offeredAtOnce(
    to audience: ItemVisibility, loadsContent: Bool = false
  ) -> (item: Offered, isComplete: Bool) {
    var (offered, hasNamingValue) = state.withLock { state in
      (
        Offered(
          suggestedName: state.suggestedName, fileAttributes: state.fileAttributes,
          representations: state.representations),
        state.namingValue != nil
      )
    }
    var (areAllVisible, needsValue) = (true, false)
    for index in offered.representations.indices {
      areAllVisible = areAllVisible && offered.representations[index].visibility.includes(audience)
      needsValue = needsValue || offered.representations[index].needsValue(all: loadsContent)
    }
    // In most cases all representations are visible, and the array needs no copy.
    if !areAllVisible { offered.representations.removeAll { !$0.visibility.includes(audience) } }
    let hasName =
      offered.suggestedName != nil || !hasNamingValue && offered.representations.first?.isNamedFile != true
    return (offered, hasName && !needsValue)
  }

  /// The types of the representations, best representation first.
  public var contentTypes: [UTType] {
    representations.map(\.contentType)
  }

  /// Returns the types of the representations that a destination may load, best representation first.
  ///
  /// - Parameters:
  ///   - parent: A type that the types must conform to; `nil` means all types.
  ///   - audience: The kind of destination.
  /// - Returns: The types, in the source's order.
  public func contentTypes(conformingTo parent: UTType? = nil, visibleTo audience: ItemVisibility) -> [UTType] {
    representations(visibleTo: audience)
      .filter { representation in parent.map(representation.conforms(to:)) ?? true }.map(\.contentType)
  }

  /// The types of the representations that open in place, best representation first.
  ///
  /// A type is not included if its loader decides at load time.
  public var contentTypesForOpeningInPlace: [UTType] {
    representations.filter(\.opensInPlace).map(\.contentType)
  }

  /// Returns whether any representation conforms to `type`.
  ///
  /// - Parameters:
  ///   - type: The requested type.
  ///   - audience: The kind of destination.
  /// - Returns: Whether there is such a representation.
  public func hasRepresentation(conformingTo type: UTType, visibleTo audience: ItemVisibility = .ownProcess) -> Bool {
    representations(visibleTo: audience).contains { $0.conforms(to: type) }
  }

  /// Returns whether a representation of exactly `type` is registered and conforms to `parent`.
  package func offers(_ type: UTType, conformingTo parent: UTType) -> Bool {
    representations.contains { $0.contentType == type && $0.conforms(to: parent) }
  }

  /// Returns the representations that an audience may load, in the source's order.
  package func representations(visibleTo audience: ItemVisibility) -> [ItemRepresentation] {
    let all = representations
    // In most cases all representations are visible, and the array needs no copy.
    if all.allSatisfy({ $0.visibility.includes(audience) }) { return all }
    return all.filter { $0.visibility.includes(audience) }
  }

  /// The registered preview image.
  package var preview: ItemRepresentation? {
    get { state.withLock { $0.preview } }
    set {
      // The old value is released outside the lock, because that may run code of the source.
      _ = state.withLock { state in
        defer { state.preview = newValue }
        return state.preview
      }
    }
  }

  /// The representations, in the source's order.
  package var representations: [ItemRepresentation] {
    state.withLock { $0.representations }
  }

  /// Appends a representation.
  ///
  /// A type that is registered already keeps its first representation.
  ///
  /// - Returns: Whether the representation was registered.
  @discardableResult
  package func register(_ representation: ItemRepresentation) -> Bool {
    state.withLock { $0.register(representation) }
  }

  /// Appends representations whose types are not registered already.
  func register(contentsOf representations: [ItemRepresentation]) {
    state.withLock { state in
      state.representations.reserveCapacity(state.representations.count + representations.count)
      for representation in representations { state.register(representation) }
    }
  }

  /// Whether representations have been replaced or removed since they were registered.
  package var isEdited: Bool { state.withLock { $0.isEdited } }

  /// Changes the list of representations.
  ///
  /// - Parameter body: Returns the new list for the current list; `nil` keeps the current list. It runs under the lock
  ///   and must not load anything.
  /// - Returns: Whether `body` returned a list.
  @discardableResult
  package func editRepresentations(_ body: ([ItemRepresentation]) -> [ItemRepresentation]?) -> Bool {
    // The old list is released outside the lock, because that may run code of the source.
    let old = state.withLock { state -> [ItemRepresentation]? in
      guard let new = body(state.representations) else { return nil }
      state.isEdited = true
      defer { state.representations = new }
      return state.representations
    }
    return old != nil
  }
}

/// Attributes of the file of an item, besides its name.
///
/// A destination may apply them to its own file.
public struct ItemFileAttributes: Sendable, Hashable {
  /// The permission bits and the sticky bit, at most `0o1777`; never set-user-ID or set-group-ID.
  public var permissions: UInt16? {
    didSet { permissions = permissions.map { $0 & Self.permissionMask } }
  }

  private static let permissionMask: UInt16 = 0o1777

  /// The folder of the file, relative to the common root of a drop's items; `nil` for the root itself.
  ///
  /// It consists of names separated by slashes, such as `Tales/Odyssey`. It comes from the source: a destination
  /// validates every name.
  public var folder: String?

  /// The time of the last change of the content.
  ///
  /// A time that comes from a file system is stored with its nanoseconds, more exactly than by `Date`.
  public var modificationDate: Date? {
    get { modificationTime?.date }
    set { modificationTime = newValue.flatMap(FileTime.init) }
  }

  /// The time of the last change of the content.
  package var modificationTime: FileTime?

  /// Creates attributes; `nil` leaves an attribute unspecified.
  ///
  /// - Parameters:
  ///   - permissions: The permissions; only the lower nine bits and the sticky bit are used.
  ///   - modificationDate: The time of the last change of the content.
  public init(permissions: UInt16? = nil, modificationDate: Date? = nil) {
    self.permissions = permissions.map { $0 & Self.permissionMask }
    modificationTime = modificationDate.flatMap(FileTime.init)
  }

  /// Creates attributes with the exact time of a file system.
  package init(permissions: UInt16?, modificationTime: FileTime?) {
    self.permissions = permissions.map { $0 & Self.permissionMask }
    self.modificationTime = modificationTime
  }

  /// Whether all attributes are unspecified.
  package var isEmpty: Bool { permissions == nil && modificationTime == nil && folder == nil }
}

extension ItemProvider.Offered {
  /// Creates the values whose conditions decide on representations; with `all`, the values of all representations.
  fileprivate nonisolated(nonsending) func createValues(
    _ created: inout CreatedValues, all: Bool, _ progress: ItemProgress
  ) async {
    for representation in representations where representation.needsValue(all: all) {
      guard let value = representation.laterValue else { continue }
      _ = try? await created.value(of: value, as: representation.contentType, progress: progress)
    }
  }

  /// Uses created values in place of values that do not exist yet, and removes the representations that their
  /// conditions exclude, with their aliases.
  ///
  /// - Parameters:
  ///   - created: The created values.
  ///   - isFinal: Whether a value that could not be created is not created again.
  fileprivate mutating func useValues(_ created: CreatedValues, isFinal: Bool) {
    var present: [ItemRepresentation] = []
    for representation in representations {
      do throws(ItemProviderError) {
        present.append(try representation.present(among: created))
      } catch {
        if error.code == .noRepresentation { continue }
        present.append(isFinal ? ItemRepresentation(representation.traits) { _ in throw error } : representation)
      }
    }
    let types = Set(present.map(\.contentType))
    representations = present.filter { $0.aliasedType.map(types.contains) ?? true }
  }

  /// Loads the first representation, and suggests the name of its file.
  ///
  /// A later load of the representation returns the same content, or fails with the same error.
  fileprivate nonisolated(nonsending) mutating func loadName() async {
    let first = representations[0]
    let outcome: Result<ItemContent, ItemProviderError>
    do throws(ItemProviderError) {
      let content = try await first.content(progress: ItemProgress())
      if case .file(let sent) = content { suggestedName = sent.copyName(insteadOf: nil) }
      outcome = .success(content)
    } catch {
      outcome = .failure(error)
    }
    representations[0] = ItemRepresentation(first.traits) { _ in try outcome.get() }
  }
}

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
      old.replacingContent(size: size, form: old.form) { progress in
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
