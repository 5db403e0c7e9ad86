// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// The addresses of the items of a drag, for a terminal that requests files by their numbers.
struct TerminalAddresses: Sendable {
  /// An entry of the list of addresses.
  enum Entry: Sendable {
    /// A file or a folder at a path.
    case file(path: String, isFolder: Bool)
    /// An item that is not a file yet.
    case promised(ItemProvider, UTType, name: String)
    /// The address of a web page.
    case page(String)
  }

  /// The entries in the order of the list.
  let entries: [Entry]

  /// Finds the addresses of items.
  ///
  /// - Throws: The errors of the items.
  init(of items: [ItemProvider]) async throws {
    var entries: [Entry] = []
    for item in items {
      if item.hasRepresentation(conformingTo: .fileURL) {
        let path = try URL(foreignText: await item.data(for: .fileURL)).path
        let isFolder = await runBlocking {
          (try? SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW))?.kind == .directory
        }
        entries.append(.file(path: path, isFolder: isFolder))
      } else if item.hasRepresentation(conformingTo: .url) {
        entries.append(.page(try URL(foreignText: await item.data(for: .url)).absoluteString))
      } else if let type = item.contentTypes(visibleTo: .all).first {
        entries.append(.promised(item, type, name: Self.name(of: item, type)))
      }
    }
    self.entries = entries
  }

  private static func name(of item: ItemProvider, _ type: UTType) -> String {
    if let name = DirectSave.name(of: [item]) { return name }
    let name = item.suggestedName ?? ""
    return DropFileName.objection(to: name, allowsHidden: true) == nil ? name : "item"
  }

  /// Whether each entry exists before it is requested.
  var exist: Bool {
    entries.allSatisfy { if case .promised = $0 { false } else { true } }
  }

  /// The list of addresses.
  ///
  /// The address of a folder ends with a slash. An item that is not a file yet has an address that does not exist: the
  /// terminal requests it by its number.
  var list: URIList {
    URIList(
      entries.enumerated().map { index, entry in
        switch entry {
        case .file(let path, let isFolder):
          URL(filePath: path, directoryHint: isFolder ? .isDirectory : .notDirectory).absoluteString
        case .promised(_, let type, let name):
          URL(
            filePath: "/dragpipe/\(index)/\(name)",
            directoryHint: type.conforms(to: .directory) ? .isDirectory : .notDirectory
          ).absoluteString
        case .page(let address): address
        }
      })
  }
}
