// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import ItemCoding
public import UniformTypes

/// One or several representations of an item.
///
/// Use ``CodableRepresentation``, ``DataRepresentation``, ``FileRepresentation`` and ``ProxyRepresentation``. To share
/// a combination between several types, write a type with a ``body``:
///
/// ```swift
/// struct AsJSONAndText<Item: Codable & CustomStringConvertible & Transferable>: TransferRepresentation {
///   var body: some TransferRepresentation {
///     CodableRepresentation<Item, _, _>(contentType: .json)
///     DataRepresentation<Item>(exportedContentType: .utf8PlainText) { Data("\($0)".utf8) }
///   }
/// }
/// ```
///
/// Follows Apple's
/// [`TransferRepresentation`](https://developer.apple.com/documentation/coretransferable/transferrepresentation).
public protocol TransferRepresentation<Item>: Sendable {
  /// The type of the item.
  associatedtype Item: Transferable
  /// The type of ``body``; inferred, and `Never` for the representations of this module.
  associatedtype Body: TransferRepresentation

  /// The representations of which this representation consists.
  @TransferRepresentationBuilder<Item> var body: Body { get }

  /// Appends the representations to a list, in order. The default appends the representations of ``body``.
  ///
  /// The module calls this method to list the representations of a type. It is a requirement because that is faster
  /// than a cast.
  func append(to list: inout TransferRepresentationList<Item>)
}

extension TransferRepresentation where Body == Never {
  /// There is no body: the representation has no parts.
  public var body: Never {
    preconditionFailure("\(Self.self) has no body")
  }
}

extension TransferRepresentation {
  /// Appends the representations of ``body``.
  public func append(to list: inout TransferRepresentationList<Item>) {
    list.take(body.list)
  }

  /// All representations of which this representation consists.
  var list: TransferRepresentationList<Item> {
    var list = TransferRepresentationList<Item>()
    append(to: &list)
    return list
  }
}

extension TransferRepresentationList {
  /// Appends a list whose item type is known only at run time.
  ///
  /// The builder guarantees that it is the item type of this list.
  mutating func take<Other>(_ other: TransferRepresentationList<Other>) {
    guard let own = other as? Self else { preconditionFailure("a representation of \(Other.self) for \(Item.self)") }
    exporters += own.exporters
    importers += own.importers
    suggestedName = own.suggestedName ?? suggestedName
    isConditional = isConditional || own.isConditional
  }
}

/// Representations in order of preference, as a tuple; created by ``TransferRepresentationBuilder``.
///
/// Follows Apple's
/// [`TupleTransferRepresentation`](https://developer.apple.com/documentation/coretransferable/tupletransferrepresentation).
public struct TupleTransferRepresentation<Item: Transferable, Value: Sendable>: TransferRepresentation {
  /// There is no body: the tuple stands for its parts.
  public typealias Body = Never

  // Programs for Apple's systems find the tuple under this name with `Mirror`.
  let value: Value
  private let appendParts: @Sendable (inout TransferRepresentationList<Item>) -> Void

  fileprivate init<Parts: TransferRepresentation, Next: TransferRepresentation>(
    _ value: Value, of parts: Parts, and next: Next
  ) where Parts.Item == Item, Next.Item == Item {
    self.value = value
    appendParts = { list in
      parts.append(to: &list)
      next.append(to: &list)
    }
  }
}

extension TupleTransferRepresentation {
  /// Appends all representations.
  public func append(to list: inout TransferRepresentationList<Item>) { appendParts(&list) }
}

/// A result builder that lists representations, best representation first.
///
/// ``Transferable/transferRepresentation`` uses it implicitly.
@resultBuilder
public struct TransferRepresentationBuilder<Item: Transferable> {
  /// Accepts any representation.
  public static func buildExpression<Representation: TransferRepresentation>(
    _ representation: Representation
  ) -> Representation where Representation.Item == Item {
    representation
  }

  /// Lets a `CodableRepresentation` infer its item.
  public static func buildExpression<Encoder, Decoder>(
    _ representation: CodableRepresentation<Item, Encoder, Decoder>
  ) -> CodableRepresentation<Item, Encoder, Decoder> {
    representation
  }

