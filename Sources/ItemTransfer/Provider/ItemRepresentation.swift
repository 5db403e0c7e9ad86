// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import Glibc
package import UniformTypes

/// A representation of an item: its type and a loader of its content.
package struct ItemRepresentation: Sendable {
  /// The kind of registration that a source has used.
  ///
  /// It decides the class of the object that `NSItemProvider.loadItem` returns. The bytes do not depend on it.
  package enum Form: UInt8, Sendable {
    /// Bytes.
    case data = 0
    /// A file or a folder.
    case file = 1
    /// A string object, whose bytes are UTF-8.
    case text = 2
    /// A URL object, whose bytes are its absolute string.
    case url = 3
    /// A number, a date, an array or another object whose bytes are a property list.
    case propertyList = 4
  }

  /// The properties of a representation that are known before it is loaded.
  package struct Traits: Sendable {
    /// The type of the content.
    package let contentType: UTType
    /// The destinations that may load the representation.
    package let visibility: ItemVisibility
    /// The size of the content, if known.
    package var size: ItemSize
    /// Whether it is known before a load that the source allows the use of its own file.
    package let opensInPlace: Bool
    /// Whether the content is a file whose own name replaces the suggested name of the item.
    let isNamedFile: Bool
    /// The kind of registration that the source has used.
    package let form: Form
    /// For an alias, the type of its original: the item's representation that has the same bytes.
    package fileprivate(set) var aliasedType: UTType?
    /// The supertypes that the source has stated for a type that is not declared in this process.
    fileprivate let statedSupertypes: [UTType]

    /// Creates the traits of a representation.
    package init(
      contentType: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown, opensInPlace: Bool = false,
      isNamedFile: Bool = false, form: Form = .data, aliasedType: UTType? = nil, statedSupertypes: [UTType] = []
    ) {
      self.isNamedFile = isNamedFile
      self.form = form
      self.contentType = contentType
      self.visibility = visibility
      self.size = size
      self.opensInPlace = opensInPlace
      self.aliasedType = aliasedType
      self.statedSupertypes = statedSupertypes
    }

    /// Returns whether the representation can be used for a requested type.
    ///
    /// For a type declared in this process, the supertypes that the source has stated are ignored.
    package func conforms(to type: UTType) -> Bool {
      if contentType.conforms(to: type) { return true }
      return !statedSupertypes.isEmpty && !contentType.isDeclared
        && statedSupertypes.contains { $0.conforms(to: type) }
    }

    /// Returns whether a destination receives the same description of both representations.
    package func reads(as other: Traits) -> Bool {
      contentType.isSpelled(as: other.contentType) && size == other.size && opensInPlace == other.opensInPlace
        && form == other.form && aliasedType == other.aliasedType
        && statedSupertypes.count == other.statedSupertypes.count
        && zip(statedSupertypes, other.statedSupertypes).allSatisfy { $0.isSpelled(as: $1) }
    }
  }

  /// A function that loads the content.
  ///
  /// It starts on its caller's executor, which avoids changes of executors, and may switch to another executor.
  package typealias Loader = nonisolated(nonsending) @Sendable (ItemProgress) async throws -> ItemContent

  /// A loader that can choose between the source's own file and its bytes.
  ///
  /// The second argument is whether the destination prefers the file.
  package typealias InPlaceLoader =
    nonisolated(nonsending) @Sendable (ItemProgress, _ inPlace: Bool) async throws -> ItemContent

  private enum LoaderKind {
    case plain(Loader)
    case inPlace(InPlaceLoader)
    case later(Later)
    /// A loader of bytes in memory.
    case bytes(@Sendable (ItemProgress) async throws -> Data)
    /// Bytes that are in memory already.
    case data(Data)
    /// A representation of a value, by its index.
    case value(AnyExportedValue, Int)
  }

  /// A representation of a value that does not exist yet.
  ///
  /// It is an object to keep representations small: few values are created later, and all representations are copied
  /// often.
  private final class Later: Sendable {
    let value: LaterValue
    let index: Int
    /// Whether the value decides if it has the representation.
    let isConditional: Bool
    /// The representations that can replace an excluded representation, best representation first.
    let alternatives: [ItemRepresentation]

    init(_ value: LaterValue, index: Int, isConditional: Bool, alternatives: [ItemRepresentation]) {
      self.value = value
      self.index = index
      self.isConditional = isConditional
      self.alternatives = alternatives
    }
  }

  /// The properties that are known before a load.
  package private(set) var traits: Traits
  private var loader: LoaderKind

  /// Creates a representation.
  package init(
    contentType: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown, opensInPlace: Bool = false,
    form: Form = .data, aliasedType: UTType? = nil, statedSupertypes: [UTType] = [], loader: @escaping Loader
  ) {
    traits = Traits(
      contentType: contentType, visibility: visibility, size: size, opensInPlace: opensInPlace, form: form,
      aliasedType: aliasedType, statedSupertypes: statedSupertypes)
    self.loader = .plain(loader)
  }

  /// Creates a representation with given properties.
  package init(_ traits: Traits, loader: @escaping Loader) {
    self.traits = traits
    self.loader = .plain(loader)
  }

  /// Creates a representation of bytes that are in memory already.
  package init(_ traits: Traits, data: Data) {
    self.traits = traits
    loader = .data(data)
  }

  /// Creates a representation whose loader returns bytes.
  init(_ traits: Traits, bytes loader: @escaping @Sendable (ItemProgress) async throws -> Data) {
    self.traits = traits
    self.loader = .bytes(loader)
  }

  /// Creates the representation of a value that has an index.
  init(_ traits: Traits, of value: AnyExportedValue, index: Int) {
    self.traits = traits
    loader = .value(value, index)
  }

  /// Creates a representation whose loader can choose between the source's own file and its bytes.
  package init(_ traits: Traits, inPlaceLoader: @escaping InPlaceLoader) {
    self.traits = traits
    loader = .inPlace(inPlaceLoader)
  }

  /// Creates the representation of a later value that has an index.
  init(_ traits: Traits, of value: LaterValue, index: Int, isConditional: Bool) {
    self.traits = traits
    loader = .later(Later(value, index: index, isConditional: isConditional, alternatives: []))
  }

  /// The value that must be created before a load, if there is one.
  var laterValue: LaterValue? { if case .later(let later) = loader { later.value } else { nil } }

  /// Whether a condition decides at load time if the item has this representation.
  var isConditional: Bool { if case .later(let later) = loader { later.isConditional } else { false } }

  /// Whether an offer must create the value of the representation: if there is a condition, or for all values.
  func needsValue(all: Bool) -> Bool { laterValue != nil && (all || isConditional) }

  /// The value of the representation, if there is one already.
  var value: AnyExportedValue? { if case .value(let value, _) = loader { value } else { nil } }

  /// Returns this representation with alternatives, which replace it if its condition excludes it.
  func or(_ alternatives: some Sequence<ItemRepresentation>) -> ItemRepresentation {
    guard case .later(let later) = loader else { return self }
    var representation = self
    representation.loader = .later(
      Later(later.value, index: later.index, isConditional: later.isConditional, alternatives: Array(alternatives)))
    return representation
  }

  /// Returns the first of this representation and its alternatives that has no condition, or whose condition holds for
  /// the current value.
  ///
  /// - Parameter progress: Counts the work of creating a value.
  /// - Returns: A representation whose value exists.
  /// - Throws: `noRepresentation` if all are excluded; `representationFailed` with the error of a value that cannot be
  ///   created; `cancelled`.
  nonisolated(nonsending) func present(progress: ItemProgress) async throws(ItemProviderError) -> ItemRepresentation {
    guard case .later = loader else { return self }
    var created = CreatedValues()
    return try await present(&created, progress: progress)
  }

  /// Returns what ``present(progress:)`` returns, and creates each value only once.
  private nonisolated(nonsending) func present(
    _ created: inout CreatedValues, progress: ItemProgress
  ) async throws(ItemProviderError) -> ItemRepresentation {
    guard case .later(let later) = loader else { return self }
    _ = try await created.value(of: later.value, as: contentType, progress: progress)
    do throws(ItemProviderError) {
      return try present(among: created)
    } catch {
      guard error.code == .noRepresentation, let next = later.alternatives.first else { throw error }
      return try await next.or(later.alternatives.dropFirst()).present(&created, progress: progress)
    }
  }

  /// Returns the representation of the created value; `self` if the value was not created.
  ///
  /// - Throws: `noRepresentation` if the condition of the representation excludes it; the error of a value that could
  ///   not be created.
  func present(among created: CreatedValues) throws(ItemProviderError) -> ItemRepresentation {
    guard case .later(let later) = loader, let value = try created.value(of: later.value, as: contentType)
    else { return self }
    guard value.hasRepresentation(later.index) else {
      throw ItemProviderError(.noRepresentation, contentType: contentType)
    }
    return ItemRepresentation(traits, of: value, index: later.index)
  }

  /// Returns a representation of the same type and visibility with different bytes.
  func replacingContent(size: ItemSize, form: Form = .data, loader: @escaping Loader) -> ItemRepresentation {
    ItemRepresentation(
      contentType: contentType, visibility: visibility, size: size, form: form, statedSupertypes: statedSupertypes,
      loader: loader)
  }

  /// Returns this representation as an alias of the representation of `type`; for `nil`, as an independent
  /// representation.
  func aliasing(_ type: UTType?) -> ItemRepresentation {
    var representation = self
    representation.traits.aliasedType = type
    return representation
  }

  /// The type of the content.
  package var contentType: UTType { traits.contentType }
  /// The destinations that may load the representation.
  package var visibility: ItemVisibility { traits.visibility }
  /// The size of the content, if known.
  package var size: ItemSize { traits.size }
  /// Whether it is known before a load that the source allows the use of its own file.
  package var opensInPlace: Bool { traits.opensInPlace }
  /// For an alias, the type of its original: the item's representation that has the same bytes.
  package var aliasedType: UTType? { traits.aliasedType }
  /// Whether the content is a file whose own name replaces the suggested name of the item.
  var isNamedFile: Bool { traits.isNamedFile }
  /// The kind of registration that the source has used.
  package var form: Form { traits.form }
  private var statedSupertypes: [UTType] { traits.statedSupertypes }

  /// Returns whether the representation can be used for a requested type.
  package func conforms(to type: UTType) -> Bool { traits.conforms(to: type) }

  /// The supertypes that the next destination must receive with the type.
  package var supertypesToState: [UTType] {
    // For a dynamic type, the source's MIME database may differ from the database of this process.
    contentType.isDeclared
      ? contentType.supertypesToState
      : statedSupertypes + contentType.supertypesToState.filter { !statedSupertypes.contains($0) }
  }

  /// Runs the loader in the calling task, so that cancelling the task cancels the load.
  ///
  /// The progress is not ended: the user of the content ends it.
  ///
  /// - Parameters:
  ///   - inPlace: Whether the caller prefers the source's own file to its bytes.
  ///   - progress: Counts the work of the loader.
  /// - Returns: The content.
  /// - Throws: `cancelled` if the task or the progress is cancelled, `representationFailed` with the loader's error,
  ///   `fileUnavailable` for a URL that is not a file URL.
  package nonisolated(nonsending) func content(
    inPlace: Bool = false, progress: ItemProgress
  ) async throws(ItemProviderError) -> ItemContent {
    let content: ItemContent
    // A loader cannot contradict the outcome of its load.
    progress.lend()
    do {
      try Task.checkCancellation()
      switch loader {
      case .plain(let load): content = try await load(progress)
      case .inPlace(let load): content = try await load(progress, inPlace)
      case .later: content = try await presentContent(inPlace: inPlace, progress: progress)
      case .bytes(let load): content = .data(try await load(progress))
      case .data(let data): content = .data(data)
      case .value(let value, let index): content = try await value.content(index, progress)
      }
      // A loader may react to a cancelled progress, and return, before the task is cancelled.
      if progress.isCancelledWithTask { throw CancellationError() }
    } catch {
      let failure = ItemProviderError(
        caughtForeign: error, contentType: contentType, isCancelled: progress.isCancelledWithTask)
      // Cancelling the progress also cancels work of the loader outside this task.
      if failure.code == .cancelled { progress.cancel() }
      throw failure
    }
    // The path of a URL with another scheme is not a local file.
    if case .file(let sent) = content, !sent.file.isFileURL {
      let reason = FileError("open", sent.file.absoluteString, SystemError(EINVAL, in: "open"))
      throw ItemProviderError(.fileUnavailable, contentType: contentType, underlyingError: reason)
    }
    return content
  }

  /// Loads bytes that are in memory already, or that can be encoded without suspension.
  ///
  /// - Returns: The bytes, whose number is not compared with ``size``; `nil` if only ``content(inPlace:progress:)`` can
  ///   load them.
  /// - Throws: The errors of ``content(inPlace:progress:)``.
  package func dataAtOnce() throws(ItemProviderError) -> Data? {
    do {
      let data: Data
      switch loader {
      case .data(let known): data = known
      case .value(let value, let index) where value.encodesAtOnce(index):
        try Task.checkCancellation()
        data = try value.data(index)
      default: return nil
      }
      try Task.checkCancellation()
      return data
    } catch {
      throw ItemProviderError(caughtForeign: error, contentType: contentType)
    }
  }

  /// Loads the content of a value that does not exist yet.
  ///
  /// The function is not inlined into its caller, because that would enlarge the memory of every load.
  @inline(never)
  private nonisolated(nonsending) func presentContent(
    inPlace: Bool, progress: ItemProgress
  ) async throws -> ItemContent {
    try await present(progress: progress).content(inPlace: inPlace, progress: progress)
  }
}

