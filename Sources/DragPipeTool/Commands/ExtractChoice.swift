// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

/// The representation that is meant by an item's number or name, and a type.
struct ExtractChoice {
  /// So many types are named in a message.
  private static let namedCount = 8

  /// From 0.
  let item: Int
  /// From 0, in the order of the source.
  let representation: Int
  /// What the source says it is.
  let type: UTType
  /// Whether it is text, and whether a folder, by what is known here or its source has said of the type.
  let isText, isFolder: Bool

  /// Finds it.
  ///
  /// - Parameters:
  ///   - item: A number from 1, or else a name.
  ///   - type: An identifier, a MIME type or an extension.
  ///   - drop: The open file.
  ///   - file: What messages call it.
  /// - Throws: `noAcceptableType` with what there is, where that is not there; why the file cannot be read.
  init(item: String, type: String, in drop: DropFile, file: String) async throws {
    self.item = try await Self.item(item, in: drop, file.escapedForDisplay())
    let types = try await drop.types(ofItem: self.item)
    let provider = try await drop.item(at: self.item)
    let found = try await runBlocking { Self.representation(type, types, provider) }
    guard let found else {
      let offered = types.prefix(Self.namedCount).map { $0.identifier.escapedForDisplay() }.joined(separator: ", ")
      throw ToolFailure(
        .noAcceptableType,
        "item \(self.item + 1) is no \(type.escapedForDisplay()): it is there as \(offered)"
          + (types.count > Self.namedCount ? " and \(types.count - Self.namedCount) more" : ""))
    }
    representation = found
    self.type = types[found]
    (isText, isFolder) = try await runBlocking { [type = types[found]] in
      (provider.offers(type, conformingTo: .text), provider.offers(type, conformingTo: .directory))
    }
  }

  private static func item(_ word: String, in drop: DropFile, _ file: String) async throws -> Int {
    let isNumber = word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    if isNumber, let number = Int(word), number >= 1, number <= drop.itemCount { return number - 1 }
    let found = try await drop.items(named: word, limit: 2)
    switch found.count {
    case 1: return found[0]
    case 0:
      let count = ToolHelp.count(drop.itemCount, "item")
      throw ToolFailure(
        .noAcceptableType,
        "no item \(word.escapedForDisplay()): \(file) has \(count)\(try await names(in: drop)); "
          + "dragpipe inspect shows them")
    default:
      throw ToolFailure(
        .noAcceptableType,
        "items \(found[0] + 1) and \(found[1] + 1) have the name \(word.escapedForDisplay()): say the number")
    }
  }

  /// What the first items are called.
  private static func names(in drop: DropFile) async throws -> String {
    var names: [String] = []
    for index in 0..<min(drop.itemCount, namedCount) {
      guard let name = try await drop.item(at: index).suggestedName else { continue }
      names.append("\(index + 1) \"\(name.escapedForDisplay(limit: 40))\"")
    }
    return names.isEmpty ? "" : " (\(names.joined(separator: ", "))\(drop.itemCount > namedCount ? ", …" : ""))"
  }

  /// Just the type, else the first that may be used where it is wanted, by what is known here or its source has said.
  private static func representation(_ word: String, _ types: [UTType], _ provider: ItemProvider) -> Int? {
    // It need not be a type that anybody here knows.
    if let index = types.firstIndex(where: { $0.identifier.lowercased() == word.lowercased() }) { return index }
    guard let wanted = UTType(operand: word) else { return nil }
    return types.firstIndex(of: wanted) ?? types.firstIndex { provider.offers($0, conformingTo: wanted) }
  }
}
