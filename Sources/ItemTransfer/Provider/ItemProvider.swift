// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
public import FoundationEssentials
internal import Synchronization
public import UniformTypes

/// Offers one item in several representations, each made only when somebody asks for it.
///
/// The source registers what it can make, the representation that keeps most first. A destination chooses by type,
/// and cannot tell whether the item comes from its own process or from another one.
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
    var fileAttributes = ItemFileAttributes()
    var representations: [ItemRepresentation] = []
    var preview: ItemRepresentation?
  }

  private let state: Lock<State>

  /// Makes a provider that offers nothing yet.
  ///
  /// - Parameter suggestedName: What a file made of the item should be called, with its extension.
  public init(suggestedName: String? = nil) {
    state = Lock(State(suggestedName: suggestedName))
  }

  /// Offers what another provider offers now.
  package init(copying other: ItemProvider) {
    state = Lock(other.state.withLock { $0 })
  }

  /// Offers what is in one representation.
  package init(
    suggestedName: String?, fileAttributes: ItemFileAttributes = ItemFileAttributes(),
    only representation: ItemRepresentation
  ) {
    state = Lock(
      State(suggestedName: suggestedName, fileAttributes: fileAttributes, representations: [representation]))
  }

  /// What a file made of the item should be called, with its extension; `nil` leaves it to the destination.
  public var suggestedName: String? {
    get { state.withLock { $0.suggestedName } }
    set { state.withLock { $0.suggestedName = newValue } }
  }

  /// What a file made of the item may be given of the file that it was; goes along with it to another process.
  public var fileAttributes: ItemFileAttributes {
    get { state.withLock { $0.fileAttributes } }
    set { state.withLock { $0.fileAttributes = newValue } }
  }

  /// Both, for one look.
  package var nameAndAttributes: (suggestedName: String?, fileAttributes: ItemFileAttributes) {
    state.withLock { ($0.suggestedName, $0.fileAttributes) }
  }

  /// The types the item can be had as, the one that keeps most first.
  public var contentTypes: [UTType] {
    representations.map(\.contentType)
  }

  /// The types that a destination may have the item as, the one that keeps most first.
  ///
  /// - Parameters:
  ///   - parent: Only types that may be used where this one is wanted.
  ///   - audience: How near the destination is.
  /// - Returns: The types, in the source's order.
  public func contentTypes(conformingTo parent: UTType? = nil, visibleTo audience: ItemVisibility) -> [UTType] {
    representations(visibleTo: audience)
      .filter { representation in parent.map(representation.conforms(to:)) ?? true }.map(\.contentType)
  }

  /// The types of which a destination may use the source's own file, the one that keeps most first.
  ///
  /// Of a representation whose loader decides that, it is not known beforehand.
  public var contentTypesForOpeningInPlace: [UTType] {
    representations.filter(\.opensInPlace).map(\.contentType)
  }

  /// Whether any representation may be used where `type` is wanted.
  ///
  /// - Parameters:
  ///   - type: The type wanted.
  ///   - audience: How near the destination is.
  /// - Returns: Whether there is one.
  public func hasRepresentation(conformingTo type: UTType, visibleTo audience: ItemVisibility = .ownProcess) -> Bool {
    representations(visibleTo: audience).contains { $0.conforms(to: type) }
  }

  /// Whether the representation of a type that is offered may be used where another one is wanted.
  package func offers(_ type: UTType, conformingTo parent: UTType) -> Bool {
    representations.contains { $0.contentType == type && $0.conforms(to: parent) }
  }

  package func representations(visibleTo audience: ItemVisibility) -> [ItemRepresentation] {
    let all = representations
    // Mostly no representation is hidden, and the array need not be made anew.
    if all.allSatisfy({ $0.visibility.includes(audience) }) { return all }
    return all.filter { $0.visibility.includes(audience) }
  }

  package var preview: ItemRepresentation? {
    get { state.withLock { $0.preview } }
    set {
      // What it replaces is let go of outside the lock: that may run code of the source.
      _ = state.withLock { state in
        defer { state.preview = newValue }
        return state.preview
      }
    }
  }

  package var representations: [ItemRepresentation] {
    state.withLock { $0.representations }
  }

  /// Appends a representation; a type that is there already keeps its first one.
  ///
  /// - Returns: Whether the representation was taken.
  @discardableResult
  package func register(_ representation: ItemRepresentation) -> Bool {
    state.withLock { state in
      guard !state.representations.contains(where: { $0.contentType == representation.contentType }) else {
        return false
      }
      state.representations.append(representation)
      return true
    }
  }
}

/// What a source says of the file that an item was, beside its name: a destination may give its own file the same.
public struct ItemFileAttributes: Sendable, Hashable {
  /// The permission bits with the sticky bit, `0o1777` at most: never the right to run as the file's owner or group.
  public var permissions: UInt16? {
    didSet { permissions = permissions.map { $0 & Self.permissionMask } }
  }

  private static let permissionMask: UInt16 = 0o1777

  /// The folder the file was in, relative to a root that the items of a drop share; `nil` for the root itself.
  ///
  /// Names separated by slashes, such as `Tales/Odyssey`. It comes from the source: a destination checks every name.
  public var folder: String?

  /// When the content was last changed; travels to the nanosecond where it comes from a file system.
  public var modificationDate: Date? {
    get { modificationTime?.date }
    set { modificationTime = newValue.flatMap(FileTime.init) }
  }

  package var modificationTime: FileTime?

  /// Says nothing of what is left out.
  ///
  /// - Parameters:
  ///   - permissions: Of which the lower nine bits and the sticky bit count.
  ///   - modificationDate: When the content was last changed.
  public init(permissions: UInt16? = nil, modificationDate: Date? = nil) {
    self.permissions = permissions.map { $0 & Self.permissionMask }
    modificationTime = modificationDate.flatMap(FileTime.init)
  }

  package init(permissions: UInt16?, modificationTime: FileTime?) {
    self.permissions = permissions.map { $0 & Self.permissionMask }
    self.modificationTime = modificationTime
  }

  /// Whether nothing is said.
  package var isEmpty: Bool { permissions == nil && modificationTime == nil && folder == nil }
}
