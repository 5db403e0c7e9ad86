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

/// Writes items to standard output as a drop stream.
struct SendCommand: ToolCommand {
  static let name = "send"
  static let summary = "Offers files, heroes or cards on standard output."
  static let forms = ["[--name NAME] FILE…", "--as hero|card FILE…"]
  static let options = [
    OptionSpecification(name: "as", value: "hero|card", summary: "take the files' elements for items, not the files"),
    OptionSpecification(name: "name", value: "NAME", summary: "call the one file NAME at the destination"),
  ]
  static let operand = ArgumentCompletion.file
  static let notes = "FILE may be - for standard input, or anything that can be read to an end."

  private let files: [String]
  private let kind: ItemKind?
  private let suggestedName: String?

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    files = arguments.operands
    kind = try ItemKind(option: try arguments.value("as"))
    suggestedName = try arguments.value("name")
    guard !files.isEmpty else { throw ToolFailure(.usage, "nothing to send; name a file, or - for standard input") }
    if suggestedName != nil, files.count > 1 || kind != nil {
      throw ToolFailure(.usage, "--name wants exactly one file")
    }
  }

  func run(in environment: ToolEnvironment) async throws {
    guard !environment.outputIsTerminal else {
      throw ToolFailure(.usage, "standard output is a terminal; try: dragpipe send … | dragpipe receive DIR")
    }
    try await DropStream.withWriter(to: environment.outputEndpoint()) { writer in
      for file in files {
        switch kind {
        case nil: try await writer.write(provider(of: file, environment))
        case .hero:
          try await send({ HeroReader.heroes(in: $0) }, of: file, to: writer, environment) { hero in
            ItemProvider(hero, suggestedName: hero.suggestedFileName)
          }
        case .card:
          try await send({ CardReader.cards(in: $0) }, of: file, to: writer, environment) { ItemProvider($0) }
        }
      }
    }
  }

  private func provider(of file: String, _ environment: ToolEnvironment) -> ItemProvider {
    let isInput = file == "-"
    let url = URL(fileURLWithPath: isInput ? "/proc/self/fd/\(environment.input)" : file)
    let name = suggestedName ?? (isInput ? nil : url.lastPathComponent)
    let type = isInput ? nil : UTType.identify(fileNamed: url.lastPathComponent).type
    let status = isInput ? nil : try? SystemCalls.statusAt(DropEndpoint.currentDirectory, file)
    let provider = ItemProvider(suggestedName: name)
    provider.registerFile(type ?? .data, size: status?.statedSize.map { .exact($0) } ?? .unknown) { _ in
      SentTransferredFile(url)
    }
    return provider
  }

  /// Sends each element of a file as an item, as soon as it has been read.
  private func send<Elements: AsyncSequence>(
    _ elements: (ChunkSource) -> Elements, of file: String, to writer: DropStreamWriter, _ environment: ToolEnvironment,
    as provider: (Elements.Element) -> ItemProvider
  ) async throws {
    let source = try ChunkSource(file == "-" ? environment.inputEndpoint() : .file(file))
    do {
      for try await element in elements(source) { try await writer.write(provider(element)) }
    } catch let error as HeroCardError {
      let name = file == "-" ? "standard input" : file.escapedForDisplay()
      throw ToolFailure(.malformed, "\(name): \(error)")
    }
  }
}
