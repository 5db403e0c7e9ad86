// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// The representations of items as the content of a selection.
///
/// Representations are created when another program requests them.
final class ProviderContent: OfferedContent {
  private enum Source: Sendable {
    case drop
    case representation(UTType, TargetName.Conversion)
    case addresses
    case copiedFiles
    case portalFiles
    case paths(TargetName.Conversion)
    case passwordHint
  }

  let targets: [String]
  private let items: [ItemProvider]
  /// The sources by the bytes of their targets.
  private let sources: [[UInt8]: Source]
  private let files: PromisedFiles
  /// The portal for the addresses; `nil` if it does not run, or might refuse them.
  private let portal: FileTransferPortal?

  /// Creates the content.
  ///
  /// - Parameters:
  ///   - items: The items. Programs that do not use this package see the representations only of a single item. They
  ///     see files if each item has a name or an address.
  ///   - isClipboard: Whether the content is copied, and not dragged. Only the clipboard has a list of copied files, and
  ///     the paths of files as text.
  ///   - isSensitive: Whether clipboard managers are asked not to store the content.
  ///   - portal: The portal that passes files to programs in a sandbox; `nil` if it does not run.
  init(
    _ items: [ItemProvider], isClipboard: Bool = true, isSensitive: Bool = false,
    portal: FileTransferPortal? = .ofSession()
  ) {
    self.items = items
    self.portal = portal
    files = PromisedFiles(items)
    var content: [(name: String, source: Source)] = []
    if items.count == 1, let item = items.first {
      for type in item.contentTypes(visibleTo: .all) {
        content += TargetName.names(for: type).map { ($0.name, .representation(type, $0.conversion)) }
      }
    }
    var addresses: [(name: String, source: Source)] = []
    if !items.isEmpty, items.allSatisfy({ $0.suggestedName != nil || $0.hasRepresentation(conformingTo: .url) }) {
      addresses.append((TargetName.uriList, .addresses))
      if portal != nil, items.allSatisfy(Self.isSharedFile) {
        addresses.append((TargetName.portalFiles, .portalFiles))
      }
      if isClipboard, !items.contains(where: Self.isAddressOfPage) {
        addresses.append((TargetName.copiedFiles, .copiedFiles))
      }
    }
    var list: [(name: String, source: Source)] = [(TargetName.drop, .drop)]
    if !items.isEmpty, items.allSatisfy({ $0.hasRepresentation(conformingTo: .fileURL) }) {
      // The text of a text file is its content.
      let paths = isClipboard ? TargetName.plainTextNames.map { ($0.name, Source.paths($0.conversion)) } : []
      list += addresses + content + paths
    } else {
      list += content + addresses
    }
    if isSensitive { list.append((TargetName.passwordHint, .passwordHint)) }
    var seen: Set<[UInt8]> = []
    let unique = list.filter { seen.insert(Array($0.name.utf8)).inserted }
    targets = unique.map(\.name)
    sources = Dictionary(uniqueKeysWithValues: unique.map { (Array($0.name.utf8), $0.source) })
  }

  private static func isAddressOfPage(_ item: ItemProvider) -> Bool {
    item.hasRepresentation(conformingTo: .url) && !item.hasRepresentation(conformingTo: .fileURL)
  }

  /// Returns whether an item is saved as a file that is not a folder, or is such a file of this program.
  ///
  /// A program that prefers the portal's type to the list of addresses gets nothing if the portal refuses a file. Some
  /// versions of the portal, such as 1.16, refuse folders. An address without a file may be another program's claim.
  private static func isSharedFile(_ item: ItemProvider) -> Bool {
    guard
      !item.hasRepresentation(conformingTo: .fileURL)
        || item.representations(visibleTo: .all).contains(where: { $0.form == .file })
    else { return false }
    let content = item.contentTypes(visibleTo: .all).filter { !$0.conforms(to: .url) }
    return !content.isEmpty && !content.contains { $0.conforms(to: .directory) } && !isAddressOfPage(item)
  }