/// The size of a representation in bytes, if the source knows it.
public enum ItemSize: Sendable, Hashable {
  /// The exact size. A representation of another size is an error.
  ///
  /// A negative number means an unknown size.
  case exact(Int64)

  /// An approximate size, used only for progress. A negative number means an unknown size.
  case estimated(Int64)

  /// The size is unknown.
  case unknown

  /// The expected size for a progress, if there is one.
  public var expected: Int64? {
    switch self {
    case .exact(let count), .estimated(let count): count < 0 ? nil : count
    case .unknown: nil
    }
  }

  /// The promised size, if there is one.
  package var promised: Int64? {
    if case .exact(let count) = self, count >= 0 { count } else { nil }
  }
}

/// A mismatch between the promised and the actual size of a representation.
public struct ItemSizeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The promised number of bytes.
  public let promised: Int64
  /// The actual number of bytes; for a longer representation, the number received before the load failed.
  public let actual: Int64

  /// The error in one clause, with both numbers.
  public var description: String {
    actual < promised
      ? "it ended after \(actual) of \(promised) promised bytes"
      : "it has at least \(actual) bytes, but its source promised \(promised)"
  }
}

/// The destinations that may load a representation.
///
/// Each level includes the previous level: this process, a team, a group, all processes.
///
/// A source sets the level of each representation. A writer or a session knows its audience, and omits the
/// representations that are not visible to that audience.
///
/// Follows Apple's
/// [`NSItemProviderRepresentationVisibility`](https://developer.apple.com/documentation/foundation/nsitemproviderrepresentationvisibility).
public enum ItemVisibility: Int, Sendable, Hashable, CaseIterable {
  /// Every process.
  case all = 0

  /// Programs of the same developer.
  case team = 1

  /// Programs of the same group.
  case group = 2

  /// The process of the source.
  case ownProcess = 3

  /// The rank of the level.
  private var reach: Int {
    switch self {
    case .ownProcess: 0
    case .team: 1
    case .group: 2
    case .all: 3
    }
  }

  /// Returns whether a representation of this visibility is visible to an audience.
  ///
  /// - Parameter audience: The kind of destination; `all` means any process.
  /// - Returns: Whether the audience is within the reach of the visibility.
  public func includes(_ audience: ItemVisibility) -> Bool {
    audience.reach <= reach
  }
}

/// The name of ``ItemVisibility`` in Apple's CoreTransferable.
public typealias TransferRepresentationVisibility = ItemVisibility
