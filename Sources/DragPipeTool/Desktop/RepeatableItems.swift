// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The items of a command line for programs of the desktop, which may request a representation several times.
struct RepeatableItems: Sendable {
  /// The maximum length, in bytes, of content that can be read only once, such as standard input.
  ///
  /// Such content stays in memory.
  static let maximumInputBytes = 256 << 20

  let items: OfferedItems
  let context: OfferContext
  /// Whether to leave out files whose names receivers refuse.
  let keepsGoing: Bool

  /// Returns the items; each regular file and each folder gets its address as a further representation.
  ///
  /// - Parameter leftOut: Receives the files that are left out.
  /// - Returns: The items.
  /// - Throws: The errors of ``OfferedItems/names(_:onLeftOut:)``; read errors of standard input; `refused` if content
  ///   that can be read only once exceeds ``maximumInputBytes``.
  func load(_ leftOut: LoadFailures) async throws -> [OfferedItems.Item] {
    let leaveOut: @Sendable (DropStreamError) -> Void = { leftOut.add($0, notedIn: context.environment) }
    var all: [OfferedItems.Item] = []
    let names = try await items.names(context, onLeftOut: keepsGoing ? leaveOut : nil)
    try await items.forEach(of: names, context) { item in all.append(try await repeatable(item)) }
    return all
  }

  private func repeatable(_ item: OfferedItems.Item) async throws -> OfferedItems.Item {
    if let file = item.file, file.isReadableAgain {
      let address = URL(fileURLWithPath: file.resolvedPath, isDirectory: file.isFolder)
      item.provider.register(.fileURL) { _ in Data(address.absoluteString.utf8) }
      return item
    }
    guard item.file != nil || items.readsInput else { return item }
    let copy = ItemProvider(suggestedName: item.provider.suggestedName)
    for type in item.provider.contentTypes(visibleTo: .all) {
      let data = try await content(of: item.provider, type)
      copy.register(type == .data ? Self.type(of: data) : type) { _ in data }
    }
    return OfferedItems.Item(provider: copy)
  }

  private func content(of provider: ItemProvider, _ type: UTType) async throws -> Data {
    var data = Data()
    for try await chunk in try await provider.bytes(for: type) {
      data += chunk
      guard data.count <= Self.maximumInputBytes else {
        throw ToolFailure(
          .refused, "the input exceeds \(Self.maximumInputBytes) bytes; write it to a file and use that")
      }
    }
    return data
  }

  /// Returns the type of content without a name.
  ///
  /// Every kind of plain text in UTF-8 becomes `.utf8PlainText`, so that editors accept it.
  private static func type(of data: Data) -> UTType {
    let found = UTType.identify(content: Array(data.prefix(64 << 10)).span).type
    let isText = found.conforms(to: .plainText) && String(validating: data, as: UTF8.self) != nil
    return isText ? .utf8PlainText : found
  }
}