  /// Lets a `DataRepresentation` infer its item.
  public static func buildExpression(_ representation: DataRepresentation<Item>) -> DataRepresentation<Item> {
    representation
  }

  /// Lets a `FileRepresentation` infer its item.
  public static func buildExpression(_ representation: FileRepresentation<Item>) -> FileRepresentation<Item> {
    representation
  }

  /// Lets a `ProxyRepresentation` infer its item.
  public static func buildExpression<Proxy: Transferable>(
    _ representation: ProxyRepresentation<Item, Proxy>
  ) -> ProxyRepresentation<Item, Proxy> {
    representation
  }

  /// Starts the list.
  public static func buildPartialBlock<First: TransferRepresentation>(first: First) -> First {
    first
  }

  /// Joins the first two representations.
  public static func buildPartialBlock<First: TransferRepresentation, Next: TransferRepresentation>(
    accumulated: First, next: Next
  ) -> TupleTransferRepresentation<Item, (First, Next)> where First.Item == Item, Next.Item == Item {
    TupleTransferRepresentation((accumulated, next), of: accumulated, and: next)
  }

  /// Appends a representation to the tuple.
  public static func buildPartialBlock<each Part: Sendable, Next: TransferRepresentation>(
    accumulated: TupleTransferRepresentation<Item, (repeat each Part)>, next: Next
  ) -> TupleTransferRepresentation<Item, (repeat each Part, Next)> where Next.Item == Item {
    TupleTransferRepresentation((repeat each accumulated.value, next), of: accumulated, and: next)
  }

  // MARK: Conditions

  /// Accepts the representations of an `if` without an `else`, or none.
  public static func buildOptional<Wrapped: TransferRepresentation>(
    _ representation: Wrapped?
  ) -> OptionalRepresentation<Wrapped> where Wrapped.Item == Item {
    OptionalRepresentation(wrapped: representation)
  }

  /// Accepts the first branch of an `if` or a `switch`.
  public static func buildEither<First: TransferRepresentation, Second: TransferRepresentation>(
    first: First
  ) -> EitherRepresentation<First, Second> where First.Item == Item, Second.Item == Item {
    .first(first)
  }

  /// Accepts the second branch of an `if` or a `switch`.
  public static func buildEither<First: TransferRepresentation, Second: TransferRepresentation>(
    second: Second
  ) -> EitherRepresentation<First, Second> where First.Item == Item, Second.Item == Item {
    .second(second)
  }

  /// Accepts the representations of an `if #available`.
  public static func buildLimitedAvailability<Limited: TransferRepresentation>(
    _ representation: Limited
  ) -> some TransferRepresentation<Item> where Limited.Item == Item {
    representation
  }
}

/// The representations of an `if` without an `else`; created by ``TransferRepresentationBuilder``.
public struct OptionalRepresentation<Wrapped: TransferRepresentation>: TransferRepresentation {
  /// The item of the wrapped representation.
  public typealias Item = Wrapped.Item
  /// There is no body: the representation stands for the wrapped representation.
  public typealias Body = Never

  let wrapped: Wrapped?
}

extension OptionalRepresentation {
  /// Appends the wrapped representation, if there is one.
  public func append(to list: inout TransferRepresentationList<Wrapped.Item>) {
    list.isConditional = true
    wrapped?.append(to: &list)
  }
}

/// The representations of one of two branches; created by ``TransferRepresentationBuilder``.
public enum EitherRepresentation<First: TransferRepresentation, Second: TransferRepresentation>: TransferRepresentation
where First.Item == Second.Item {
  /// The item of both branches.
  public typealias Item = First.Item
  /// There is no body: the representation stands for its branch.
  public typealias Body = Never

  /// The first branch.
  case first(First)
  /// The second branch.
  case second(Second)
}

extension EitherRepresentation {
  /// Appends the representation of the branch.
  public func append(to list: inout TransferRepresentationList<First.Item>) {
    list.isConditional = true
    switch self {
    case .first(let first): first.append(to: &list)
    case .second(let second): second.append(to: &list)
    }
  }
}

