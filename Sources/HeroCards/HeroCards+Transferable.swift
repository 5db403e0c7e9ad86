// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemCoding
public import ItemTransfer
public import UniformTypes

extension UTType {
  /// A hero as CBOR: the keys and values of the JSON object, with the picture as a byte string.
  public static let heroCBOR = UTType(exportedAs: "org.dragpipe.hero.cbor", conformingTo: .data)
  /// A card as CBOR: the keys and values of the JSON object.
  public static let cardCBOR = UTType(exportedAs: "org.dragpipe.card.cbor", conformingTo: .data)
  /// A hero as a JSON object.
  public static let hero = UTType(exportedAs: "org.dragpipe.hero", conformingTo: .json)
  /// A card as a JSON object.
  public static let card = UTType(exportedAs: "org.dragpipe.card", conformingTo: .json)
}

extension Hero: Transferable {
  /// The representations of a hero: all of its data, plain text, the address of its page, and the picture.
  ///
  /// The address is offered only if it is not empty, and the picture only if it is a PNG or JPEG image.
  public static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .heroCBOR, encoder: CBOREncoder(), decoder: CBORDecoder())
    CodableRepresentation(contentType: .hero, encoder: JSONValueCoder.shared, decoder: JSONValueCoder.shared)
    DataRepresentation(exportedContentType: .utf8PlainText) { hero in Data(hero.plainText.utf8) }
    DataRepresentation(exportedContentType: .url) { hero in Data(hero.address.utf8) }
      .exportingCondition { hero in !hero.address.isEmpty }
    DataRepresentation(exportedContentType: .png) { hero in hero.image ?? Data() }
      .exportingCondition { hero in hero.hasImage(startingWith: [0x89, 0x50, 0x4E, 0x47]) }
    DataRepresentation(exportedContentType: .jpeg) { hero in hero.image ?? Data() }
      .exportingCondition { hero in hero.hasImage(startingWith: [0xFF, 0xD8, 0xFF]) }
  }

  /// Returns whether the hero has a picture whose bytes start with a signature.
  private func hasImage(startingWith signature: [UInt8]) -> Bool {
    image?.starts(with: signature) ?? false
  }

  private var plainText: String {
    description.isEmpty ? name : "\(name)\n\n\(description)"
  }

  /// The address of the hero's web page, or else the address of the catalogue entry.
  private var address: String {
    urls.first { $0.type == "detail" && !$0.url.isEmpty }?.url ?? resourceURI
  }

  /// A file name for the hero: its name, with unsafe characters replaced, and the extension `json`.
  ///
  /// A hero without a name has the file name `hero ID.json`. A name is truncated to 200 bytes.
  public var suggestedName: String {
    fileName(from: name.isEmpty ? "hero \(id)" : name)
  }
}

extension Card: Transferable {
  /// The representations of a card: all of its data, and plain text.
  public static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .cardCBOR, encoder: CBOREncoder(), decoder: CBORDecoder())
    CodableRepresentation(contentType: .card, encoder: JSONValueCoder.shared, decoder: JSONValueCoder.shared)
    DataRepresentation(exportedContentType: .utf8PlainText) { card in Data(card.content.utf8) }
  }
}

/// Returns a file name from a string: one path component, without invisible characters and with the extension `json`.
///
/// At most 200 bytes of the string are used.
private func fileName(from text: String) -> String {
  var stem = ""
  for scalar in text.unicodeScalars {
    let isHidden = stem.isEmpty && scalar == "."
    let fitting: Unicode.Scalar = scalar.isInvisibleControl || isHidden ? "_" : scalar == "/" ? "-" : scalar
    // The limit leaves room for the extension and for a suffix that the receiver may add.
    guard stem.utf8.count + String(fitting).utf8.count <= 200 else { break }
    stem.unicodeScalars.append(fitting)
  }
  return stem + ".json"
}
