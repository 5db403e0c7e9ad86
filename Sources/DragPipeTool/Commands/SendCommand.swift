// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import HeroCards
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
        case .hero: try await sendHeroes(in: file, to: writer, environment)
        case .card: try await sendCards(in: file, to: writer, environment)
        }
      }
    }
  }

  private func provider(of file: String, _ environment: ToolEnvironment) throws -> ItemProvider {
    let isInput = file == "-"
    let url = URL(fileURLWithPath: isInput ? "/proc/self/fd/\(environment.input)" : file)
    let name = suggestedName ?? (isInput ? nil : url.lastPathComponent)
    let fileExtension = url.pathExtension
    let type = isInput ? nil : UTType(filenameExtension: fileExtension)
    let provider = ItemProvider(suggestedName: name)
    provider.registerFile(type ?? .data, byteCount: isInput ? nil : knownSize(of: file)) { _ in
      SentTransferredFile(url)
    }
    return provider
  }

  /// The size of a file that has one: in `/proc` files of size 0 are full of text.
  private func knownSize(of file: String) -> Int64? {
    guard let status = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, file), status.kind == .regular,
      status.size > 0
    else { return nil }
    return status.size
  }

  private func sendHeroes(
    in file: String, to writer: DropStreamWriter, _ environment: ToolEnvironment
  ) async throws {
    let source = try chunks(of: file, environment)
    var reader = HeroReader()
    try await labelling(file) {
      while let chunk = try await source.next() {
        reader.append(chunk)
        while let hero = try reader.next() { try await send(hero, to: writer) }
      }
      reader.finish()
      while let hero = try reader.next() { try await send(hero, to: writer) }
    }
  }

  private func send(_ hero: Hero, to writer: DropStreamWriter) async throws(DropStreamError) {
    try await writer.write(ItemProvider(hero, suggestedName: hero.suggestedFileName))
  }

  private func sendCards(
    in file: String, to writer: DropStreamWriter, _ environment: ToolEnvironment
  ) async throws {
    let source = try chunks(of: file, environment)
    var reader = CardReader()
    try await labelling(file) {
      while let chunk = try await source.next() {
        reader.append(chunk)
        while let card = try reader.next() { try await writer.write(ItemProvider(card)) }
      }
      reader.finish()
      while let card = try reader.next() { try await writer.write(ItemProvider(card)) }
    }
  }

  private func chunks(of file: String, _ environment: ToolEnvironment) throws -> ChunkSource {
    try ChunkSource(file == "-" ? environment.inputEndpoint() : .file(file))
  }

  /// A fault in a file is told with the file's name.
  private func labelling(_ file: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as HeroCardError {
      let name = file == "-" ? "standard input" : file.escapedForDisplay()
      throw ToolFailure(.malformed, "\(name): \(error)")
    }
  }
}