extension Never: Transferable {
  /// There are no representations, because there is no value.
  public static var transferRepresentation: some TransferRepresentation {
    OptionalRepresentation<DataRepresentation<Never>>(wrapped: nil)
  }
}

extension Never: TransferRepresentation {
  /// The item type, which has no values.
  public typealias Item = Never
  /// The body type, which has no values.
  public typealias Body = Never
}

/// A representation with a restricted visibility; created by ``TransferRepresentation/visibility(_:)``.
struct VisibleRepresentation<Base: TransferRepresentation>: TransferRepresentation {
  /// The item of the base.
  typealias Item = Base.Item
  /// There is no body: the representation stands for its base.
  typealias Body = Never

  let base: Base
  let visibility: ItemVisibility
}

extension VisibleRepresentation {
  /// Appends the representations of the base; the visibility replaces each wider visibility.
  func append(to list: inout TransferRepresentationList<Base.Item>) {
    var inner = base.list
    for index in inner.exporters.indices
    where inner.exporters[index].visibility.includes(visibility) {
      inner.exporters[index].visibility = visibility
    }
    list.take(inner)
  }
}

/// A representation with a suggested file name; created by ``TransferRepresentation/suggestedFileName(_:)-(String)``.
struct NamedRepresentation<Base: TransferRepresentation>: TransferRepresentation {
  /// The item of the base.
  typealias Item = Base.Item
  /// There is no body: the representation stands for its base.
  typealias Body = Never

  let base: Base
  let name: TransferRepresentationList<Base.Item>.SuggestedName
}

extension NamedRepresentation {
  /// Appends the representations of the base, and replaces the suggested name.
  func append(to list: inout TransferRepresentationList<Base.Item>) {
    var inner = base.list
    inner.suggestedName = name
    list.take(inner)
  }
}

extension TransferRepresentation {
  /// Restricts the destinations that may load this representation.
  ///
  /// - Parameter visibility: The destinations; a narrower visibility of a part is preserved.
  /// - Returns: This representation with the restricted visibility.
  public func visibility(_ visibility: TransferRepresentationVisibility) -> some TransferRepresentation<Item> {
    VisibleRepresentation(base: self, visibility: visibility)
  }

  /// Suggests the name of a file of the item; the last suggestion wins.
  ///
  /// - Parameter name: The name, with its extension.
  /// - Returns: This representation with the suggestion.
  public func suggestedFileName(_ name: String) -> some TransferRepresentation<Item> {
    NamedRepresentation(base: self, name: .fixed(name))
  }

  /// Suggests the name of a file of the item; the last suggestion wins.
  ///
  /// - Parameter name: Returns the name, with its extension; `nil` for an item without a name.
  /// - Returns: This representation with the suggestion.
  public func suggestedFileName(_ name: @escaping @Sendable (Item) -> String?) -> some TransferRepresentation<Item> {
    NamedRepresentation(base: self, name: .ofValue(name))
  }
}

/// A representation with a condition on the value; created by ``TransferRepresentation/exportingCondition(_:)``.
public struct ConditionalRepresentation<Base: TransferRepresentation>: TransferRepresentation {
  /// The item of the base.
  public typealias Item = Base.Item
  /// There is no body: the representation stands for its base.
  public typealias Body = Never

  let base: Base
  let condition: @Sendable (Base.Item) -> Bool
}

extension ConditionalRepresentation {
  /// Appends the representations of the base, and adds the condition to the conditions of each.
  public func append(to list: inout TransferRepresentationList<Base.Item>) {
    var inner = base.list
    inner.exporters = inner.exporters.map { exporter in
      var exporter = exporter
      let earlier = exporter.condition
      exporter.condition = { [condition] item in condition(item) && earlier?(item) ?? true }
      return exporter
    }
    list.take(inner)
  }
}

