// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import UniformTypes

/// A value whose type is erased, and its representations, which share it.
///
/// The code that handles values is not generic, because the lookup of generic types at run time is slow.
///
/// It is safe to send: all stored properties of the class and its subclass are constant and sendable. The compiler cannot
/// check that, since the class is not final.
class AnyExportedValue: @unchecked Sendable {
  fileprivate final let list: AnyTransferRepresentationList
  /// The object that has created the value, if it was created on demand.
  fileprivate final let origin: LaterValue?

  fileprivate init(_ list: AnyTransferRepresentationList, origin: LaterValue?) {
    self.list = list
    self.origin = origin
  }

  /// The representations whose conditions the value satisfies, best representation first.
  final var representations: [ItemRepresentation] {
    let exporters = list.exporters
    var representations: [ItemRepresentation] = []
    representations.reserveCapacity(exporters.count)
    for index in exporters.indices where !exporters[index].isConditional || hasRepresentation(index) {
      representations.append(ItemRepresentation(exporters[index].traits, of: self, index: index))
    }
    return representations
  }

  /// Returns whether a later value has created this value.
  final func wasCreated(by origin: LaterValue) -> Bool { self.origin === origin }

  /// The suggested name of a file of the value, if there is one.
  final var suggestedName: String? { list.suggestsName ? nameOfValue : nil }

  /// Returns whether a representation can be encoded without suspension.
  final func encodesAtOnce(_ index: Int) -> Bool { list.exporters[index].isEncoder }

  fileprivate var nameOfValue: String? { nil }

  /// Returns whether the value satisfies the condition of a representation.
  func hasRepresentation(_ index: Int) -> Bool { false }

  /// Exports a representation.
  func content(_ index: Int, _ progress: ItemProgress) async throws -> ItemContent {
    preconditionFailure("a value without a type")
  }

  /// Encodes a representation for which ``encodesAtOnce(_:)`` returns true.
  func data(_ index: Int) throws -> Data {
    preconditionFailure("a value without a type")
  }
}

/// A value with the exporters of its type.
final class ExportedValue<Item: Transferable>: AnyExportedValue, @unchecked Sendable {
  private let item: Item

  init(_ item: Item) {
    self.item = item
    super.init(Item.representationsOfType, origin: nil)
  }

  /// Creates a value that was created on demand, with the representations that it had at its registration.
  init(_ item: Item, _ list: AnyTransferRepresentationList, origin: LaterValue) {
    self.item = item
    super.init(list, origin: origin)
  }

  private func exporter(_ index: Int) -> TransferRepresentationList<Item>.Exporter {
    unsafeDowncast(list, to: TransferRepresentationListOf<Item>.self).list.exporters[index]
  }

  fileprivate override var nameOfValue: String? {
    unsafeDowncast(list, to: TransferRepresentationListOf<Item>.self).list.suggestedName(of: item)
  }

  override func hasRepresentation(_ index: Int) -> Bool {
    exporter(index).condition?(item) ?? true
  }

  override func content(_ index: Int, _ progress: ItemProgress) async throws -> ItemContent {
    try await exporter(index).export(item, progress)
  }

  override func data(_ index: Int) throws -> Data {
    guard case .encoding(let encode) = exporter(index).method else { preconditionFailure("the exporter may suspend") }
    return try encode(item)
  }
}

/// A value that is created on demand, with all its representations and its name.
final class LaterValue: Sendable {
  private let create: @Sendable (LaterValue, ItemProgress) async throws -> AnyExportedValue

  /// - Parameter create: Creates the value, with the first argument as its origin.
  init(_ create: @escaping @Sendable (LaterValue, ItemProgress) async throws -> AnyExportedValue) {
    self.create = create
  }

  /// Creates the value.
  func value(progress: ItemProgress) async throws -> AnyExportedValue { try await create(self, progress) }
}

/// The values that were created for one load, or for one offer of an item.
struct CreatedValues {
  private var outcomes: [(origin: LaterValue, outcome: Result<AnyExportedValue, ItemProviderError>)] = []

  /// Returns the value that `origin` has created; `nil` if it was not asked to.
  ///
  /// - Throws: The error of the value, if it could not be created.
  func value(of origin: LaterValue, as contentType: UTType?) throws(ItemProviderError) -> AnyExportedValue? {
    switch outcomes.first(where: { $0.origin === origin })?.outcome {
    case .success(let value): return value
    case .failure(let error):
      throw ItemProviderError(error.code, contentType: contentType, underlyingError: error.underlyingError)
    case nil: return nil
    }
  }

  /// Creates a value, unless it was created before.
  ///
  /// - Throws: `representationFailed`, `cancelled`; the same error again in later calls.
  nonisolated(nonsending) mutating func value(
    of origin: LaterValue, as contentType: UTType?, progress: ItemProgress
  ) async throws(ItemProviderError) -> AnyExportedValue {
    if let known = try value(of: origin, as: contentType) { return known }
    let outcome: Result<AnyExportedValue, ItemProviderError>
    do {
      outcome = .success(try await origin.value(progress: progress))
    } catch {
      outcome = .failure(
        ItemProviderError(
          caughtForeign: error, contentType: contentType, isCancelled: progress.isCancelledWithTask))
    }
    outcomes.append((origin, outcome))
    return try outcome.get()
  }
}
