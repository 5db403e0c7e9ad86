// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import ItemCoding
public import UniformTypes

/// A representation of a value as bytes that two closures encode and decode.
///
/// ```swift
/// DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.title.utf8) }
/// ```
public struct DataRepresentation<Item: Transferable>: TransferRepresentation {
  private let contentType: UTType
  private let exporting: (@Sendable (Item) async throws -> Data)?
  private let importing: (@Sendable (Data) async throws -> Item)?

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
}

extension DataRepresentation {
  /// Appends the representation to the list.
  public func append(to list: inout TransferRepresentationList<Item>) {
    if let exporting {
      list.exporters.append(
        .init(contentType: contentType, method: .content { item, _ in .data(try await exporting(item)) }))
    }
    if let importing { list.importers.append(.init(contentType: contentType, method: .data(importing))) }
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