extension TransferRepresentation {
  /// Exports this representation only for values that satisfy `condition`.
  ///
  /// If a loader creates the value, the condition is evaluated for each load, and before each offer to another process.
  ///
  /// - Parameter condition: Called with the value to export. It does not affect import.
  /// - Returns: This representation with the condition. If there are several conditions, all must hold.
  public func exportingCondition(
    _ condition: @escaping @Sendable (Item) -> Bool
  ) -> ConditionalRepresentation<Self> {
    ConditionalRepresentation(base: self, condition: condition)
  }
}

/// A representation of a value as bytes that two closures encode and decode.
///
/// ```swift
/// DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.title.utf8) }
/// ```
public struct DataRepresentation<Item: Transferable>: TransferRepresentation {
  private let contentType: UTType
  private let exporting: (@Sendable (Item) async throws -> Data)?
  private let importing: (@Sendable (Data) async throws -> Item)?
  private var isListed = true

  /// Creates a representation for export and import.
  ///
  /// - Parameters:
  ///   - contentType: The type of the bytes.
  ///   - exporting: Encodes a value on demand.
  ///   - importing: Decodes untrusted bytes.
  public init(
    contentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data,
    importing: @escaping @Sendable (Data) async throws -> Item
  ) {
    self.contentType = contentType
    self.exporting = exporting
    self.importing = importing
  }

  /// Creates a representation for export only.
  public init(exportedContentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data) {
    contentType = exportedContentType
    self.exporting = exporting
    importing = nil
  }

  /// Creates a representation for import only.
  public init(importedContentType: UTType, importing: @escaping @Sendable (Data) async throws -> Item) {
    contentType = importedContentType
    exporting = nil
    self.importing = importing
  }

  /// Creates a representation for import only, whose type `importedContentTypes()` leaves out.
  init(unlistedContentType: UTType, importing: @escaping @Sendable (Data) async throws -> Item) {
    self.init(importedContentType: unlistedContentType, importing: importing)
    isListed = false
  }
}

extension DataRepresentation {
  /// Appends the representation to the list.
  public func append(to list: inout TransferRepresentationList<Item>) {
    if let exporting {
      list.exporters.append(
        .init(contentType: contentType, method: .content { item, _ in .data(try await exporting(item)) }))
    }
    if let importing {
      list.importers.append(.init(contentType: contentType, method: .data(importing), isListed: isListed))
    }
  }
}

/// A representation of a `Codable` value as the bytes of an encoder.
///
/// ```swift
/// CodableRepresentation(contentType: .recipe)                               // JSON
/// CodableRepresentation(contentType: .recipePlist, encoder: PropertyListEncoder(), decoder: PropertyListDecoder())
/// ```
public struct CodableRepresentation<Item, Encoder: ItemEncoder, Decoder: ItemDecoder>: TransferRepresentation
where Item: Transferable & Codable {
  private let contentType: UTType
  private let encoder: Encoder
  private let decoder: Decoder

  /// Creates a representation with an encoder and a decoder.
  public init(for item: Item.Type = Item.self, contentType: UTType, encoder: Encoder, decoder: Decoder) {
    self.contentType = contentType
    self.encoder = encoder
    self.decoder = decoder
  }

  /// Creates a representation as JSON with sorted keys, so that equal values have equal bytes.
  public init(for item: Item.Type = Item.self, contentType: UTType)
  where Encoder == JSONEncoder, Decoder == JSONDecoder {
    self.init(contentType: contentType, encoder: jsonEncoder, decoder: jsonDecoder)
  }
}

extension CodableRepresentation {
  /// Appends the representation to the list.
  public func append(to list: inout TransferRepresentationList<Item>) {
    let exporting: @Sendable (Item) throws -> Data = { [encoder] in try encoder.encode($0) }
    list.exporters.append(.init(contentType: contentType, method: .encoding(exporting)))
    let importing: @Sendable (Data) throws -> Item = { [decoder] in try decoder.decodeForeign(Item.self, from: $0) }
    list.importers.append(.init(contentType: contentType, method: .decoding(importing)))
  }
}

/// The encoder that all values share, because a program may export millions of values.
let jsonEncoder: JSONEncoder = {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return encoder
}()
let jsonDecoder = JSONDecoder()
