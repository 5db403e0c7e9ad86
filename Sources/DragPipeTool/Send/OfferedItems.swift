// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import HeroCards
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a command line offers.
struct OfferedItems: Sendable {
  /// An item, and the file that it is, where it is one.
  struct Item: Sendable {
    let provider: ItemProvider
    var file: OfferedFile?
    var byteCount: UInt64? { file?.byteCount }
  }

  private let files: [String]
  private let list: NameList?
  private let kind: ItemKind?
  private let suggestedName: String?
  private let representations: [OfferedRepresentation]

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    files = arguments.operands
    kind = try ItemKind(option: try arguments.value("as"))
    suggestedName = try arguments.value("name")
    list = try NameList(arguments)
    representations = try OfferedRepresentation.all(arguments)
    if !representations.isEmpty, !files.isEmpty || kind != nil || list != nil {
      throw ToolFailure(.usage, "--type, --lazy and --alias make one item; files beside it would be items of their own")
    }
    guard !files.isEmpty || list != nil || !representations.isEmpty else {
      throw ToolFailure(.usage, "nothing to send; name a file, or - for standard input")
    }
    if suggestedName != nil, representations.isEmpty, files.count != 1 || kind != nil || list != nil {
      throw ToolFailure(.usage, "--name wants exactly one item")
    }
    let readers = files.count { $0 == "-" } + representations.count { $0.path == "-" } + (list?.path == "-" ? 1 : 0)
    guard readers <= 1 else { throw ToolFailure(.usage, "standard input can be read once only") }
  }

  /// Every file that is read, as far as that is known beforehand.
  private var paths: [String] { (files + representations.compactMap(\.path)).filter { $0 != "-" } }

  /// Refuses to write a stream over one of the files that it is made of.
  func check(against endpoint: EndpointArgument, _ environment: ToolEnvironment) throws(ToolFailure) {
    let target: FileStatus?
    switch endpoint {
    case .standard: target = try? SystemCalls.status(environment.output)
    case .file(let path): target = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
    default: return
    }
    guard let target, target.kind == .regular else { return }
    for path in paths {
      if (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path))?.isSameFile(as: target) == true {
        throw ToolFailure(.usage, "\(path.escapedForDisplay()) would be read and written at once")
      }
    }
  }

  /// Makes the items one after the other; elements of files as they are read.
  func forEach(_ environment: ToolEnvironment, _ body: (Item) async throws -> Void) async throws {
    if !representations.isEmpty { return try await body(item(environment)) }
    var names = files
    if let list { names += try await list.names(environment) }
    for name in names {
      switch kind {
      case nil: try await body(fileItem(name, environment))
      case .hero:
        let heroes = { (source: ChunkSource) in HeroReader.heroes(in: source) }
        try await elements(heroes, of: name, environment) { hero in
          try await body(Item(provider: ItemProvider(hero, suggestedName: hero.suggestedFileName)))
        }
      case .card:
        let cards = { (source: ChunkSource) in CardReader.cards(in: source) }
        try await elements(cards, of: name, environment) { card in
          try await body(Item(provider: ItemProvider(card)))
        }
      }
    }
  }

  private func item(_ environment: ToolEnvironment) throws -> Item {
    let first = representations.lazy.compactMap(\.path).first { $0 != "-" }
    let name = suggestedName ?? first.map { URL(fileURLWithPath: $0).lastPathComponent }
    let provider = ItemProvider(suggestedName: name)
    if let first { provider.fileAttributes = OfferedFile(path: first)?.attributes ?? ItemFileAttributes() }
    for representation in representations { try representation.register(with: provider, environment) }
    return Item(provider: provider)
  }

  private func fileItem(_ path: String, _ environment: ToolEnvironment) -> Item {
    guard path != "-" else {
      let provider = ItemProvider(suggestedName: suggestedName)
      provider.registerFile(.data) { _ in SentTransferredFile(environment.inputURL) }
      return Item(provider: provider)
    }
    let url = URL(fileURLWithPath: path)
    let file = OfferedFile(path: path)
    let name = suggestedName ?? url.lastPathComponent
    let provider = ItemProvider(suggestedName: name)
    let type = file?.isFolder == true ? UTType.folder : UTType.identify(fileNamed: url.lastPathComponent).type
    provider.registerFile(type, size: file?.size ?? .unknown) { _ in SentTransferredFile(url) }
    provider.fileAttributes = file?.attributes ?? ItemFileAttributes()
    return Item(provider: provider, file: file)
  }

  private func elements<Elements: AsyncSequence>(
    _ elements: (ChunkSource) -> Elements, of file: String, _ environment: ToolEnvironment,
    _ body: (Elements.Element) async throws -> Void
  ) async throws {
    let source = try ChunkSource(file == "-" ? environment.inputEndpoint() : .file(file))
    do {
      for try await element in elements(source) { try await body(element) }
    } catch let error as HeroCardError {
      let name = file == "-" ? "standard input" : file.escapedForDisplay()
      throw ToolFailure(.malformed, "\(name): \(error)")
    }
  }
}
