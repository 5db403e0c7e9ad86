// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import UniformTypes

/// The representation of an item that is meant by a type.
struct ExtractChoice {
  /// So many types are named in a message.
  private static let namedCount = 8

  /// From 0, in the order of the source.
  let representation: Int
  /// What the source says it is.
  let type: UTType
  /// Whether it is text, and whether a folder, by what is known here or its source has said of the type.
  let isText, isFolder: Bool

  /// Finds it.
  ///
  /// - Parameters:
  ///   - word: An identifier, a MIME type or an extension.
  ///   - source: The item.
  /// - Throws: `noAcceptableType` with what there is, where that is not there; why the file cannot be read.
  init(type word: String, in source: ExtractSource) async throws {
    let types = try await source.drop.types(ofItem: source.index)
    let provider = try await source.drop.item(at: source.index)
    // What the system's MIME database says may have to be read from a disk.
    let found = try await runBlocking {
      Self.representation(word, types, provider).map { found in
        let type = types[found]
        return (
          index: found, isText: provider.offers(type, conformingTo: .text),
          isFolder: provider.offers(type, conformingTo: .directory)
        )
      }
    }
    guard let found else {
      let offered = types.prefix(Self.namedCount).map { $0.identifier.escapedForDisplay() }.joined(separator: ", ")
      throw ToolFailure(
        .noAcceptableType,
        "item \(source.number) is no \(word.escapedForDisplay()): it is there as \(offered)"
          + (types.count > Self.namedCount ? " and \(types.count - Self.namedCount) more" : ""))
    }
    representation = found.index
    type = types[found.index]
    (isText, isFolder) = (found.isText, found.isFolder)
  }

  /// Just the type, else the first that may be used where it is wanted, by what is known here or its source has said.
  private static func representation(_ word: String, _ types: [UTType], _ provider: ItemProvider) -> Int? {
    // It need not be a type that anybody here knows.
    if let index = types.firstIndex(where: { $0.identifier.lowercased() == word.lowercased() }) { return index }
    guard let wanted = UTType(operand: word) else { return nil }
    return types.firstIndex(of: wanted) ?? types.firstIndex { provider.offers($0, conformingTo: wanted) }
  }
}
