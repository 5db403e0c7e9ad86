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
    let representations: [Representation]
  }

  func run(in environment: ToolEnvironment) async throws {
    var items: [Item] = []
    if source.endpoint.isTwoWay {
      items = try await source.withDrop(environment) { drop in
        (drop.items.map { Item(name: $0.suggestedName, representations: Self.representations(of: $0)) }, kept: [])
      }
    } else {
      try await source.endpoint.reading(environment) { input in
        try await DropStream.withInspector(from: input, options: source.options) { found in
          for try await item in found {
            items.append(
              Item(
                name: item.suggestedName,
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

  /// A line for each representation: the number of the item, its name, the type, the size; separated by tabs.
  private static func text(of items: [Item]) -> String {
    var text = ""
    for (index, item) in items.enumerated() {
      for representation in item.representations {
        let columns = [
          "\(index + 1)", item.name?.escapedForDisplay() ?? "", representation.type.escapedForDisplay(),
          representation.size.map { "\($0)" } ?? "",
        ]
        text += columns.joined(separator: "\t") + "\n"
      }
    }
    return text
  }
}
