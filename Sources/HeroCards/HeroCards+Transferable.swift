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
  /// A hero whole, or as text to read, or as the address where there is more, or as the picture.
  public static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .heroCBOR, encoder: CBOREncoder(), decoder: CBORDecoder())
    CodableRepresentation(contentType: .hero)
    DataRepresentation(exportedContentType: .utf8PlainText) { hero in Data(hero.plainText.utf8) }
    DataRepresentation(exportedContentType: .url) { hero in Data(hero.address.utf8) }
      .exportingCondition { hero in !hero.address.isEmpty }
    DataRepresentation(exportedContentType: .png) { hero in hero.image ?? Data() }
      .exportingCondition { hero in hero.hasImage(startingWith: [0x89, 0x50, 0x4E, 0x47]) }
    DataRepresentation(exportedContentType: .jpeg) { hero in hero.image ?? Data() }
      .exportingCondition { hero in hero.hasImage(startingWith: [0xFF, 0xD8, 0xFF]) }
  }

  /// Whether there is a picture, of the kind whose files start so.
  private func hasImage(startingWith signature: [UInt8]) -> Bool {
    image?.starts(with: signature) ?? false
  }

  private var plainText: String {
    description.isEmpty ? name : "\(name)\n\n\(description)"
  }

  /// The page for people, else the resource for programs.
  private var address: String {
    urls.first { $0.type == "detail" && !$0.url.isEmpty }?.url ?? resourceURI
  }

  /// What a file made of the hero is called: its name, made fit for a file, as JSON.
  public var suggestedFileName: String {
    fileName(from: name.isEmpty ? "hero \(id)" : name)
  }
}

extension Card: Transferable {
  /// A card whole, or its text.
  public static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .cardCBOR, encoder: CBOREncoder(), decoder: CBORDecoder())
    CodableRepresentation(contentType: .card)
    DataRepresentation(exportedContentType: .utf8PlainText) { card in Data(card.content.utf8) }
  }
}

/// Text as one path component that says no more than it shows.
private func fileName(from text: String) -> String {
  var stem = ""
  for scalar in text.unicodeScalars {
    let isHidden = stem.isEmpty && scalar == "."
    let fitting: Unicode.Scalar = scalar.isInvisibleControl || isHidden ? "_" : scalar == "/" ? "-" : scalar
    // Room for the extension, and for what a receiver may add.
    guard stem.utf8.count + String(fitting).utf8.count <= 200 else { break }
    stem.unicodeScalars.append(fitting)
  }
  return stem + ".json"
}
