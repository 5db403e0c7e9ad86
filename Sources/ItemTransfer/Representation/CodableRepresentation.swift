// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import ItemCoding
public import UniformTypes

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