  func value(for target: String) async throws -> OfferedValue {
    switch sources[Array(target.utf8)] {
    case .drop:
      let bytes = try DropBytes(items)
      return OfferedValue(type: target) { try await bytes.next() }
    case .representation(let type, let conversion):
      guard let item = items.first else { break }
      if case .none = conversion {
        return OfferedValue(chunks: try await item.bytes(for: type), as: target)
      }
      return .complete(try conversion.encode(try await item.data(for: type), of: type), as: Self.valueType(target))
    case .addresses: return .complete(try await files.addresses().data, as: target)
    case .copiedFiles: return .complete(try await files.addresses().copiedFiles, as: target)
    case .portalFiles:
      guard let portal else { break }
      try await files.checkContent(followingLinks: true)
      // Some programs pass the value on as a string of C, which the NUL ends.
      return .complete(Data(try await portal.share(try await files.addresses().paths()).utf8) + [0], as: target)
    case .paths(let conversion):
      let text = Data(try await files.addresses().paths().joined(separator: "\n").utf8)
      return .complete(try conversion.encode(text, of: .utf8PlainText), as: Self.valueType(target))
    case .passwordHint: return .complete(Data("secret".utf8), as: target)
    case nil: break
    }
    throw DesktopError(.nothingOffered, "the content has no type \(target.escapedForDisplay())")
  }

  /// Returns the type of the value.
  ///
  /// The owner chooses the encoding of `TEXT`; each other target is also the type.
  private static func valueType(_ target: String) -> String { target == "TEXT" ? "UTF8_STRING" : target }

  /// Checks that the files at the addresses may be given to other programs.
  func checkFiles() async throws { try await files.checkContent(followingLinks: false) }

  /// Removes the files that were created for other programs.
  func removeFiles() async {
    await files.remove()
  }
}

extension OfferedValue {
  /// Returns a value that is already in memory.
  static func complete(_ data: Data, as type: String) -> OfferedValue {
    let rest = Lock<Data?>(data.isEmpty ? nil : data)
    return OfferedValue(type: type, byteCount: data.count) { rest.withLock { $0.take() } }
  }

  /// Creates a value that is read from a stream while it is sent.
  init(chunks: ItemByteStream, as type: String) {
    let chunks = ChunkReader(chunks)
    self.init(type: type) { try await chunks.next() }
  }
}

/// The iterator of a representation, isolated so that a `Sendable` closure can advance it.
private actor ChunkReader {
  private var iterator: ItemByteStream.Iterator?

  init(_ chunks: ItemByteStream) {
    iterator = chunks.makeAsyncIterator()
  }

  /// Returns the next chunk.
  ///
  /// Only one task at a time may call this method.
  func next() async throws -> Data? {
    guard var current = iterator.take() else { return nil }
    let chunk = try await current.next(isolation: self)
    if chunk != nil { iterator = current }
    return chunk
  }
}

/// The bytes of a drop stream of items, which a task writes while the stream is read.
private final class DropBytes: Sendable {
  private let source: ChunkSource
  private let writing: Task<Void, any Error>

  init(_ items: [ItemProvider]) throws {
    let pipe = try SystemCalls.pipe()
    writing = Task {
      try await DropStream.withWriter(to: .descriptor(pipe.write)) { writer in
        for item in items { try await writer.write(item) }
      }
    }
    do {
      source = try ChunkSource(.descriptor(pipe.read))
    } catch {
      writing.cancel()
      throw error
    }
  }

  deinit {
    writing.cancel()
  }

  /// Returns the next chunk; `nil` at the end.
  ///
  /// If the writer has failed, throws its error after the last chunk.
  func next() async throws -> Data? {
    if let chunk = try await source.next() { return chunk }
    try await writing.value
    return nil
  }
}
