// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import UniformTypes

/// The listing of offered items.
///
/// Their content is not kept: a session does not request it, and a one-way stream is read without storing it.
struct OfferListing: Sendable {
  /// The size in bytes at which buffered output is written.
  private static let bufferLength = 32 << 10

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
    let json = JSONOutput()
    var count = 0
    var text = isJSON ? #"{"items": ["# : ""
    func add(_ item: Item) async throws {
      count += 1
      text += isJSON ? (count == 1 ? "\n" : ",\n") + (try json.text(item)) : Self.lines(of: item, number: count)
      guard text.utf8.count >= Self.bufferLength else { return }
      try await environment.write(text)
      text = ""
    }
    do {
      if source.endpoint.isTwoWay {
        let items = try await source.withOffer(environment, keepsItems: false) { items, _ in
          (items.map(Self.item), kept: [])
        }
        for item in items { try await add(item) }
      } else {
        try await source.endpoint.reading(environment, idleTimeout: source.options.idleTimeout) { input in
          try await DropStream.withInspector(from: input, options: source.options) { found in
            for try await item in found { try await add(Self.item(item)) }
          }
        }
      }
    } catch let error as OutputClosed {
      throw error
    } catch {
      // Even after an error, the items before it are listed, and a JSON document is complete.
      try await environment.write(text + end)
      throw error
    }
    try await environment.write(text + end)
  }

  private var end: String { isJSON ? "\n]}\n" : "" }

  private static func item(_ item: ItemProvider) -> Item {
    Item(
      name: item.suggestedName, folder: item.fileAttributes.folder,
      representations: item.representations.map {
        Item.Representation(type: $0.contentType.identifier, size: $0.size.expected)
      })
  }

  private static func item(_ item: DropItemDescription) -> Item {
    Item(
      name: item.suggestedName, folder: item.folder,
      representations: item.representations.map {
        Item.Representation(type: $0.contentType.identifier, size: Int64(clamping: $0.byteCount))
      })
  }

  /// Returns a line for each representation, with tab-separated columns: item number, path, type, size.
  private static func lines(of item: Item, number: Int) -> String {
    let path = ((item.folder.map { $0 + "/" } ?? "") + (item.name ?? "")).escapedForDisplay()
    return item.representations.reduce(into: "") { text, representation in
      let columns = [
        "\(number)", path, representation.type.escapedForDisplay(), representation.size.map { "\($0)" } ?? "",
      ]
      text += columns.joined(separator: "\t") + "\n"
    }
  }
}
