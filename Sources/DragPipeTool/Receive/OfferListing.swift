// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

/// Tells what is offered, and takes nothing.
struct OfferListing: Sendable {
  let source: ReceiveSource
  let isJSON: Bool

  private struct Item: Encodable, Sendable {
    struct Representation: Encodable, Sendable {
      let type: String
      let size: Int64?
    }

    let name: String?
    var folder: String?
    let representations: [Representation]
  }

  func run(in environment: ToolEnvironment) async throws {
    var items: [Item] = []
    if source.endpoint.isTwoWay {
      items = try await source.withDrop(environment, keepsItems: false) { drop in
        let items = drop.items.map { item in
          Item(
            name: item.suggestedName, folder: item.fileAttributes.folder,
            representations: Self.representations(of: item))
        }
        return (items, kept: [])
      }
    } else {
      try await source.endpoint.reading(environment) { input in
        try await DropStream.withInspector(from: input, options: source.options) { found in
          for try await item in found {
            items.append(
              Item(
                name: item.suggestedName, folder: item.folder,
                representations: item.representations.map {
                  Item.Representation(type: $0.contentType.identifier, size: Int64(clamping: $0.byteCount))
                }))
          }
        }
      }
    }
    if isJSON {
      try await environment.write(try JSONOutput(isPretty: true).text(["items": items]) + "\n")
    } else {
      try await environment.write(Self.text(of: items))
    }
  }

  private static func representations(of item: ItemProvider) -> [Item.Representation] {
    item.representations.map { Item.Representation(type: $0.contentType.identifier, size: $0.size.expected) }
  }

  private static func path(_ item: Item) -> String {
    (item.folder.map { $0 + "/" } ?? "") + (item.name ?? "")
  }

  /// A line for each representation: the number of the item, its path, the type, the size; separated by tabs.
  private static func text(of items: [Item]) -> String {
    var text = ""
    for (index, item) in items.enumerated() {
      for representation in item.representations {
        let columns = [
          "\(index + 1)", Self.path(item).escapedForDisplay(), representation.type.escapedForDisplay(),
          representation.size.map { "\($0)" } ?? "",
        ]
        text += columns.joined(separator: "\t") + "\n"
      }
    }
    return text
  }
}
