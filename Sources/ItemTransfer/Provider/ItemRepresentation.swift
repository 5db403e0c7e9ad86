// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
package import UniformTypes

/// One way of having an item: a type, and a promise to make the content.
package struct ItemRepresentation: Sendable {
  /// What is said of a representation before it is made.
  package struct Traits: Sendable {
    package let contentType: UTType
    package let visibility: ItemVisibility
    package var size: ItemSize
    /// Whether the source says beforehand that a destination may use its own file.
    package let opensInPlace: Bool
    /// The type of the item's representation that has the same bytes.
    package let aliasedType: UTType?
    /// What the source says a type conforms to that nobody has declared here.
    fileprivate let statedSupertypes: [UTType]

    package init(
      contentType: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown, opensInPlace: Bool = false,
      aliasedType: UTType? = nil, statedSupertypes: [UTType] = []
    ) {
      self.contentType = contentType
      self.visibility = visibility
      self.size = size
      self.opensInPlace = opensInPlace
      self.aliasedType = aliasedType
      self.statedSupertypes = statedSupertypes
    }

    /// Whether the representation may be used where `type` is wanted.
    ///
    /// Of a type that is known here, what this process knows counts, and nothing that a source says.
    package func conforms(to type: UTType) -> Bool {
      if contentType.conforms(to: type) { return true }
      return !statedSupertypes.isEmpty && !contentType.isDeclared
        && statedSupertypes.contains { $0.conforms(to: type) }
    }

    /// Whether a destination is told the same of both, to the letter.
    package func reads(as other: Traits) -> Bool {
      contentType.isSpelled(as: other.contentType) && size == other.size && opensInPlace == other.opensInPlace
        && aliasedType == other.aliasedType && statedSupertypes.count == other.statedSupertypes.count
        && zip(statedSupertypes, other.statedSupertypes).allSatisfy { $0.isSpelled(as: $1) }
    }
  }

  /// A loader runs where it says itself; what wraps it goes on where its caller is, which spares changes of executors.
  package typealias Loader = nonisolated(nonsending) @Sendable (ItemProgress) async throws -> ItemContent

  package let traits: Traits
  private let loader: Loader

  package init(
    contentType: UTType, visibility: ItemVisibility = .all, size: ItemSize = .unknown, opensInPlace: Bool = false,
    aliasedType: UTType? = nil, statedSupertypes: [UTType] = [], loader: @escaping Loader
  ) {
    traits = Traits(
      contentType: contentType, visibility: visibility, size: size, opensInPlace: opensInPlace,
      aliasedType: aliasedType, statedSupertypes: statedSupertypes)
    self.loader = loader
  }

  /// The same of another content.
  package init(_ traits: Traits, loader: @escaping Loader) {
    self.traits = traits
    self.loader = loader
  }

  package var contentType: UTType { traits.contentType }
  package var visibility: ItemVisibility { traits.visibility }
  package var size: ItemSize { traits.size }
  package var opensInPlace: Bool { traits.opensInPlace }
  package var aliasedType: UTType? { traits.aliasedType }
  private var statedSupertypes: [UTType] { traits.statedSupertypes }

  /// Whether the representation may be used where `type` is wanted.
  package func conforms(to type: UTType) -> Bool { traits.conforms(to: type) }

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
  /// - Throws: `cancelled` when the task or the progress is, `representationFailed` with the loader's error, `fileUnavailable` for a file
  ///   that is none of this machine.
  package nonisolated(nonsending) func content(
    progress: ItemProgress
  ) async throws(ItemProviderError) -> ItemContent {
    let content: ItemContent
    do {
      try Task.checkCancellation()
      content = try await loader(progress)
      // A loader hears of a cancelled progress, and may answer, before the task does.
      if Task.isCancelled || progress.isCancelled { throw CancellationError() }
    } catch {
      let failure = ItemProviderError(
        caughtForeign: error, contentType: contentType, isCancelled: Task.isCancelled || progress.isCancelled)
      // Whoever still works on it outside of the task hears of it, although nobody else may look at the progress.
      if failure.code == .cancelled { progress.cancel() }
      throw failure
    }
    // What another address has for a path is no file of this machine.
    if case .file(let sent) = content, !sent.file.isFileURL {
      let reason = FileError("open", sent.file.absoluteString, SystemError(EINVAL, in: "open"))
      throw ItemProviderError(.fileUnavailable, contentType: contentType, underlyingError: reason)
    }
    return content
  }
}

/// What a source knows of a representation's size before it is made, in bytes.
public enum ItemSize: Sendable, Hashable {
  /// Exactly so many; a representation that turns out shorter or longer is an error.
  ///
  /// A negative number promises nothing.
  case exact(Int64)

  /// About so many, for progress only.
  case estimated(Int64)

  /// Nobody knows.
  case unknown

  /// The number to show progress against, where there is one.
  public var expected: Int64? {
    switch self {
    case .exact(let count), .estimated(let count): count < 0 ? nil : count
    case .unknown: nil
    }
  }

  /// The number to hold the source to.
  package var promised: Int64? {
    if case .exact(let count) = self, count >= 0 { count } else { nil }
  }
}

/// A representation that is not as long as its source has promised.
public struct ItemSizeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// How many bytes were promised.
  public let promised: Int64
  /// How many there are; of a representation that is too long, how many were seen before it was given up.
  public let actual: Int64

  /// Both numbers in a sentence.
  public var description: String {
    actual < promised
      ? "it ended after \(actual) of the \(promised) bytes that were promised"
      : "it has at least \(actual) bytes where \(promised) were promised"
  }
}

/// Who may have a representation, each level within the next: this process, a team, a group, everybody.
///
/// A source states it for each representation. A writer or a session states to whom it talks, and hands over what
/// is visible there; a representation that is not is left out of the offer, as if it were not there.
///
/// Follows Apple's
/// [`NSItemProviderRepresentationVisibility`](https://developer.apple.com/documentation/foundation/nsitemproviderrepresentationvisibility).
public enum ItemVisibility: Int, Sendable, Hashable, CaseIterable {
  /// Every process.
  case all = 0

  /// Programs of the same maker.
  case team = 1

  /// Programs that have agreed to share.
  case group = 2

  /// The process that offers it.
  case ownProcess = 3

  /// How far it reaches.
  private var reach: Int {
    switch self {
    case .ownProcess: 0
    case .team: 1
    case .group: 2
    case .all: 3
    }
  }

  /// Whether what has this visibility may be handed to a destination.
  ///
  /// - Parameter audience: How near the destination is; `all` stands for anybody.
  /// - Returns: Whether the destination is within reach.
  public func includes(_ audience: ItemVisibility) -> Bool {
    audience.reach <= reach
  }
}

/// The name by which Apple's CoreTransferable knows ``ItemVisibility``.
public typealias TransferRepresentationVisibility = ItemVisibility
