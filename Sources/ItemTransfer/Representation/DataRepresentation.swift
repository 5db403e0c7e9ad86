// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import ItemCoding
public import UniformTypes

/// Hands over a value as bytes that two closures make and read.
///
/// ```swift
/// DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.title.utf8) }
/// ```
public struct DataRepresentation<Item: Transferable>: TransferRepresentation {
  private let contentType: UTType
  private let exporting: (@Sendable (Item) async throws -> Data)?
  private let importing: (@Sendable (Data) async throws -> Item)?

  /// Hands over both ways.
  ///
  /// - Parameters:
  ///   - contentType: What the bytes are.
  ///   - exporting: Makes them, only when they are asked for.
  ///   - importing: Reads them; they may come from anybody.
  public init(
    contentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data,
    importing: @escaping @Sendable (Data) async throws -> Item
  ) {
    self.contentType = contentType
    self.exporting = exporting
    self.importing = importing
  }

  /// Hands over to others only.
  public init(exportedContentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data) {
    contentType = exportedContentType
    self.exporting = exporting
    importing = nil
  }

  /// Takes from others only.
  public init(importedContentType: UTType, importing: @escaping @Sendable (Data) async throws -> Item) {
    contentType = importedContentType
    exporting = nil
    self.importing = importing
  }
}

extension DataRepresentation {
  /// Adds what it stands for.
  public func append(to list: inout TransferRepresentationList<Item>) {
    if let exporting {
      list.exporters.append(.init(contentType: contentType) { item, _ in .data(try await exporting(item)) })
    }
    if let importing { list.importers.append(.init(contentType: contentType, method: .data(importing))) }
  }
}

/// Hands over a `Codable` value as what its encoder writes.
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

  /// Hands over what `encoder` writes and `decoder` reads.
  public init(for item: Item.Type = Item.self, contentType: UTType, encoder: Encoder, decoder: Decoder) {
    self.contentType = contentType
    self.encoder = encoder
    self.decoder = decoder
  }

  /// Hands over JSON, with its keys sorted so that equal values give equal bytes.
  public init(for item: Item.Type = Item.self, contentType: UTType)
  where Encoder == JSONEncoder, Decoder == JSONDecoder {
    self.init(contentType: contentType, encoder: jsonEncoder, decoder: jsonDecoder)
  }
}

extension CodableRepresentation {
  /// Adds what it stands for.
  public func append(to list: inout TransferRepresentationList<Item>) {
    list.exporters.append(.init(contentType: contentType) { [encoder] item, _ in .data(try encoder.encode(item)) })
    let importing: @Sendable (Data) throws -> Item = { [decoder] in try decoder.decodeForeign(Item.self, from: $0) }
    list.importers.append(.init(contentType: contentType, method: .decoding(importing)))
  }
}

/// Made once: values are handed over by the million.
let jsonEncoder: JSONEncoder = {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return encoder
}()
let jsonDecoder = JSONDecoder()
